import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { eventBus } from "../../shared/adapters/aws/event-bus.ts";
import { hintQueues } from "../../shared/adapters/aws/queues.ts";
import type { Hint } from "../../shared/hints.ts";
import { parseHintMessage } from "../../shared/runtime/messages.ts";

const options = () => ({
  region: "us-east-1",
  endpoint: inject("ministackUrl"),
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});

const source = "journeyman.webhook";
const group = "cluster";

/** The adapters, the queues as the stack makes them, and the envelope that the functions read. */
describe("hints on ministack", () => {
  const sqs = new SQSClient(options());
  const events = new EventBridgeClient(options());
  const urls = { provisioning: "", lifecycle: "", termination: "", later: "" };

  beforeAll(async () => {
    urls.provisioning = await createQueue("provisioning.fifo", {
      FifoQueue: "true",
      ContentBasedDeduplication: "true",
    });
    urls.lifecycle = await createQueue("lifecycle");
    urls.termination = await createQueue("termination");
    urls.later = await createQueue("later");
    await events.send(new CreateEventBusCommand({ Name: "journeyman-cluster" }));
    await route("PodsPending", "provision", urls.provisioning, { SqsParameters: { MessageGroupId: group } });
    await route("NodesChanged", "node", urls.lifecycle);
  });

  it("go from the webhook over the bus to the queue of their kind", async () => {
    const bus = eventBus({ client: events, busName: "journeyman-cluster", source });
    const pending: Hint = { kind: "provision", reason: "pods-pending", at: 1_000 };
    const node: Hint = { kind: "node", name: "ip-10-0-0-1", at: 2_000 };
    expect(await bus.send([pending, node])).toEqual(["accepted", "accepted"]);
    expect(await hintsIn(urls.provisioning)).toEqual([pending]);
    expect(await hintsIn(urls.lifecycle)).toEqual([node]);
  });

  it("go to a FIFO queue again and again, equal as they are", async () => {
    const queues = hintQueues({ client: sqs, queueUrls: urls, provisioningMessageGroup: group });
    const hint: Hint = { kind: "provision", reason: "node-leaving", at: 3_000 };
    await queues.send(hint);
    await queues.send(hint);
    expect(await hintsIn(urls.provisioning, 2)).toEqual([hint, hint]);
  });

  it("wait in the queue for what comes later, where the planner's own cannot hold them back", async () => {
    const queues = hintQueues({ client: sqs, queueUrls: urls, provisioningMessageGroup: group });
    await queues.send({ kind: "provision", reason: "retry", at: 4_000 }, { delaySeconds: 900 });
    const command = new GetQueueAttributesCommand({ QueueUrl: urls.later, AttributeNames: ["All"] });
    const { Attributes } = await sqs.send(command);
    expect(Attributes?.ApproximateNumberOfMessagesDelayed).toBe("1");
  });

  async function createQueue(name: string, attributes: Record<string, string> = {}): Promise<string> {
    const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    return QueueUrl;
  }

  async function route(name: string, kind: string, queueUrl: string, target: object = {}): Promise<void> {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["QueueArn"] }),
    );
    const EventPattern = JSON.stringify({ source: [source], "detail-type": [kind], detail: { kind: [kind] } });
    const EventBusName = "journeyman-cluster";
    await events.send(new PutRuleCommand({ Name: name, EventBusName, EventPattern }));
    const targets = [{ Id: "queue", Arn: Attributes?.QueueArn ?? "", ...target }];
    await events.send(new PutTargetsCommand({ Rule: name, EventBusName, Targets: targets }));
  }

  /** Delivery takes its time: the queue is asked, with SQS's own wait, until so many have come. */
  async function hintsIn(queueUrl: string, count = 1): Promise<readonly unknown[]> {
    const found: Message[] = [];
    for (let times = 0; times < 10 && found.length < count; times++) {
      const command = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 2 });
      const { Messages = [] } = await sqs.send(command);
      found.push(...Messages);
      // A FIFO group gives no more until what it gave is gone.
      for (const { ReceiptHandle } of Messages) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
    }
    return found.map(({ Body = "" }) => {
      const parsed = parseHintMessage(Body);
      return parsed.kind === "hint" ? parsed.hint : parsed;
    });
  }
});
