import type { Server } from "node:https";
import type { Forwarder } from "./forwarder.ts";

export interface DrainOptions {
  readonly server: Pick<Server, "close" | "closeIdleConnections" | "closeAllConnections">;
  readonly events: Pick<Forwarder, "flush" | "length">;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** How long requests are still answered: API servers hear of the replica's end a little later than it does. */
  readonly settleMilliseconds: number;
}

/** For everything, the settling included: shorter than the grace period of a pod. */
const longestMilliseconds = 25_000;
const answerMilliseconds = 2_000;
const flushMilliseconds = 100;

/**
 * The end of a replica that is no longer ready: answers on until nobody asks any more, then takes no connection, finishes the requests it has, and
 * sends what waits for the bus. True when nothing was left behind; what was, the minute's sweep finds.
 */
export async function drain({ server, events, now, sleep, settleMilliseconds }: DrainOptions): Promise<boolean> {
  const deadlineAt = now() + longestMilliseconds;
  await sleep(settleMilliseconds);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.race([closed, sleep(answerMilliseconds)]);
  server.closeAllConnections();
  while (events.length > 0 && now() < deadlineAt) {
    await Promise.race([events.flush(), sleep(deadlineAt - now())]);
    if (events.length > 0) await sleep(flushMilliseconds);
  }
  return events.length === 0;
}
