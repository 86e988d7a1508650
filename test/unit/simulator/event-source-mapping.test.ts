import type { SQSEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { EventSourceMapping, type EventSourceMappingOptions } from "../../../shared/simulator/event-source-mapping.ts";
import { LambdaFunction } from "../../../shared/simulator/lambda.ts";
import type { Queue, QueueOptions } from "../../../shared/simulator/queue.ts";
import { virtualTime } from "../../support/simulated-aws.ts";

type Time = ReturnType<typeof virtualTime>;
type Handler = (event: SQSEvent, time: Time) => Promise<unknown>;

/** A queue (visibility 30 s) whose messages go to the handler (timeout 20 s); `batches` keeps the bodies of each call. */
function mapped(
  handler: Handler,
  queueOptions: Partial<QueueOptions> = {},
  options: Partial<EventSourceMappingOptions> = {},
) {
  const time = virtualTime();
  const events: SQSEvent[] = [];
  const queue = time.queue({ visibilityTimeoutSeconds: 30, ...queueOptions });
  const initialize = () => (event: SQSEvent) => {
    events.push(event);
    return handler(event, time);
  };
  const target = new LambdaFunction({ name: "handler", timeoutSeconds: 20, initialize }, time.loop, time.random);
  new EventSourceMapping({ queue, function: target, ...options }, time.loop, time.random);
  const batches = () => events.map(({ Records }) => Records.map(({ body }) => body));
  return { ...time, queue, events, batches };
}

const sendAll = (queue: Queue, ...bodies: readonly string[]) => {
  for (const body of bodies) {
    queue.send(queue.fifo ? { body, messageGroupId: "g", messageDeduplicationId: body } : { body });
  }
};

const failing =
  (...bodies: readonly string[]) =>
  async (event: SQSEvent) => ({
    batchItemFailures: event.Records.filter(({ body }) => bodies.includes(body)).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  });

describe("EventSourceMapping", () => {
  it("hands over what has arrived as one batch of Lambda's shape and deletes it afterwards", async () => {
    const { queue, events, advance } = mapped(async () => undefined);
    sendAll(queue, "a", "b");
    await advance(2_000);
    expect(events).toEqual([
      {
        Records: ["a", "b"].map((body) =>
          expect.objectContaining({
            body,
            messageId: expect.any(String),
            receiptHandle: expect.any(String),
            eventSource: "aws:sqs",
            attributes: expect.objectContaining({ ApproximateReceiveCount: "1", SentTimestamp: "1796040000000" }),
          }),
        ),
      },
    ]);
    expect(queue.bodies()).toEqual([]);
  });

  it("names the message group of a FIFO queue and runs one batch of a group after another", async () => {
    const { queue, events, batches, advance } = mapped(async (_event, { loop }) => loop.sleep(5_000), { fifo: true });
    sendAll(queue, "1");
    await advance(2_000);
    sendAll(queue, "2", "3");
    await advance(2_000);
    expect(batches()).toEqual([["1"]]);
    await advance(10_000);
    expect(batches()).toEqual([["1"], ["2", "3"]]);
    expect(events[0]?.Records[0]?.attributes).toMatchObject({ MessageGroupId: "g", MessageDeduplicationId: "1" });
  });

  it("keeps the messages that the handler names as failed, and delivers them again after the visibility timeout", async () => {
    const { queue, events, batches, advance } = mapped(failing("b"));
    sendAll(queue, "a", "b", "c");
    await advance(10_000);
    expect(queue.bodies()).toEqual(["b"]);
    await advance(25_000);
    expect(batches()).toEqual([["a", "b", "c"], ["b"]]);
    expect(events[1]?.Records[0]?.attributes.ApproximateReceiveCount).toBe("2");
  });

  it.each([
    ["throws", async () => Promise.reject(new Error("no"))],
    ["names an unknown message", async () => ({ batchItemFailures: [{ itemIdentifier: "x" }] })],
    ["answers in another shape", async () => ({ batchItemFailures: ["a"] })],
    ["runs out of time", async (_event: SQSEvent, { loop }: Time) => loop.sleep(25_000)],
  ])("keeps the whole batch when the handler %s", async (_title, handler) => {
    const { queue, advance } = mapped(handler);
    sendAll(queue, "a", "b");
    await advance(26_000);
    expect(queue.bodies()).toEqual(["a", "b"]);
  });

  it("lets a message that always fails end in the dead-letter queue", async () => {
    const deadLetterQueue = virtualTime().queue({ name: "dead" });
    const { queue, batches, advance } = mapped(failing("poison"), { redrive: { deadLetterQueue, maxReceiveCount: 3 } });
    sendAll(queue, "poison");
    await advance(200_000);
    expect(batches()).toHaveLength(3);
    expect(deadLetterQueue.bodies()).toEqual(["poison"]);
  });

  it("runs no more batches at once than allowed", async () => {
    let running = 0;
    let most = 0;
    const handler: Handler = async (_event, { loop }) => {
      most = Math.max(most, ++running);
      await loop.sleep(1_000);
      running -= 1;
    };
    const { queue, batches, advance } = mapped(handler, {}, { batchSize: 1, maximumConcurrency: 2 });
    sendAll(queue, "a", "b", "c", "d", "e");
    await advance(20_000);
    expect(batches()).toHaveLength(5);
    expect(most).toBe(2);
  });

  it("refuses a visibility timeout below the function's timeout", () => {
    expect(() => mapped(async () => undefined, { visibilityTimeoutSeconds: 19 })).toThrow("is less than");
  });
});
