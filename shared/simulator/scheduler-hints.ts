import type { Node } from "../api/core.ts";
import { fits, parseResources, type Resources } from "../scheduling/resources.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import { termSelects } from "./inter-pod-affinity.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import type { PodInfo, SchedulerCache } from "./scheduler-cache.ts";
import { spreadsAgainst } from "./topology-spread.ts";

/** Which events are a reason to try a refused pod again: kube-scheduler's queueing hints, those of all plugins taken together. */

/** A node that has come, or changed. */
export class NodeChange {
  readonly #before: Node | undefined;
  readonly #after: Node;
  readonly #allocatableBefore: Resources;
  readonly #allocatable: Resources;
  readonly #hasNewLabels: boolean;

  constructor(before: Node | undefined, after: Node) {
    this.#before = before;
    this.#after = after;
    this.#allocatableBefore = parseResources(before?.status?.allocatable);
    this.#allocatable = parseResources(after.status?.allocatable);
    this.#hasNewLabels = JSON.stringify(before?.metadata.labels) !== JSON.stringify(after.metadata.labels);
  }

  mayHelp(pod: PodInfo): boolean {
    const { spec } = pod.pod;
    const before = this.#before;
    if (before === undefined) return fits(pod.requests, this.#allocatable);
    if (this.#hasNewLabels && (isAboutLabels(pod) || !isAffine(pod, before)) && isAffine(pod, this.#after)) return true;
    const isUntolerated = ({ spec: node }: Node) =>
      firstUntolerated(node?.taints ?? [], spec.tolerations ?? []) !== undefined;
    if (isUntolerated(before) && !isUntolerated(this.#after)) return true;
    if (before.spec?.unschedulable === true && this.#after.spec?.unschedulable !== true) return true;
    const hasGrown = (name: string) => (this.#allocatable[name] ?? 0) > (this.#allocatableBefore[name] ?? 0);
    return Object.keys(pod.requests).some(hasGrown) && fits(pod.requests, this.#allocatable);
  }
}

/** A pod that is on a node now, or has other labels there: it may be what others are attracted to, or lift the emptiest domain. */
export function placedPodMayHelp(pod: PodInfo, placed: PodInfo, cache: SchedulerCache): boolean {
  return pod.affinity.some((term) => termSelects(term, pod, placed, cache)) || spreadsAgainst(pod, placed);
}

/** Domains of topology, and volumes that bind to a zone, are read from labels. */
function isAboutLabels({ pod: { spec }, affinity, antiAffinity }: PodInfo): boolean {
  const hasTopology = affinity.length + antiAffinity.length > 0 || spec.topologySpreadConstraints !== undefined;
  return hasTopology || spec.volumes !== undefined;
}

function isAffine({ pod }: PodInfo, { metadata }: Node): boolean {
  return matchesNodeAffinity(pod.spec, metadata.name, metadata.labels ?? {});
}
