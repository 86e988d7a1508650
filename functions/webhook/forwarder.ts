import type { BusHint } from "../../shared/hints.ts";
import type { ClusterEvent } from "./admission.ts";
import { batches } from "./batches.ts";
import { EventQueue, type WaitingEvent } from "./event-queue.ts";

/** Puts at most ten hints on the bus and says for each what became of it. Never throws. */
export type SendHints = (hints: readonly BusHint[]) => Promise<readonly ("accepted" | "retry" | "rejected")[]>;

export interface ForwarderOptions {
  readonly send: SendHints;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Subjects that may wait at one time. */
  readonly capacity?: number;
}

export interface Forwarder {
  /** Takes events in; cheap and synchronous, because kube-scheduler waits for the webhook's answer. */
  offer(events: readonly ClusterEvent[]): void;
  /** Sends what waits. To be called at short intervals; does nothing while a flush is running or the bus is given time to recover. */
  flush(): Promise<void>;
  /** Events that wait, those of a flush that is running included. */
  readonly length: number;
  readonly counters: Readonly<ForwarderCounters>;
}

export interface ForwarderCounters {
  offered: number;
  accepted: number;
  rejected: number;
  /** Lost to a full queue or too many attempts. The minute sweep finds what they were about. */
  dropped: number;
}

/** The most that PutEvents takes in one call (serverless-aws §4). */
const callLimits = { entries: 10, bytes: 256 * 1024 };
/** Of an entry beside its detail: the time, the source, the type of the detail and the name of the bus. */
const entryOverheadBytes = 512;
const attemptLimit = 6;
const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 5_000;

/**
 * Coalesces events by subject and sends them in batches. A queue that is full drops events and sends one "look at the whole cluster"
 * in their place; entries that the bus was too busy for are sent again, the others are not.
 */
export function forwarder({ send, now, capacity = 10_000 }: ForwarderOptions): Forwarder {
  const counters: ForwarderCounters = { offered: 0, accepted: 0, rejected: 0, dropped: 0 };
  const queue = new EventQueue(capacity);
  let inFlight = 0;
  let sending = false;
  let failures = 0;
  let pauseUntilAt = 0;

  /** Whether the bus was too busy for one of them. */
  async function sendBatch(batch: readonly WaitingEvent[]): Promise<boolean> {
    const outcomes = await send(batch.map(({ hint }) => hint));
    let isBusy = false;
    for (const [index, event] of batch.entries()) {
      const outcome = outcomes[index] ?? "retry";
      if (outcome !== "retry") counters[outcome] += 1;
      else if (event.attempts + 1 >= attemptLimit || !queue.putBack(event)) counters.dropped += 1;
      isBusy ||= outcome === "retry";
    }
    inFlight -= batch.length;
    return isBusy;
  }

  return {
    counters,
    get length() {
      return queue.length + inFlight;
    },
    offer(events) {
      counters.offered += events.length;
      for (const event of events) if (!queue.offer({ ...event, attempts: 0 })) counters.dropped += 1;
    },
    async flush() {
      if (sending || now() < pauseUntilAt || queue.length === 0) return;
      sending = true;
      const taken = queue.takeAll(now());
      inFlight = taken.length;
      try {
        let isBusy = false;
        for (const batch of batches(taken, entryBytes, callLimits)) isBusy = (await sendBatch(batch)) || isBusy;
        failures = isBusy ? failures + 1 : 0;
        if (isBusy) pauseUntilAt = now() + Math.min(longestPauseMilliseconds, firstPauseMilliseconds * 2 ** failures);
      } finally {
        inFlight = 0;
        sending = false;
      }
    },
  };
}

function entryBytes({ hint }: WaitingEvent): number {
  return entryOverheadBytes + Buffer.byteLength(JSON.stringify(hint));
}
