import type { BusHint } from "../../shared/hints.ts";
import type { ClusterEvent } from "./admission.ts";

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
  readonly counters: Readonly<ForwarderCounters>;
}

export interface ForwarderCounters {
  offered: number;
  accepted: number;
  rejected: number;
  /** Lost to a full queue or too many attempts. The minute sweep finds what they were about. */
  dropped: number;
}

/** The most that PutEvents takes in one call. A hint is well below 1 KiB, so the call's size limit cannot be reached. */
const entriesPerCall = 10;
const attemptLimit = 6;
const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 5_000;

/**
 * Coalesces events by subject and sends them in batches. A queue that is full drops events and sends one "look at the whole cluster"
 * in their place; entries that the bus was too busy for are sent again, the others are not.
 */
export function forwarder({ send, now, capacity = 10_000 }: ForwarderOptions): Forwarder {
  const counters: ForwarderCounters = { offered: 0, accepted: 0, rejected: 0, dropped: 0 };
  let waiting = new Map<string, Waiting>();
  let overflowed = false;
  let sending = false;
  let failures = 0;
  let pauseUntilAt = 0;

  function enqueue(subject: string, entry: Waiting): void {
    if (waiting.size >= capacity && !waiting.has(subject)) {
      counters.dropped += 1;
      overflowed = true;
    } else {
      waiting.set(subject, entry);
    }
  }

  function takeAll(): Waiting[] {
    const taken = distinct([...waiting.values()]);
    waiting = new Map();
    if (overflowed) taken.push(...lookAtEverything(now()));
    overflowed = false;
    return taken;
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<boolean> {
    const outcomes = await send(batch.map(({ hint }) => hint));
    let isBusy = false;
    for (const [index, entry] of batch.entries()) {
      const outcome = outcomes[index] ?? "retry";
      if (outcome !== "retry") counters[outcome] += 1;
      else if (entry.attempts + 1 >= attemptLimit) counters.dropped += 1;
      else if (!waiting.has(entry.subject)) enqueue(entry.subject, { ...entry, attempts: entry.attempts + 1 });
      isBusy ||= outcome === "retry";
    }
    return isBusy;
  }

  return {
    counters,
    offer(events) {
      counters.offered += events.length;
      for (const { subject, hint } of events) enqueue(subject, { subject, hint, attempts: 0 });
    },
    async flush() {
      if (sending || now() < pauseUntilAt || (waiting.size === 0 && !overflowed)) return;
      sending = true;
      try {
        let isBusy = false;
        for (const batch of chunks(takeAll(), entriesPerCall)) isBusy = (await sendBatch(batch)) || isBusy;
        failures = isBusy ? failures + 1 : 0;
        if (isBusy) pauseUntilAt = now() + Math.min(longestPauseMilliseconds, firstPauseMilliseconds * 2 ** failures);
      } finally {
        sending = false;
      }
    },
  };
}

interface Waiting extends ClusterEvent {
  readonly attempts: number;
}

/** Hints that say the same become one, the newest: a thousand pending pods are one reason to look. */
function distinct(entries: readonly Waiting[]): Waiting[] {
  const newest = new Map<string, Waiting>();
  for (const entry of entries) {
    const key = JSON.stringify({ ...entry.hint, at: 0 });
    const known = newest.get(key);
    if (known === undefined || known.hint.at < entry.hint.at) newest.set(key, entry);
  }
  return [...newest.values()];
}

function lookAtEverything(at: number): Waiting[] {
  return [
    { subject: "cluster/pods", hint: { kind: "provision", reason: "sweep", at }, attempts: 0 },
    { subject: "cluster/nodes", hint: { kind: "lifecycle-sweep", at }, attempts: 0 },
  ];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
