import { describe, expect, it } from "vitest";
import type { ClusterEvent } from "../../../functions/webhook/admission.ts";
import { forwarder, type SendHints } from "../../../functions/webhook/forwarder.ts";
import type { BusHint } from "../../../shared/hints.ts";

/** A bus that answers as told, once per call, and then accepts everything. */
function scriptedBus(...answers: readonly ("accepted" | "retry" | "rejected")[][]) {
  const calls: (readonly BusHint[])[] = [];
  const send: SendHints = async (hints) => {
    calls.push(hints);
    return answers[calls.length - 1] ?? hints.map(() => "accepted" as const);
  };
  return { calls, send };
}

function pod(uid: string, at = 1): ClusterEvent {
  return { subject: `pod/${uid}`, hint: { kind: "provision", reason: "pods-pending", at } };
}

function node(name: string, at = 1): ClusterEvent {
  return { subject: `node/${name}`, hint: { kind: "node", name, at } };
}

describe("the forwarder", () => {
  it("sends one hint for a thousand pending pods, with the newest time", async () => {
    const { calls, send } = scriptedBus();
    const events = forwarder({ send, now: () => 0 });
    events.offer(Array.from({ length: 1000 }, (_, n) => pod(`uid-${n}`, n)));
    await events.flush();
    expect(calls).toEqual([[{ kind: "provision", reason: "pods-pending", at: 999 }]]);
  });

  it("keeps the newest of two events about one subject", async () => {
    const { calls, send } = scriptedBus();
    const events = forwarder({ send, now: () => 0 });
    events.offer([node("a", 1), node("a", 2)]);
    await events.flush();
    expect(calls).toEqual([[{ kind: "node", name: "a", at: 2 }]]);
  });

  it("sends at most ten entries in one call", async () => {
    const { calls, send } = scriptedBus();
    const events = forwarder({ send, now: () => 0 });
    events.offer(Array.from({ length: 25 }, (_, n) => node(`n-${n}`)));
    await events.flush();
    expect(calls.map((hints) => hints.length)).toEqual([10, 10, 5]);
  });

  it("sends nothing when nothing waits", async () => {
    const { calls, send } = scriptedBus();
    await forwarder({ send, now: () => 0 }).flush();
    expect(calls).toEqual([]);
  });

  it("repeats only the entries that the bus was too busy for, after a pause", async () => {
    const { calls, send } = scriptedBus(["accepted", "retry", "rejected"]);
    let now = 0;
    const events = forwarder({ send, now: () => now });
    events.offer([node("a"), node("b"), node("c")]);
    await events.flush();
    await events.flush();
    expect(calls).toHaveLength(1);
    now = 10_000;
    await events.flush();
    expect(calls[1]).toEqual([{ kind: "node", name: "b", at: 1 }]);
    expect(events.counters).toEqual({ offered: 3, accepted: 2, rejected: 1, dropped: 0 });
  });

  it("gives an entry up after six attempts", async () => {
    const { calls, send } = scriptedBus(...Array.from({ length: 10 }, () => ["retry" as const]));
    let now = 0;
    const events = forwarder({ send, now: () => now });
    events.offer([node("a")]);
    for (let round = 0; round < 10; round += 1) {
      await events.flush();
      now += 10_000;
    }
    expect(calls).toHaveLength(6);
    expect(events.counters.dropped).toBe(1);
  });

  it("asks for a look at the whole cluster when it had to drop events", async () => {
    const { calls, send } = scriptedBus();
    const events = forwarder({ send, now: () => 7, capacity: 2 });
    events.offer([node("a"), node("b"), node("c"), node("d")]);
    await events.flush();
    expect(events.counters.dropped).toBe(2);
    expect(calls.flat().map(({ kind }) => kind)).toEqual(["node", "node", "provision", "lifecycle-sweep"]);
  });

  it("counts what waits until the bus has taken it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const events = forwarder({
      now: () => 0,
      async send(hints) {
        await promise;
        return hints.map(() => "accepted");
      },
    });
    events.offer([node("a"), node("b")]);
    const flushed = events.flush();
    expect(events.length).toBe(2);
    resolve();
    await flushed;
    expect(events.length).toBe(0);
  });

  it("lets a newer event about a subject stand before one that comes back", async () => {
    const { calls, send } = scriptedBus(["retry"]);
    let now = 0;
    const events = forwarder({
      now: () => now,
      async send(hints) {
        if (calls.length === 0) events.offer([node("a", 2)]);
        return await send(hints);
      },
    });
    events.offer([node("a", 1)]);
    await events.flush();
    now = 10_000;
    await events.flush();
    expect(calls.flat()).toEqual([
      { kind: "node", name: "a", at: 1 },
      { kind: "node", name: "a", at: 2 },
    ]);
  });

  it("runs one flush at a time", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    const events = forwarder({
      now: () => 0,
      async send(hints) {
        calls += 1;
        await promise;
        return hints.map(() => "accepted");
      },
    });
    events.offer([node("a")]);
    const first = events.flush();
    events.offer([node("b")]);
    await events.flush();
    expect(calls).toBe(1);
    resolve();
    await first;
    await events.flush();
    expect(calls).toBe(2);
  });
});
