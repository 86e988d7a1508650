import { describe, expect, it } from "vitest";
import type { Queue } from "../../../shared/simulator/queue.ts";
import { virtualTime } from "../../support/simulated-aws.ts";

const bodies = (queue: Queue, max = 10) => queue.receive(max).map(({ body }) => body);

describe("a standard queue", () => {
  it("hides a received message until its visibility timeout ends, then delivers it again", async () => {
    const { queue, advance } = virtualTime();
    const standard = queue({ visibilityTimeoutSeconds: 30 });
    standard.send({ body: "a" });
    expect(bodies(standard)).toEqual(["a"]);
    await advance(29_999);
    expect(bodies(standard)).toEqual([]);
    await advance(1);
    expect(standard.receive(10)).toMatchObject([{ body: "a", receiveCount: 2 }]);
  });

  it("forgets a deleted message, but not by the receipt handle of an earlier receive", async () => {
    const { queue, advance } = virtualTime();
    const standard = queue();
    standard.send({ body: "a" });
    const [first] = standard.receive(1);
    await advance(30_000);
    const [second] = standard.receive(1);
    expect(standard.delete(first?.receiptHandle ?? "")).toBe(false);
    expect(standard.delete(second?.receiptHandle ?? "")).toBe(true);
    expect(standard.bodies()).toEqual([]);
  });

  it("holds a message back for its delay", async () => {
    const { queue, advance } = virtualTime();
    const standard = queue();
    standard.send({ body: "later", delaySeconds: 900 });
    await advance(899_999);
    expect(bodies(standard)).toEqual([]);
    await advance(1);
    expect(bodies(standard)).toEqual(["later"]);
    expect(() => standard.send({ body: "too late", delaySeconds: 901 })).toThrow("0 to 900");
  });

  it("moves a message to the dead-letter queue at the receive after the last allowed one", async () => {
    const { queue, advance } = virtualTime();
    const deadLetterQueue = queue({ name: "dead" });
    const standard = queue({ redrive: { deadLetterQueue, maxReceiveCount: 2 } });
    standard.send({ body: "poison" });
    for (const expected of [["poison"], ["poison"], []]) {
      expect(bodies(standard)).toEqual(expected);
      await advance(30_000);
    }
    expect(bodies(deadLetterQueue)).toEqual(["poison"]);
    expect(standard.bodies()).toEqual([]);
  });

  it("makes a message visible at once when its visibility is set to 0", () => {
    const { queue } = virtualTime();
    const standard = queue();
    standard.send({ body: "a" });
    standard.changeVisibility(standard.receive(1)[0]?.receiptHandle ?? "", 0);
    expect(bodies(standard)).toEqual(["a"]);
  });

  it("drops what is older than its retention", async () => {
    const { queue, advance } = virtualTime();
    const standard = queue({ retentionSeconds: 300 });
    standard.send({ body: "old" });
    await advance(300_000);
    expect(bodies(standard)).toEqual([]);
  });

  it("delivers doubles and disorder when told to", async () => {
    const { queue, advance } = virtualTime();
    const standard = queue();
    standard.faults = { duplicateChance: 1, reorderChance: 1 };
    for (const body of ["a", "b", "c", "d"]) standard.send({ body });
    await advance(5_000);
    const received = bodies(standard);
    expect(received.toSorted()).toEqual(["a", "a", "b", "b", "c", "c", "d", "d"]);
    expect(received).not.toEqual(standard.bodies());
  });
});

describe("a FIFO queue", () => {
  const fifo = { fifo: true, visibilityTimeoutSeconds: 70 } as const;
  const message = (body: string, group = "g", id = body) => ({
    body,
    messageGroupId: group,
    messageDeduplicationId: id,
  });

  it("has one batch of a group in flight, in order, and leaves other groups alone", () => {
    const { queue } = virtualTime();
    const ordered = queue(fifo);
    for (const body of ["a1", "a2", "a3"]) ordered.send(message(body, "a"));
    const batch = ordered.receive(2);
    ordered.send(message("b1", "b"));
    expect(batch.map(({ body }) => body)).toEqual(["a1", "a2"]);
    expect(bodies(ordered)).toEqual(["b1"]);
    ordered.delete(batch[0]?.receiptHandle ?? "");
    expect(bodies(ordered)).toEqual([]);
    ordered.delete(batch[1]?.receiptHandle ?? "");
    expect(bodies(ordered)).toEqual(["a3"]);
  });

  it("delivers a batch that nobody deleted again before anything later of its group", async () => {
    const { queue, advance } = virtualTime();
    const ordered = queue(fifo);
    ordered.send(message("1"));
    const [stale] = ordered.receive(1);
    ordered.send(message("2"));
    await advance(70_000);
    expect(ordered.delete(stale?.receiptHandle ?? "")).toBe(false);
    expect(bodies(ordered)).toEqual(["1", "2"]);
  });

  it("swallows a deduplication id for five minutes, even after the first message was deleted", async () => {
    const { queue, advance } = virtualTime();
    const ordered = queue(fifo);
    const first = ordered.send(message("1", "g", "id"));
    ordered.delete(ordered.receive(1)[0]?.receiptHandle ?? "");
    await advance(299_999);
    expect(ordered.send(message("again", "g", "id"))).toBe(first);
    expect(ordered.bodies()).toEqual([]);
    await advance(1);
    ordered.send(message("new", "g", "id"));
    expect(ordered.bodies()).toEqual(["new"]);
  });

  it("takes equal bodies for the same message when it deduplicates by content", () => {
    const { queue } = virtualTime();
    const ordered = queue({ ...fifo, contentBasedDeduplication: true });
    ordered.send({ body: "tick", messageGroupId: "g" });
    ordered.send({ body: "tick", messageGroupId: "g" });
    ordered.send(message("tick", "g", "an id of its own"));
    expect(ordered.bodies()).toEqual(["tick", "tick"]);
  });

  it("goes on with the group after a poisoned message has gone to the dead-letter queue", async () => {
    const { queue, advance } = virtualTime();
    const deadLetterQueue = queue({ name: "dead", fifo: true });
    const ordered = queue({ ...fifo, redrive: { deadLetterQueue, maxReceiveCount: 1 } });
    ordered.send(message("poison"));
    ordered.receive(1);
    ordered.send(message("good"));
    await advance(70_000);
    expect(bodies(ordered)).toEqual(["good"]);
    expect(deadLetterQueue.bodies()).toEqual(["poison"]);
  });

  it("refuses what SQS refuses", () => {
    const { queue } = virtualTime();
    const ordered = queue(fifo);
    expect(() => ordered.send({ ...message("a"), delaySeconds: 5 })).toThrow("takes no DelaySeconds");
    expect(() => ordered.send({ body: "a", messageDeduplicationId: "a" })).toThrow("needs a MessageGroupId");
    expect(() => ordered.send({ body: "a", messageGroupId: "g" })).toThrow("no MessageDeduplicationId");
    expect(() => queue({ redrive: { deadLetterQueue: ordered, maxReceiveCount: 1 } })).toThrow("same type");
  });
});
