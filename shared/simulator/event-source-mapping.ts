import { createHash } from "node:crypto";
import type { SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import type { EventLoop } from "./event-loop.ts";
import type { InvocationOutcome, LambdaFunction } from "./lambda.ts";
import type { Queue, ReceivedMessage } from "./queue.ts";
import type { Random } from "./random.ts";

export interface EventSourceMappingOptions {
  readonly queue: Queue;
  readonly function: LambdaFunction<SQSEvent>;
  readonly batchSize?: number;
  /** At least 2, as in AWS. A FIFO queue's own limit is one batch per message group. */
  readonly maximumConcurrency?: number;
  readonly reportBatchItemFailures?: boolean;
}

/** Lambda's pollers between a queue and a function (serverless-aws §4, "SQS to Lambda ESM"). Starts at once. */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions;
  readonly #loop: EventLoop;
  readonly #random: Random;
  #running = 0;
  #pollIsDue = false;

  constructor(options: EventSourceMappingOptions, loop: EventLoop, random: Random) {
    const { queue, function: target, maximumConcurrency = 1_000 } = options;
    if (queue.visibilityTimeoutSeconds < target.timeoutSeconds) {
      const { visibilityTimeoutSeconds } = queue;
      throw new Error(
        `queue ${queue.name}: visibility timeout ${visibilityTimeoutSeconds} s is less than ${target.name}'s timeout ${target.timeoutSeconds} s`,
      );
    }
    if (maximumConcurrency < 2) {
      throw new Error(`mapping of ${queue.name}: MaximumConcurrency is ${maximumConcurrency}, accepted are 2 to 1000`);
    }
    this.#options = options;
    this.#loop = loop;
    this.#random = random.fork(`mapping ${queue.name}`);
    queue.onAvailable(() => this.#poll());
  }

  /** Messages that arrive within one poll's latency make one batch. */
  #poll(): void {
    if (this.#pollIsDue) return;
    this.#pollIsDue = true;
    const { queue, maximumConcurrency = 1_000, batchSize = 10 } = this.#options;
    this.#loop.schedule(this.#random.integer(5, 50), `poll of ${queue.name}`, () => {
      this.#pollIsDue = false;
      while (this.#running < maximumConcurrency) {
        const batch = queue.receive(batchSize);
        if (batch.length === 0) return;
        this.#running += 1;
        this.#loop.schedule(0, `batch of ${queue.name}`, () => this.#process(batch));
      }
    });
  }

  async #process(batch: readonly ReceivedMessage[]): Promise<void> {
    const { queue, function: target, reportBatchItemFailures = true } = this.#options;
    const outcome = await target.invoke({ Records: batch.map((message) => sqsRecord(message, queue.name)) });
    const failed = failedMessageIds(batch, outcome, reportBatchItemFailures);
    for (const message of batch.filter(({ messageId }) => !failed.has(messageId))) {
      queue.delete(message.receiptHandle);
    }
    this.#running -= 1;
    this.#poll();
  }
}

const batchResponse = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish(),
});

/**
 * The messages that stay on the queue. Nothing, null or an empty list is success; an unknown id or any other shape fails the whole
 * batch, as a thrown error does.
 */
function failedMessageIds(
  batch: readonly ReceivedMessage[],
  outcome: InvocationOutcome,
  reportBatchItemFailures: boolean,
): ReadonlySet<string> {
  const all = new Set(batch.map(({ messageId }) => messageId));
  if (outcome.kind === "failed") return all;
  if (!reportBatchItemFailures || outcome.value === undefined || outcome.value === null) return new Set();
  const parsed = batchResponse.safeParse(outcome.value);
  if (!parsed.success) return all;
  const failed = (parsed.data.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}

function sqsRecord(message: ReceivedMessage, queueName: string): SQSRecord {
  const { messageGroupId, messageDeduplicationId } = message;
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: "AIDAEXAMPLE",
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      ...(messageGroupId !== undefined && { MessageGroupId: messageGroupId }),
      ...(messageDeduplicationId !== undefined && {
        MessageDeduplicationId: messageDeduplicationId,
        SequenceNumber: message.sequenceNumber,
      }),
    },
    messageAttributes: {},
    md5OfBody: createHash("md5").update(message.body).digest("hex"),
    eventSource: "aws:sqs",
    eventSourceARN: `arn:aws:sqs:us-east-1:123456789012:${queueName}`,
    awsRegion: "us-east-1",
  };
}
