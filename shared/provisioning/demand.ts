import type { ClusterNode } from "../state/cluster-nodes.ts";
import { type NominationHolds, nominationHolds } from "../state/nomination-holds.ts";
import { isDoNotDisruptActive, isFullyBlocked } from "../state/pod-eviction.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { isProvisionable, isReschedulable, refusesNodePools } from "../state/pod-roles.ts";
import { replacementOf } from "../state/replacement.ts";
import type { Snapshot } from "../state/snapshot.ts";

/** The pods a pass must find room for, and the places that live claims keep for others. */
export interface Demand {
  readonly pods: readonly PodRecord[];
  readonly holds: NominationHolds;
}

/**
 * Pending pods that kube-scheduler has given up on and pods of leaving nodes that will come back, less those a live claim already
 * has a place for (design §4.1, step 2).
 */
export function demandOf(snapshot: Snapshot, nodes: readonly ClusterNode[]): Demand {
  const leaving = new Map(nodes.filter((node) => node.leaving).map((node) => [node.name, node]));
  const holds = nominationHolds({
    now: snapshot.now,
    nodeClaims: snapshot.nodeClaims,
    pods: snapshot.pods,
    leavingNodes: new Set(leaving.keys()),
  });
  const nodeNames = new Set(snapshot.nodes.map((node) => node.metadata.name));
  const wanted = snapshot.pods.filter(
    (pod) =>
      !holds.heldPodUids.has(pod.uid) &&
      !refusesNodePools(pod) &&
      (isProvisionable(pod, nodeNames) || isDisplaced(pod, leaving, snapshot)),
  );
  return { pods: wanted, holds };
}

/**
 * A pod that may not be evicted yet stays where it is and needs no second place; but where the machine ends at a known time, it
 * ends with it.
 */
function isDisplaced(pod: PodRecord, leavingNodes: ReadonlyMap<string, ClusterNode>, snapshot: Snapshot): boolean {
  const node = leavingNodes.get(pod.nodeName ?? "");
  if (node === undefined || !isReschedulable(pod)) return false;
  const ends = node.node !== undefined && replacementOf(node.node)?.deadlineAt !== undefined;
  return ends || !(isDoNotDisruptActive(pod, snapshot.now) || isFullyBlocked(pod, snapshot.podDisruptionBudgets));
}
