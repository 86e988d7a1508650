import type { TopologySpreadConstraint } from "../api/core.ts";
import type { LabelSelector } from "../api/schema.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import type { NodeInfo, PodInfo, SchedulerCache } from "./scheduler-cache.ts";

/** Pods that match, for each constraint by the value of its topology key. */
export type SpreadCounts = readonly SpreadCount[];

interface SpreadCount {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: (other: PodInfo) => boolean;
  readonly byDomain: ReadonlyMap<string, number>;
  /** Pods in the emptiest domain; 0 when there are fewer domains than `minDomains`; infinite when there is none. */
  readonly minimum: number;
  /** Whether `minimum` is what the constraint says, whatever is counted. */
  readonly isFixed: boolean;
  readonly matchesItself: boolean;
}

/** Counts for the constraints of one kind (plugin PodTopologySpread). Terminating pods do not count. */
export function spreadCounts(
  pod: PodInfo,
  cache: SchedulerCache,
  kind: TopologySpreadConstraint["whenUnsatisfiable"] = "DoNotSchedule",
): SpreadCounts {
  const constraints = (pod.pod.spec.topologySpreadConstraints ?? []).filter((each) => each.whenUnsatisfiable === kind);
  if (constraints.length === 0) return [];
  // A node takes part only if it has the topology keys of all constraints.
  const nodes = cache.nodes().filter((node) => constraints.every(({ topologyKey }) => topologyKey in node.labels));
  return constraints.map((constraint) => countDomains(pod, constraint, nodes));
}

/** kube-scheduler's words for a node that the pod's hard constraints exclude, with these pods on it in addition. */
export function spreadFailure(
  counts: SpreadCounts,
  node: NodeInfo,
  added: readonly PodInfo[] = [],
): string | undefined {
  for (const count of counts) {
    const { constraint, byDomain, matchesItself } = count;
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined) {
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    }
    const inDomain = (byDomain.get(domain) ?? 0) + added.filter(count.counts).length;
    const minimum = added.length === 0 ? count.minimum : minimumWith(count, domain, inDomain);
    if (inDomain + (matchesItself ? 1 : 0) - minimum > constraint.maxSkew) {
      return "node(s) didn't match pod topology spread constraints";
    }
  }
  return undefined;
}

/** The minimum once the domain has so many: it may have been the emptiest itself. */
function minimumWith({ byDomain, minimum, isFixed }: SpreadCount, domain: string, inDomain: number): number {
  if (isFixed || byDomain.get(domain) !== minimum) return minimum;
  let least = inDomain;
  for (const [other, pods] of byDomain) if (other !== domain) least = Math.min(least, pods);
  return least;
}

function countDomains(pod: PodInfo, constraint: TopologySpreadConstraint, nodes: readonly NodeInfo[]): SpreadCount {
  const selector = withLabelKeys(constraint.labelSelector, pod.labels, constraint.matchLabelKeys, undefined);
  const counts = (other: PodInfo) => other.namespace === pod.namespace && matchesSelector(selector, other.labels);
  const byDomain = new Map<string, number>();
  for (const node of nodes) {
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined || !isIncluded(pod, constraint, node)) continue;
    let matching = 0;
    for (const group of node.podGroups.values()) if (counts(group.pod)) matching += group.staying;
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + matching);
  }
  const tooFew = byDomain.size < (constraint.minDomains ?? 1) && byDomain.size > 0;
  const minimum = tooFew ? 0 : Math.min(...byDomain.values());
  return {
    constraint,
    counts,
    byDomain,
    minimum,
    isFixed: tooFew,
    matchesItself: matchesSelector(selector, pod.labels),
  };
}

/** Whether one of the pod's hard constraints counts another pod. */
export function spreadsAgainst(pod: PodInfo, other: PodInfo): boolean {
  return (pod.pod.spec.topologySpreadConstraints ?? []).some(({ labelSelector, matchLabelKeys, whenUnsatisfiable }) => {
    if (whenUnsatisfiable !== "DoNotSchedule" || other.namespace !== pod.namespace) return false;
    return matchesSelector(withLabelKeys(labelSelector, pod.labels, matchLabelKeys, undefined), other.labels);
  });
}

/** Node inclusion policies: `nodeAffinityPolicy` is Honor by default, `nodeTaintsPolicy` Ignore. */
function isIncluded(pod: PodInfo, constraint: TopologySpreadConstraint, node: NodeInfo): boolean {
  const { spec } = pod.pod;
  if (constraint.nodeAffinityPolicy !== "Ignore" && !matchesNodeAffinity(spec, node.name, node.labels)) return false;
  return constraint.nodeTaintsPolicy !== "Honor" || firstUntolerated(node.taints, spec.tolerations ?? []) === undefined;
}

/** The selector with `matchLabelKeys` and `mismatchLabelKeys` filled in from the pod's own labels. */
export function withLabelKeys(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
  matchLabelKeys: readonly string[] | undefined,
  mismatchLabelKeys: readonly string[] | undefined,
): LabelSelector | undefined {
  if (selector === undefined || (matchLabelKeys === undefined && mismatchLabelKeys === undefined)) return selector;
  const entries = (keys: readonly string[] | undefined, operator: "In" | "NotIn") =>
    (keys ?? []).flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  return {
    ...selector,
    matchExpressions: [
      ...(selector.matchExpressions ?? []),
      ...entries(matchLabelKeys, "In"),
      ...entries(mismatchLabelKeys, "NotIn"),
    ],
  };
}
