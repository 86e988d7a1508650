import type { Node } from "../api/core.ts";
import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import { isManagedClaim } from "../state/managed.ts";
import { nominationHolds } from "../state/nomination-holds.ts";
import { budgetsOf, isActive, isDoNotDisruptActive, toleratesDisruption } from "../state/pod-eviction.ts";
import { type PodRecord, podName } from "../state/pod-record.ts";
import { isMirrorPod, isReschedulable } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";

/** A node that may be disrupted voluntarily, as far as the node itself goes. */
export interface Candidate {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly pool: NodePool;
  /** Pods that would have to run elsewhere. */
  readonly reschedulable: readonly PodRecord[];
  /** A pod that must not be evicted now, and why: binding for graceful methods (karpenter-core §6.2). */
  readonly podObstacle?: string;
  /** What the instance costs; 0 when the catalog does not know. */
  readonly priceUsdPerHour: number;
}

/** What was decided about one node, for `explain` and the log. */
export interface DisruptionDecision {
  readonly nodeClaim: string;
  readonly outcome: "disrupt" | "keep";
  readonly reason: string;
}

export interface Candidates {
  /** The dearest first, then by name. */
  readonly candidates: readonly Candidate[];
  readonly kept: readonly DisruptionDecision[];
}

/** Sorts the cluster's claimed nodes into those that may be disrupted and those that may not, each with its reason. */
export function disruptionCandidates(snapshot: Snapshot): Candidates {
  const nodes = clusterNodes(snapshot);
  const leavingNodes = new Set(nodes.filter(({ leaving }) => leaving).map(({ name }) => name));
  const { podsByClaim } = nominationHolds({ ...snapshot, leavingNodes });
  const awaited = new Set(
    snapshot.pods.filter((pod) => pod.nodeName === undefined).map((pod) => pod.nominatedNodeName),
  );
  const candidates: Candidate[] = [];
  const kept: DisruptionDecision[] = [];
  for (const clusterNode of nodes) {
    const name = clusterNode.nodeClaim?.metadata.name;
    if (name === undefined) continue;
    const isExpecting = (podsByClaim.get(name) ?? []).length > 0 || awaited.has(clusterNode.name);
    const candidate = candidateOf(clusterNode, snapshot, isExpecting);
    if (typeof candidate === "string") kept.push({ nodeClaim: name, outcome: "keep", reason: candidate });
    else candidates.push(candidate);
  }
  const byPrice = (a: Candidate, b: Candidate) =>
    b.priceUsdPerHour - a.priceUsdPerHour || (a.claim.metadata.name < b.claim.metadata.name ? -1 : 1);
  return { candidates: candidates.sort(byPrice), kept };
}

/** The candidate, or why there is none. */
function candidateOf(clusterNode: ClusterNode, snapshot: Snapshot, isExpecting: boolean): Candidate | string {
  const { node, nodeClaim: claim, nodePool, pods } = clusterNode;
  if (claim === undefined || node === undefined) return "its node has not registered";
  if (!isManagedClaim(claim)) return "its class is another controller's";
  if (clusterNode.leaving) return "it is leaving already";
  if (!clusterNode.initialized) return "it is not initialized";
  if (isExpecting) return "pods are on their way to it";
  for (const object of [node, claim]) {
    if (object.metadata.annotations?.[annotation.doNotDisrupt] === "true") return `${object.kind} has do-not-disrupt`;
  }
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === nodePool);
  if (pool === undefined)
    return nodePool === undefined ? "it belongs to no NodePool" : `NodePool ${nodePool} is unknown`;
  const podObstacle = pods
    .map((pod) => obstacleOf(pod, snapshot.podDisruptionBudgets, snapshot.now))
    .filter((obstacle) => obstacle !== undefined)
    .sort()[0];
  return {
    claim,
    node,
    pool,
    reschedulable: pods.filter(isReschedulable),
    priceUsdPerHour: priceOf(clusterNode.labels, snapshot.catalog),
    ...(podObstacle === undefined ? {} : { podObstacle }),
  };
}

/** Why a pod must not be evicted now. */
function obstacleOf(pod: PodRecord, budgets: readonly PodDisruptionBudget[], now: number): string | undefined {
  if (isDoNotDisruptActive(pod, now)) return `Pod ${podName(pod)} has do-not-disrupt: ${pod.doNotDisrupt}`;
  if (!isActive(pod) || isMirrorPod(pod) || toleratesDisruption(pod)) return undefined;
  const counting = budgetsOf(pod, budgets);
  if (counting.length > 1) return `Pod ${podName(pod)} is counted by ${counting.length} PodDisruptionBudgets`;
  const blocking = counting.find((budget) => isExhausted(budget, pod));
  return blocking && `PodDisruptionBudget ${podName({ ...pod, name: blocking.metadata.name })} allows no disruption`;
}

/** A budget without status has not been looked at by its controller, and the Eviction API refuses too. */
function isExhausted({ spec, status }: PodDisruptionBudget, pod: PodRecord): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow" && !pod.ready) return false;
  return (status?.disruptionsAllowed ?? 0) === 0;
}

function priceOf(labels: Readonly<Record<string, string>>, catalog: Catalog): number {
  const type = labels[label.instanceType] ?? "";
  const spot = catalog.spotPrices.get(type)?.get(labels[label.zone] ?? "");
  return (labels[label.capacityType] === "spot" ? spot : catalog.onDemandPrices.get(type)) ?? 0;
}
