import type { ClusterEvent } from "./admission.ts";

/** An event that waits for the bus. */
export interface WaitingEvent extends ClusterEvent {
  readonly attempts: number;
}

/** What waits, by subject. When it is full it takes no further subject and will ask for a look at the whole cluster in their place. */
export class EventQueue {
  readonly #capacity: number;
  #waiting = new Map<string, WaitingEvent>();
  #hasOverflowed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#waiting.size + (this.#hasOverflowed ? 1 : 0);
  }

  /** Of two events about one subject the newer stays. False when there was no room. */
  offer(event: WaitingEvent): boolean {
    const hasRoom = this.#waiting.size < this.#capacity || this.#waiting.has(event.subject);
    if (hasRoom) this.#waiting.set(event.subject, event);
    else this.#hasOverflowed = true;
    return hasRoom;
  }

  /** Back into the queue after an attempt, unless something newer about its subject waits already. False when there was no room. */
  putBack(event: WaitingEvent): boolean {
    return this.#waiting.has(event.subject) || this.offer({ ...event, attempts: event.attempts + 1 });
  }

  /** Everything that waits, equal hints as one. The queue is empty then. */
  takeAll(now: number): WaitingEvent[] {
    const taken = distinct([...this.#waiting.values()]);
    if (this.#hasOverflowed) taken.push(...lookAtEverything(now));
    this.#waiting = new Map();
    this.#hasOverflowed = false;
    return taken;
  }
}

/** Hints that say the same become one, the newest: a thousand pending pods are one reason to look. */
function distinct(events: readonly WaitingEvent[]): WaitingEvent[] {
  const newest = new Map<string, WaitingEvent>();
  for (const event of events) {
    const key = JSON.stringify({ ...event.hint, at: 0 });
    const known = newest.get(key);
    if (known === undefined || known.hint.at < event.hint.at) newest.set(key, event);
  }
  return [...newest.values()];
}

function lookAtEverything(at: number): WaitingEvent[] {
  return [
    { subject: "cluster/pods", hint: { kind: "provision", reason: "sweep", at }, attempts: 0 },
    { subject: "cluster/nodes", hint: { kind: "lifecycle-sweep", at }, attempts: 0 },
  ];
}
