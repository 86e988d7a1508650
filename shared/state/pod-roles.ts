import { label } from "../api/labels.ts";
import { isImpossible } from "../scheduling/requirements.ts";
import type { PodRecord } from "./pod-record.ts";

export function isDaemonPod(pod: PodRecord): boolean {
  return pod.owner?.kind === "DaemonSet";
}

/** It runs no more and holds nothing, though its object may stay for long. */
export function hasEnded({ phase }: Pick<PodRecord, "phase">): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** A static pod: the kubelet made it, and it lives and dies with its node. */
export function isMirrorPod(pod: PodRecord): boolean {
  return pod.owner?.kind === "Node";
}

/**
 * Why the planner owes a pod that is not bound no node, in one sentence; undefined when it does: kube-scheduler found none for it, and nobody
 * else cares for it (karpenter-core §2.1). A nomination to a node that is gone holds nothing.
 */
export function waitingReason(pod: PodRecord, nodeNames: ReadonlySet<string>): string | undefined {
  const { nominatedNodeName, constraints } = pod;
  const gates = constraints.spec.schedulingGates ?? [];
  if (pod.deletedAt !== undefined) return "it is being deleted";
  if (isDaemonPod(pod)) return "a DaemonSet's pod runs on the node it is made for, which is there already";
  if (isMirrorPod(pod)) return "a static pod runs on the node that made it";
  if (pod.notServed !== undefined) return pod.notServed;
  if (gates.length > 0) return `it is held back by its scheduling gates: ${gates.map(({ name }) => name).join(", ")}`;
  if (refusesNodePools(pod)) return `it asks for a node of no NodePool (${label.nodePool} DoesNotExist)`;
  if (nominatedNodeName !== undefined && nodeNames.has(nominatedNodeName)) {
    return `kube-scheduler has nominated it to node ${nominatedNodeName}, where it waits for others to leave`;
  }
  if (!pod.unschedulable)
    return "kube-scheduler has not called it unschedulable: it has not been tried yet, or has room";
  return undefined;
}

/**
 * Whether a pod on a leaving node will come back elsewhere and needs room there (karpenter-core §2.2). Of the terminating ones
 * only a StatefulSet's: its successor waits for the original to go.
 */
export function isReschedulable(pod: PodRecord): boolean {
  if (isDaemonPod(pod) || isMirrorPod(pod) || hasEnded(pod)) return false;
  return pod.deletedAt === undefined || pod.owner?.kind === "StatefulSet";
}

/** A pod that wants devices by dynamic resource allocation: no instance type is known to have them. */
export function hasResourceClaims(pod: PodRecord): boolean {
  return (pod.constraints.spec.resourceClaims ?? []).length > 0;
}

/**
 * A pod that asks for no NodePool at all is not ours (karpenter-core §2.1, rule 1): whichever of its OR-terms is met, its node has none.
 * One that asks for a NodePool and for none as well contradicts itself, and is ours to tell.
 */
export function refusesNodePools(pod: PodRecord): boolean {
  return pod.constraints.nodeAlternatives.every((requirements) => {
    const pool = requirements.get(label.nodePool);
    return pool !== undefined && isImpossible(pool) && pool.mayBeAbsent;
  });
}
