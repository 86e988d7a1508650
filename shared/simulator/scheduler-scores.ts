import { label } from "../api/labels.ts";
import { tolerates } from "../scheduling/taints.ts";
import { termSelects } from "./inter-pod-affinity.ts";
import { matchesNodeSelectorTerm } from "./node-affinity.ts";
import type { NodeInfo, PodInfo, SchedulerCache } from "./scheduler-cache.ts";
import { spreadCounts } from "./topology-spread.ts";

/**
 * How kube-scheduler's default profile rates the nodes that passed the filters: for each the weighted sum of its plugins' scores of 0
 * to 100. ImageLocality is left out: the simulator has no images.
 */
export function scoreNodes(pod: PodInfo, nodes: readonly NodeInfo[], cache: SchedulerCache): number[] {
  const columns = [
    weighted(
      1,
      nodes.map((node) => leastAllocated(pod, node)),
    ),
    weighted(
      1,
      nodes.map((node) => balancedAllocation(pod, node)),
    ),
    weighted(3, lessIsBetter(nodes.map((node) => intolerableTaints(pod, node)))),
    weighted(2, moreIsBetter(nodes.map((node) => preferredNodeAffinity(pod, node)))),
    weighted(2, lessIsBetter(spreadScores(pod, nodes, cache))),
    weighted(2, stretched(affinityScores(pod, nodes, cache))),
  ];
  return nodes.map((_, index) => columns.reduce((sum, column) => sum + (column[index] ?? 0), 0));
}

function weighted(weight: number, scores: readonly number[]): number[] {
  return scores.map((score) => weight * Math.floor(score));
}

/** NodeResourcesFit with LeastAllocated: the mean share of cpu and memory that would stay free. */
function leastAllocated(pod: PodInfo, node: NodeInfo): number {
  const [cpu, memory] = usedShares(pod, node);
  const free = (share: number): number => Math.floor(Math.max(0, 1 - share) * 100);
  return Math.floor((free(cpu) + free(memory)) / 2);
}

/** NodeResourcesBalancedAllocation: 100 less the standard deviation of the two shares. */
function balancedAllocation(pod: PodInfo, node: NodeInfo): number {
  const [cpu, memory] = usedShares(pod, node);
  return (1 - Math.abs(Math.min(1, cpu) - Math.min(1, memory)) / 2) * 100;
}

function usedShares(pod: PodInfo, node: NodeInfo): [cpu: number, memory: number] {
  const share = (index: 0 | 1, name: string): number => {
    const capacity = node.allocatable[name] ?? 0;
    return capacity === 0 ? 1 : (node.scoringRequested[index] + pod.scoringRequests[index]) / capacity;
  };
  return [share(0, "cpu"), share(1, "memory")];
}

function intolerableTaints(pod: PodInfo, node: NodeInfo): number {
  const tolerations = pod.pod.spec.tolerations ?? [];
  return node.taints.filter(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerations.some((each) => tolerates(each, taint)),
  ).length;
}

function preferredNodeAffinity(pod: PodInfo, node: NodeInfo): number {
  const terms = pod.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.reduce(
    (sum, { weight, preference }) => sum + (matchesNodeSelectorTerm(preference, node.name, node.labels) ? weight : 0),
    0,
  );
}

/** The constraints that the scheduler assumes for pods of a workload that state none (KEP-1258). */
const defaultSpread = [
  { topologyKey: label.hostname, maxSkew: 3 },
  { topologyKey: label.zone, maxSkew: 5 },
] as const;

/** PodTopologySpread: matching pods in the node's domains; a constraint weighs more the more domains it has. */
function spreadScores(pod: PodInfo, nodes: readonly NodeInfo[], cache: SchedulerCache): number[] {
  if ((pod.pod.spec.topologySpreadConstraints ?? []).length === 0) return defaultSpreadScores(pod, nodes, cache);
  const scores = new Array<number>(nodes.length).fill(0);
  for (const { constraint, byDomain } of spreadCounts(pod, cache, "ScheduleAnyway")) {
    addSpread(scores, nodes, constraint, byDomain);
  }
  return scores.map(Math.round);
}

function defaultSpreadScores(pod: PodInfo, nodes: readonly NodeInfo[], cache: SchedulerCache): number[] {
  const scores = new Array<number>(nodes.length).fill(0);
  const uid = pod.controllerUid;
  if (uid === undefined) return scores;
  for (const constraint of defaultSpread) {
    const byDomain = new Map<string, number>();
    for (const node of cache.nodes()) {
      const domain = node.labels[constraint.topologyKey];
      if (domain === undefined) continue;
      byDomain.set(domain, (byDomain.get(domain) ?? 0) + (node.podsOfController.get(uid) ?? 0));
    }
    addSpread(scores, nodes, constraint, byDomain);
  }
  return scores.map(Math.round);
}

function addSpread(
  scores: number[],
  nodes: readonly NodeInfo[],
  constraint: { readonly topologyKey: string; readonly maxSkew: number },
  byDomain: ReadonlyMap<string, number>,
): void {
  const weight = Math.log(byDomain.size + 2);
  nodes.forEach((node, index) => {
    const domain = node.labels[constraint.topologyKey];
    const count = domain === undefined ? 0 : (byDomain.get(domain) ?? 0);
    scores[index] = (scores[index] ?? 0) + count * weight + (constraint.maxSkew - 1);
  });
}

/**
 * InterPodAffinity: the pod's preferred terms against existing pods, and theirs against it; their required affinity weighs 1
 * (`hardPodAffinityWeight`).
 */
function affinityScores(pod: PodInfo, nodes: readonly NodeInfo[], cache: SchedulerCache): number[] {
  const byDomain = new Map<string, number>();
  const add = (owner: PodInfo, other: PodInfo, at: NodeInfo): void => {
    for (const { weight, term } of weightedTerms(owner, owner !== pod)) {
      const domain = at.labels[term.topologyKey];
      if (domain === undefined || !termSelects(term, owner, other, cache)) continue;
      const key = `${term.topologyKey}=${domain}`;
      byDomain.set(key, (byDomain.get(key) ?? 0) + weight);
    }
  };
  for (const [uid, node] of cache.preferring) {
    const other = node.pods.get(uid);
    if (other !== undefined) add(other, pod, node);
  }
  if (weightedTerms(pod, false).length > 0) {
    for (const node of cache.nodes()) for (const other of node.pods.values()) add(pod, other, node);
  }
  if (byDomain.size === 0) return nodes.map(() => 0);
  const topologyKeys = new Set([...byDomain.keys()].map((key) => key.slice(0, key.indexOf("="))));
  return nodes.map((node) => {
    let score = 0;
    for (const key of topologyKeys) score += byDomain.get(`${key}=${node.labels[key]}`) ?? 0;
    return score;
  });
}

function weightedTerms(pod: PodInfo, withRequired: boolean) {
  const { podAffinity, podAntiAffinity } = pod.pod.spec.affinity ?? {};
  const preferred = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const averted = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...preferred.map(({ weight, podAffinityTerm }) => ({ weight, term: podAffinityTerm })),
    ...averted.map(({ weight, podAffinityTerm }) => ({ weight: -weight, term: podAffinityTerm })),
    ...(withRequired ? pod.affinity.map((term) => ({ weight: 1, term })) : []),
  ];
}

function moreIsBetter(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  return scores.map((score) => (most === 0 ? 0 : (100 * score) / most));
}

function lessIsBetter(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const least = Math.min(...scores);
  return scores.map((score) => (most === 0 ? 100 : (100 * (most + least - score)) / most));
}

/** From the lowest, which may be negative, to the highest score. */
function stretched(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const least = Math.min(...scores);
  return scores.map((score) => (most === least ? 0 : (100 * (score - least)) / (most - least)));
}
