import { randomUUID } from "node:crypto";
import { SendMessageCommand, type SendMessageRequest, type SQSClient } from "@aws-sdk/client-sqs";
import { type Hint, type HintQueue, queueOf } from "../../hints.ts";
import type { HintPort } from "../../ports.ts";
import { awsError } from "./aws-error.ts";

export interface HintQueuesOptions {
  readonly client: SQSClient;
  readonly queueUrls: Readonly<Record<HintQueue | "later", string>>;
  /** The one FIFO group of the provisioning queue. */
  readonly provisioningMessageGroup: string;
}

const longestDelaySeconds = 900;

/** {@link HintPort} on SQS. A FIFO queue has no delay per message, so a planner hint that must wait goes through `later`. */
export function hintQueues({ client, queueUrls, provisioningMessageGroup }: HintQueuesOptions): HintPort {
  return {
    async send(hint, { delaySeconds = 0 } = {}) {
      if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > longestDelaySeconds) {
        throw new RangeError(
          `delaySeconds of a ${hint.kind} hint: ${delaySeconds}; SQS takes 0 to ${longestDelaySeconds}`,
        );
      }
      await client.send(new SendMessageCommand(messageOf(hint, delaySeconds))).catch((error: unknown) => {
        throw awsError(`SendMessage of a ${hint.kind} hint`, error);
      });
    },
  };

  function messageOf(hint: Hint, delaySeconds: number): SendMessageRequest {
    const queue = queueOf(hint);
    const body = { MessageBody: JSON.stringify(hint) };
    if (queue !== "provisioning") return { ...body, QueueUrl: queueUrls[queue], DelaySeconds: delaySeconds };
    if (delaySeconds > 0) return { ...body, QueueUrl: queueUrls.later, DelaySeconds: delaySeconds };
    return {
      ...body,
      QueueUrl: queueUrls.provisioning,
      MessageGroupId: provisioningMessageGroup,
      // Content-based deduplication, which EventBridge needs, would swallow an equal hint for five minutes.
      MessageDeduplicationId: randomUUID(),
    };
  }
}
