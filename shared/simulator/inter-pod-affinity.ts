import type { PodAffinityTerm } from "../api/core.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import type { NodeInfo, PodInfo, SchedulerCache } from "./scheduler-cache.ts";
import { withLabelKeys } from "./topology-spread.ts";

/** Existing pods that matter to one pod, counted by topology key and value (plugin InterPodAffinity). Terminating pods count. */
export interface AffinityCounts {
  readonly pod: PodInfo;
  /** Pods that match all of the pod's affinity terms. */
  readonly attracting: TopologyCounts;
  /** Pods that match one of its anti-affinity terms. */
  readonly repelled: TopologyCounts;
  /** Pods whose own anti-affinity terms match it. */
  readonly repelling: TopologyCounts;
  /** Nobody matches the affinity terms yet but the pod itself: the first of a group may go anywhere. */
  readonly isFirst: boolean;
}

type TopologyCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function affinityCounts(pod: PodInfo, cache: SchedulerCache): AffinityCounts {
  const attracting = new Counter();
  const repelled = new Counter();
  const repelling = new Counter();
  for (const [uid, node] of cache.repelling) {
    const other = node.pods.get(uid);
    for (const term of other?.antiAffinity ?? []) {
      if (other !== undefined && termSelects(term, other, pod, cache)) repelling.add(term.topologyKey, node);
    }
  }
  if (pod.affinity.length + pod.antiAffinity.length > 0) {
    for (const node of cache.nodes()) {
      for (const { pod: other, count } of node.podGroups.values()) {
        if (pod.affinity.length > 0 && pod.affinity.every((term) => termSelects(term, pod, other, cache))) {
          for (const term of pod.affinity) attracting.add(term.topologyKey, node, count);
        }
        for (const term of pod.antiAffinity) {
          if (termSelects(term, pod, other, cache)) repelled.add(term.topologyKey, node, count);
        }
      }
    }
  }
  const isFirst = attracting.counts.size === 0 && pod.affinity.every((term) => termSelects(term, pod, pod, cache));
  return {
    pod,
    attracting: attracting.counts,
    repelled: repelled.counts,
    repelling: repelling.counts,
    isFirst,
  };
}

/** kube-scheduler's words for a node that (anti-)affinity excludes. */
export function affinityFailure(counts: AffinityCounts, node: NodeInfo): string | undefined {
  const { pod, attracting, repelled, repelling, isFirst } = counts;
  const attracted = pod.affinity.every(
    ({ topologyKey }) => topologyKey in node.labels && (isFirst || countAt(attracting, topologyKey, node) > 0),
  );
  if (!attracted) return "node(s) didn't match pod affinity rules";
  if (pod.antiAffinity.some(({ topologyKey }) => countAt(repelled, topologyKey, node) > 0)) {
    return "node(s) didn't match pod anti-affinity rules";
  }
  for (const topologyKey of repelling.keys()) {
    if (countAt(repelling, topologyKey, node) > 0) return "node(s) didn't satisfy existing pods anti-affinity rules";
  }
  return undefined;
}

/** The same for pods that are still to come to the node. Nobody's affinity is met by them. */
export function nominatedFailure(
  pod: PodInfo,
  node: NodeInfo,
  nominated: readonly PodInfo[],
  cache: SchedulerCache,
): string | undefined {
  for (const other of nominated) {
    const repels = (owner: PodInfo, met: PodInfo) =>
      owner.antiAffinity.some((term) => term.topologyKey in node.labels && termSelects(term, owner, met, cache));
    if (repels(pod, other)) return "node(s) didn't match pod anti-affinity rules";
    if (repels(other, pod)) return "node(s) didn't satisfy existing pods anti-affinity rules";
  }
  return undefined;
}

/** Whether a term of `owner` selects `other`: namespace and labels. Without namespaces and selector it means the owner's own. */
export function termSelects(term: PodAffinityTerm, owner: PodInfo, other: PodInfo, cache: SchedulerCache): boolean {
  const { namespaces = [], namespaceSelector } = term;
  const isNamed =
    namespaces.length === 0 && namespaceSelector === undefined
      ? other.namespace === owner.namespace
      : namespaces.includes(other.namespace);
  const selected =
    isNamed ||
    (namespaceSelector !== undefined &&
      matchesSelector(namespaceSelector, cache.namespaceLabels.get(other.namespace) ?? {}));
  if (!selected) return false;
  const selector = withLabelKeys(term.labelSelector, owner.labels, term.matchLabelKeys, term.mismatchLabelKeys);
  return matchesSelector(selector, other.labels);
}

function countAt(counts: TopologyCounts, topologyKey: string, node: NodeInfo): number {
  const domain = node.labels[topologyKey];
  return domain === undefined ? 0 : (counts.get(topologyKey)?.get(domain) ?? 0);
}

class Counter {
  readonly counts = new Map<string, Map<string, number>>();

  add(topologyKey: string, node: NodeInfo, count = 1): void {
    const domain = node.labels[topologyKey];
    if (domain === undefined) return;
    const domains = this.counts.get(topologyKey) ?? new Map<string, number>();
    this.counts.set(topologyKey, domains);
    domains.set(domain, (domains.get(domain) ?? 0) + count);
  }
}
