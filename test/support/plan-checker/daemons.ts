import type { PodSpec, Toleration } from "../../../shared/api/core.ts";
import type { DaemonSet } from "../../../shared/api/workloads.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { CheckedNode } from "./checked-node.ts";
import { hasEnded } from "./demand.ts";
import { selectsNode, untolerated } from "./node-matching.ts";

/**
 * Pods that the DaemonSet controller has still to make for a node where `residents` are. The template decides where they come; what
 * one takes is what the newest living one takes, as admission may have changed it (karpenter-core §2.7).
 */
export function daemonsToCome(
  { daemonSets, pods }: Pick<Snapshot, "daemonSets" | "pods">,
  node: CheckedNode,
  residents: readonly PodRecord[],
): readonly PodSpec[] {
  return daemonSets
    .filter((daemonSet) => !residents.some((pod) => isPodOf(pod, daemonSet)))
    .filter(({ spec: { template } }) => {
      const tolerations = [...(template.spec.tolerations ?? []), ...added];
      return selectsNode(template.spec, node) && untolerated(tolerations, node.taints) === undefined;
    })
    .map((daemonSet) => newestOf(daemonSet, pods)?.constraints.spec ?? daemonSet.spec.template.spec);
}

function isPodOf({ owner, namespace }: PodRecord, { metadata }: DaemonSet): boolean {
  return owner?.kind === "DaemonSet" && owner.name === metadata.name && namespace === (metadata.namespace ?? "default");
}

const newest = new WeakMap<readonly PodRecord[], Map<DaemonSet, PodRecord | undefined>>();

/** Of several that were made at once the last by name. Looked for once in each snapshot. */
function newestOf(daemonSet: DaemonSet, pods: readonly PodRecord[]): PodRecord | undefined {
  const known = newest.get(pods) ?? new Map<DaemonSet, PodRecord | undefined>();
  newest.set(pods, known);
  if (!known.has(daemonSet)) {
    const own = pods.filter((pod) => isPodOf(pod, daemonSet) && pod.deletedAt === undefined && !hasEnded(pod));
    known.set(daemonSet, own.sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1))[0]);
  }
  return known.get(daemonSet);
}

/** What the controller lets every pod of a DaemonSet tolerate. */
const added: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
