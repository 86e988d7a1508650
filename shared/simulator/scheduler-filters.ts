import { hostPortConflict } from "../scheduling/host-ports.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import { type AffinityCounts, affinityCounts, affinityFailure, nominatedFailure } from "./inter-pod-affinity.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import type { NodeInfo, PodInfo, SchedulerCache } from "./scheduler-cache.ts";
import { type SpreadCounts, spreadCounts, spreadFailure } from "./topology-spread.ts";
import { noVolumes, type VolumeState } from "./volumes.ts";

/** What kube-scheduler counts over the whole cluster, once per attempt, before it looks at single nodes (PreFilter). */
export interface PreFilterState {
  readonly cache: SchedulerCache;
  readonly volumes: VolumeState;
  readonly spread: SpreadCounts;
  readonly affinity: AffinityCounts;
}

export function preFilter(pod: PodInfo, cache: SchedulerCache, volumes: VolumeState = noVolumes): PreFilterState {
  return { cache, volumes, spread: spreadCounts(pod, cache), affinity: affinityCounts(pod, cache) };
}

/**
 * Why kube-scheduler's default plugins keep a pod off a node, in its own words; nothing means that the pod fits. The first plugin to
 * refuse ends the list, as there. Where pods of no lower priority are nominated to the node, the pod must fit both with and without
 * them (RunFilterPluginsWithNominatedPods).
 */
export function filterNode(pod: PodInfo, node: NodeInfo, state: PreFilterState): readonly string[] {
  const { spec } = pod.pod;
  if (node.node?.spec?.unschedulable === true && !toleratesUnschedulable(pod)) return ["node(s) were unschedulable"];
  const taint = firstUntolerated(node.taints, spec.tolerations ?? []);
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!matchesNodeAffinity(spec, node.name, node.labels)) {
    return ["node(s) didn't match Pod's node affinity/selector"];
  }
  const rivals = rivalsOf(pod, node);
  if (pod.hostPorts.length > 0) {
    const used = [...node.pods.values(), ...rivals].flatMap((each) => each.hostPorts);
    if (hostPortConflict(used, pod.hostPorts) !== undefined) {
      return ["node(s) didn't have free ports for the requested pod ports"];
    }
  }
  const shortages = resourceShortages(pod, node, rivals);
  if (shortages.length > 0) return shortages;
  const failure =
    state.volumes.failure(node, [...node.pods.values(), ...rivals]) ??
    spreadFailure(state.spread, node) ??
    (rivals.length === 0 ? undefined : spreadFailure(state.spread, node, rivals)) ??
    affinityFailure(state.affinity, node) ??
    nominatedFailure(pod, node, rivals, state.cache);
  return failure === undefined ? [] : [failure];
}

function toleratesUnschedulable(pod: PodInfo): boolean {
  const taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" } as const;
  return firstUntolerated([taint], pod.pod.spec.tolerations ?? []) === undefined;
}

/** Pods nominated to the node that go first: of the same or a higher priority. */
function rivalsOf(pod: PodInfo, node: NodeInfo): readonly PodInfo[] {
  if (node.nominated.size === 0) return [];
  return [...node.nominated.values()].filter((other) => other.uid !== pod.uid && other.priority >= pod.priority);
}

/** Plugin NodeResourcesFit: every resource that is short. */
function resourceShortages(pod: PodInfo, node: NodeInfo, rivals: readonly PodInfo[]): string[] {
  const shortages: string[] = [];
  for (const name in pod.requests) {
    const wanted = pod.requests[name] ?? 0;
    if (wanted === 0) continue;
    let used = node.requested[name] ?? 0;
    for (const rival of rivals) used += rival.requests[name] ?? 0;
    if (used + wanted > (node.allocatable[name] ?? 0)) {
      shortages.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
    }
  }
  return shortages;
}
