import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { isTrue } from "../state/conditions.ts";
import type { SimulatedWorld } from "./simulated-world.ts";
import type { TimelineEntry } from "./simulation-result.ts";

/** Equal entries of one kind within this time are told as one. */
const mergeMilliseconds = 15_000;

/** What happened, as a person would tell it: entries that repeat are counted, not repeated. */
export class Timeline {
  readonly #entries: { at: number; kind: string; text: string; count: number }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(kind: string, text: string): void {
    const at = this.#now();
    const same = this.#entries.findLast((entry) => entry.kind === kind && entry.text === text);
    if (same !== undefined && at - same.at <= mergeMilliseconds) same.count++;
    else this.#entries.push({ at, kind, text, count: 1 });
  }

  entries(): readonly TimelineEntry[] {
    return this.#entries.map(({ at, kind, text, count }) => ({
      at,
      kind,
      text: count === 1 ? text : `${count} x ${text}`,
    }));
  }
}

/** Notes launches, nodes that become ready, and departures, from what the API server shows. */
export function recordNodes(world: SimulatedWorld, timeline: Timeline): void {
  world.cluster.server.watch("NodeClaim", ({ type, object, previous }) => {
    const became = (condition: string) =>
      type === "MODIFIED" && isTrue(object, condition) && !(previous !== undefined && isTrue(previous, condition));
    if (became("Launched")) timeline.add("launched", describe(object));
    if (became("Initialized")) timeline.add("ready", describe(object));
    const isLeaving = object.metadata.deletionTimestamp !== undefined;
    const wasLeaving = previous?.metadata.deletionTimestamp !== undefined;
    if (type === "MODIFIED" && isLeaving && !wasLeaving) timeline.add("leaving", describe(object));
    if (type === "DELETED") timeline.add("gone", describe(object));
  });
}

function describe({ metadata: { name, labels = {} } }: NodeClaim): string {
  const type = labels[label.instanceType];
  if (type === undefined) return `NodeClaim ${name}, never launched`;
  return `${type} ${labels[label.capacityType] ?? ""} in ${labels[label.zone] ?? ""} (${labels[label.nodePool] ?? ""})`;
}
