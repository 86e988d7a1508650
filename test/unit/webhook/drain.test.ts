import { describe, expect, it } from "vitest";
import { drain } from "../../../functions/webhook/drain.ts";
import { forwarder, type SendHints } from "../../../functions/webhook/forwarder.ts";
import { EventLoop } from "../../../shared/simulator/event-loop.ts";

/** A replica with one event in its queue, in simulated time. What happened is in `steps`. */
function replica(send: SendHints, { closesByItself = true } = {}) {
  const loop = new EventLoop(0);
  const now = () => loop.now();
  const steps: string[] = [];
  const events = forwarder({ send, now });
  events.offer([{ subject: "node/a", hint: { kind: "node", name: "a", at: 0 } }]);
  let closed = () => {};
  const server = {
    close: (done: () => void) => {
      steps.push(`close at ${now()}`);
      closed = done;
      if (closesByItself) done();
      return server;
    },
    closeIdleConnections: () => steps.push("idle connections"),
    closeAllConnections: () => {
      steps.push(`all connections at ${now()}`);
      closed();
    },
  };
  const run = async () => {
    const ended = drain({
      // Only what drain uses of a server.
      server: server as unknown as Parameters<typeof drain>[0]["server"],
      events,
      now,
      sleep: (milliseconds) => loop.sleep(milliseconds),
      settleMilliseconds: 5_000,
    });
    await loop.runUntilSettled(ended, 60_000);
    return { isDone: await ended, endedAt: now() };
  };
  return { run, steps, events };
}

const accepts: SendHints = async (hints) => hints.map(() => "accepted" as const);

describe("a replica that is told to end", () => {
  it("answers for a while, then takes no connection, then sends what waits", async () => {
    const { run, steps, events } = replica(accepts);
    expect((await run()).isDone).toBe(true);
    expect(steps).toEqual(["close at 5000", "idle connections", expect.stringContaining("all connections")]);
    expect(events.counters.accepted).toBe(1);
  });

  it("cuts connections that do not end", async () => {
    const { run, steps } = replica(accepts, { closesByItself: false });
    expect((await run()).isDone).toBe(true);
    expect(steps.at(-1)).toBe("all connections at 7000");
  });

  it("tries a busy bus again until it takes the event", async () => {
    let calls = 0;
    const { run, events } = replica(async (hints) => hints.map(() => (++calls < 4 ? "retry" : "accepted")));
    expect((await run()).isDone).toBe(true);
    expect(events.counters.accepted).toBe(1);
  });

  it("gives up before its grace period is over when the bus gives no answer", async () => {
    const { run } = replica(() => new Promise(() => {}));
    const { isDone, endedAt } = await run();
    expect(isDone).toBe(false);
    expect(endedAt).toBeLessThanOrEqual(26_000);
  });
});
