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
  readonly byDomain: ReadonlyMap<string, number>;
  /** Pods in the emptiest domain; 0 when there are fewer domains than `minDomains`; infinite when there is none. */
  readonly minimum: number;
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

/** kube-scheduler's words for a node that the pod's hard constraints exclude. */
export function spreadFailure(counts: SpreadCounts, node: NodeInfo): string | undefined {
  for (const { constraint, byDomain, minimum, matchesItself } of counts) {
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined) {
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    }
    const skew = (byDomain.get(domain) ?? 0) + (matchesItself ? 1 : 0) - minimum;
    if (skew > constraint.maxSkew) return "node(s) didn't match pod topology spread constraints";
  }
  return undefined;
}

function countDomains(pod: PodInfo, constraint: TopologySpreadConstraint, nodes: readonly NodeInfo[]): SpreadCount {
  const selector = withLabelKeys(constraint.labelSelector, pod.labels, constraint.matchLabelKeys, undefined);
  const byDomain = new Map<string, number>();
  for (const node of nodes) {
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined || !isIncluded(pod, constraint, node)) continue;
    let matching = 0;
    for (const other of node.pods.values()) {
      const counts = other.namespace === pod.namespace && other.pod.metadata.deletionTimestamp === undefined;
      if (counts && matchesSelector(selector, other.labels)) matching++;
    }
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + matching);
  }
  const tooFew = byDomain.size < (constraint.minDomains ?? 1) && byDomain.size > 0;
  const minimum = tooFew ? 0 : Math.min(...byDomain.values());
  return { constraint, byDomain, minimum, matchesItself: matchesSelector(selector, pod.labels) };
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
