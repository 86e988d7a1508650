import { claimStage } from "../state/claim-stage.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import { type NominationHolds, nominationHolds } from "../state/nomination-holds.ts";
import { isDoNotDisruptActive, isFullyBlocked } from "../state/pod-eviction.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { hasEnded, isReschedulable, refusesNodePools, waitingReason } from "../state/pod-roles.ts";
import { replacementOf } from "../state/replacement.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { WaitingPod } from "./plan.ts";

/** The pods a pass must find room for, and the places that live claims keep for others. */
export interface Demand {
  readonly pods: readonly PodRecord[];
  readonly holds: NominationHolds;
  /** Pods without a node that need none planned, by UID. */
  readonly waiting: readonly WaitingPod[];
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
  const holders = new Map([...holds.podsByClaim].flatMap(([claim, pods]) => pods.map(({ uid }) => [uid, claim])));
  // Nobody comes to a node that leaves: whom it is nominated for needs another.
  const nodeNames = new Set(snapshot.nodes.map((node) => node.metadata.name).filter((name) => !leaving.has(name)));
  const pods: PodRecord[] = [];
  const waiting: WaitingPod[] = [];
  for (const pod of snapshot.pods.filter((one) => !hasEnded(one))) {
    const holder = holders.get(pod.uid);
    if (pod.nodeName !== undefined) {
      if (holder === undefined && isDisplaced(pod, leaving, snapshot)) pods.push(pod);
      continue;
    }
    const reason = waitingReason(pod, nodeNames) ?? (holder === undefined ? undefined : heldReason(holder, snapshot));
    if (reason === undefined) pods.push(pod);
    else waiting.push({ pod, reason });
  }
  return { pods, holds, waiting: waiting.sort((a, b) => (a.pod.uid < b.pod.uid ? -1 : 1)) };
}

function heldReason(name: string, { nodeClaims }: Snapshot): string {
  const claim = nodeClaims.find(({ metadata }) => metadata.name === name);
  const stage = claim === undefined ? "" : `: ${claimStage(claim)}`;
  return `NodeClaim ${name} keeps a place for it${stage}`;
}

/**
 * A pod that may not be evicted yet stays where it is and needs no second place; but where the machine ends at a known time, it
 * ends with it.
 */
function isDisplaced(pod: PodRecord, leavingNodes: ReadonlyMap<string, ClusterNode>, snapshot: Snapshot): boolean {
  const node = leavingNodes.get(pod.nodeName ?? "");
  if (node === undefined || !isReschedulable(pod) || refusesNodePools(pod) || pod.notServed !== undefined) return false;
  const ends = node.node !== undefined && replacementOf(node.node)?.deadlineAt !== undefined;
  return ends || !(isDoNotDisruptActive(pod, snapshot.now) || isFullyBlocked(pod, snapshot.podDisruptionBudgets));
}
