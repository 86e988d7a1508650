import { fits, type Resources } from "../scheduling/resources.ts";
import { isLeaving } from "../state/cluster-nodes.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";

/** The resources of which a share stays free. Devices and places for pods are whole: a share of them would be one too many. */
const slackResources = ["cpu", "memory"] as const;

/**
 * The room of new nodes that a plan leaves free (setting `packingSlackPercent`), for want of nominations: kube-scheduler then puts pods
 * where it likes, and of a plan without any room to spare some would find none. A kind of node that one of the pods needs in whole has
 * no slack.
 */
export class PackingSlack {
  readonly #percent: number;
  /** Equal for slacks that leave the same. */
  readonly key: string;
  readonly #requests: readonly Resources[];

  constructor(snapshot: Pick<Snapshot, "settings" | "pods" | "nodes">) {
    this.#percent = slackPercentOf(snapshot.settings);
    const requests = this.#percent === 0 ? [] : podsToPlace(snapshot).map(({ constraints }) => constraints.requests);
    const distinct = new Map(requests.map((one) => [JSON.stringify(one), one]));
    this.key = [this.#percent, ...[...distinct.keys()].sort()].join(" ");
    this.#requests = [...distinct.values()];
  }

  /** What plans may fill of a node that has so much room. */
  fillable(free: Resources): Resources {
    if (this.#percent === 0) return free;
    const kept = Object.fromEntries(
      slackResources.map((name) => [name, Math.floor((free[name] ?? 0) * (1 - this.#percent / 100))]),
    );
    const fillable = { ...free, ...kept };
    const needsAll = this.#requests.some((requests) => fits(requests, free) && !fits(requests, fillable));
    return needsAll ? free : fillable;
  }
}

export function slackPercentOf({ nominatePods, packingSlackPercent }: Settings): number {
  return nominatePods ? 0 : packingSlackPercent;
}

/** Pods without a node, and those whose node is leaving. */
function podsToPlace({ pods, nodes }: Pick<Snapshot, "pods" | "nodes">) {
  const leaving = new Set(nodes.filter((node) => isLeaving(node, undefined)).map(({ metadata }) => metadata.name));
  return pods.filter((pod) => pod.nodeName === undefined || leaving.has(pod.nodeName));
}
