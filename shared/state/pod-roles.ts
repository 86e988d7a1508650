import { label } from "../api/labels.ts";
import type { PodRecord } from "./pod-record.ts";

export function isDaemonPod(pod: PodRecord): boolean {
  return pod.owner?.kind === "DaemonSet";
}

/** A static pod: the kubelet made it, and it lives and dies with its node. */
export function isMirrorPod(pod: PodRecord): boolean {
  return pod.owner?.kind === "Node";
}

/**
 * Whether the planner owes this pod a node: kube-scheduler found none for it, and nobody holds a place for it (karpenter-core
 * §2.1). A nomination to a node that is gone holds nothing.
 */
export function isProvisionable(pod: PodRecord, nodeNames: ReadonlySet<string>): boolean {
  return (
    pod.unschedulable &&
    pod.nodeName === undefined &&
    pod.deletedAt === undefined &&
    !(pod.nominatedNodeName !== undefined && nodeNames.has(pod.nominatedNodeName)) &&
    !isDaemonPod(pod) &&
    !isMirrorPod(pod)
  );
}

/**
 * Whether a pod on a leaving node will come back elsewhere and needs room there (karpenter-core §2.2). Of the terminating ones
 * only a StatefulSet's: its successor waits for the original to go.
 */
export function isReschedulable(pod: PodRecord): boolean {
  if (isDaemonPod(pod) || isMirrorPod(pod)) return false;
  return pod.deletedAt === undefined || pod.owner?.kind === "StatefulSet";
}

/** A pod that wants devices by dynamic resource allocation: no instance type is known to have them. */
export function hasResourceClaims(pod: PodRecord): boolean {
  return (pod.constraints.spec.resourceClaims ?? []).length > 0;
}

/** A pod that asks for no NodePool at all is not ours (karpenter-core §2.1, rule 1). */
export function refusesNodePools(pod: PodRecord): boolean {
  return pod.constraints.nodeAlternatives.some((requirements) => {
    const pool = requirements.get(label.nodePool);
    return pool !== undefined && !pool.complement && pool.values.size === 0;
  });
}
