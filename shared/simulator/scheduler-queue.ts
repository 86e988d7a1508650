import type { Pod } from "../api/core.ts";
import type { EventLoop } from "./event-loop.ts";
import { type PodInfo, podInfo } from "./scheduler-cache.ts";

interface Entry {
  info: PodInfo;
  place: "active" | "backoff" | "unschedulable" | "gated";
  attempts: number;
  lastAttemptAt: number;
  /** When it came into the queue, or back into it. */
  queuedAt: number;
  /** Orders those of one instant. */
  sequence: number;
  /** When there was no node at all, no plugin has refused it, and any event is a reason to try again. */
  isForAnyEvent: boolean;
}

const initialBackoffMilliseconds = 1_000;
const maxBackoffMilliseconds = 10_000;
const flushIntervalMilliseconds = 30_000;
const maxUnschedulableMilliseconds = 300_000;

/**
 * kube-scheduler's queue of pods without a node: ready ones by priority, then the time of their last refusal; refused ones wait for an event that may help, at
 * least for their back-off (1 s, doubling to 10 s), at most five minutes.
 */
export class SchedulerQueue {
  readonly #loop: EventLoop;
  readonly #onReady: () => void;
  readonly #entries = new Map<string, Entry>();
  /** Next one last; sorted when taken from. */
  #active: Entry[] = [];
  #sorted = true;
  #flushing = false;
  #sequence = 0;

  constructor(loop: EventLoop, onReady: () => void) {
    this.#loop = loop;
    this.#onReady = onReady;
  }

  get(uid: string): PodInfo | undefined {
    return this.#entries.get(uid)?.info;
  }

  /** A new pod, or a new version of one; a change of its spec or labels is a reason to try again. */
  set(pod: Pod, isWorthATry: boolean): void {
    const info = podInfo(pod);
    const entry = this.#entries.get(info.uid);
    const isGated = (pod.spec.schedulingGates ?? []).length > 0;
    if (entry === undefined) {
      const added: Entry = {
        info,
        place: "gated",
        attempts: 0,
        lastAttemptAt: 0,
        ...this.#turn(),
        isForAnyEvent: false,
      };
      this.#entries.set(info.uid, added);
      if (!isGated) this.#activate(added);
      return;
    }
    entry.info = info;
    if (isGated) return;
    if (entry.place === "gated") this.#activate(entry);
    else if (isWorthATry && entry.place === "unschedulable") this.#retry(entry);
  }

  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    this.#entries.delete(uid);
    if (entry?.place === "active") this.#active = this.#active.filter((each) => each !== entry);
  }

  /** The next pod to try; it belongs to the caller until {@link refuse} or {@link remove}. */
  take(): PodInfo | undefined {
    if (!this.#sorted) {
      this.#active.sort((a, b) => compare(b, a));
      this.#sorted = true;
    }
    const entry = this.#active.pop();
    if (entry === undefined) return undefined;
    entry.place = "unschedulable";
    entry.attempts++;
    entry.lastAttemptAt = this.#loop.now();
    Object.assign(entry, this.#turn());
    return entry.info;
  }

  #turn(): Pick<Entry, "queuedAt" | "sequence"> {
    return { queuedAt: this.#loop.now(), sequence: this.#sequence++ };
  }

  hasReady(): boolean {
    return this.#active.length > 0;
  }

  /** The pod just taken found no node; `isForAnyEvent` if there was none. */
  refuse(uid: string, isForAnyEvent: boolean): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.isForAnyEvent = isForAnyEvent;
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#loop.schedule(flushIntervalMilliseconds, "kube-scheduler flush", () => this.#flush());
  }

  /** An event in the cluster may have made room for those that `concerns` picks. */
  retry(concerns: (info: PodInfo) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (entry.place === "unschedulable" && (entry.isForAnyEvent || concerns(entry.info))) this.#retry(entry);
    }
  }

  #retry(entry: Entry): void {
    const backoff = Math.min(maxBackoffMilliseconds, initialBackoffMilliseconds * 2 ** (entry.attempts - 1));
    const wait = entry.lastAttemptAt + backoff - this.#loop.now();
    if (wait <= 0) {
      this.#activate(entry);
      return;
    }
    entry.place = "backoff";
    this.#loop.schedule(wait, "kube-scheduler back-off", () => {
      if (this.#entries.get(entry.info.uid) === entry && entry.place === "backoff") this.#activate(entry);
    });
  }

  #activate(entry: Entry): void {
    entry.place = "active";
    this.#active.push(entry);
    this.#sorted = false;
    this.#onReady();
  }

  #flush(): void {
    this.#flushing = false;
    const latest = this.#loop.now() - maxUnschedulableMilliseconds;
    let waiting = false;
    for (const entry of this.#entries.values()) {
      if (entry.place !== "unschedulable") continue;
      if (entry.lastAttemptAt <= latest) this.#activate(entry);
      else waiting = true;
    }
    if (waiting) this.#scheduleFlush();
  }
}

/** Negative: `a` goes first. */
function compare(a: Entry, b: Entry): number {
  return b.info.priority - a.info.priority || a.queuedAt - b.queuedAt || a.sequence - b.sequence;
}
