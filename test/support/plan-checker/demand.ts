import type { PodRecord } from "../../../shared/state/pod-record.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { CheckedNode } from "./checked-node.ts";
import { selects } from "./pod-selection.ts";

/** Whether the plan owes a pod an answer, may give one, or must not. */
export type Due = "must" | "may" | "not";

/** Pods that kube-scheduler has given up on, and pods of leaving nodes that come back (karpenter-core §2.1, §2.2). */
export function dueOf(pod: PodRecord, snapshot: Snapshot, nodeOf: ReadonlyMap<string, CheckedNode>): Due {
  if (hasEnded(pod)) return "not";
  if (pod.owner?.kind === "DaemonSet" || pod.owner?.kind === "Node" || pod.notServed !== undefined) return "not";
  if (pod.nodeName !== undefined) {
    const node = nodeOf.get(pod.nodeName);
    if (!node?.leaving || !isDisplaced(pod, snapshot)) return "not";
    return pod.notServed === undefined ? "must" : "may";
  }
  const { nominatedNodeName: nominated } = pod;
  const nominatedTo = nominated === undefined ? undefined : nodeOf.get(nominated);
  // A node that leaves takes no pod, whoever was told to wait for it.
  const waitsForPreemption = nominatedTo !== undefined && !nominatedTo.isNew && !nominatedTo.leaving;
  if (!pod.unschedulable || pod.notServed !== undefined || pod.deletedAt !== undefined || waitsForPreemption)
    return "not";
  return refusesNodePools(pod) ? "may" : "must";
}

/** kube-scheduler and kubelet count it no more, though its object may stay for long. */
export function hasEnded({ phase }: PodRecord): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** A pod that may not be evicted stays, unless its machine ends at a known time. */
function isDisplaced(pod: PodRecord, snapshot: Snapshot): boolean {
  if (pod.deletedAt !== undefined && pod.owner?.kind !== "StatefulSet") return false;
  if (hasDeadline(pod, snapshot)) return true;
  return !isProtected(pod, snapshot.now) && !isBlocked(pod, snapshot);
}

function hasDeadline({ nodeName }: PodRecord, { nodes }: Snapshot): boolean {
  const node = nodes.find(({ metadata }) => metadata.name === nodeName);
  try {
    const mark: unknown = JSON.parse(node?.metadata.annotations?.["journeyman.sh/replace"] ?? "null");
    return isObject(mark) && typeof mark.deadlineAt === "number" && typeof mark.reason === "string";
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The annotation do-not-disrupt: for ever, or for a time after the start. A terminating pod is not protected. */
function isProtected({ doNotDisrupt, startedAt, deletedAt }: PodRecord, now: number): boolean {
  if (doNotDisrupt === undefined || deletedAt !== undefined) return false;
  if (doNotDisrupt === "true") return true;
  const parts = [...doNotDisrupt.matchAll(/([\d.]+)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== doNotDisrupt) return false;
  const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const lasts = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * milliseconds[unit as keyof typeof milliseconds],
    0,
  );
  return lasts > 0 && (startedAt === undefined || now < startedAt + lasts);
}

function isBlocked(pod: PodRecord, { podDisruptionBudgets }: Snapshot): boolean {
  const own = podDisruptionBudgets.filter(
    ({ metadata, spec }) => metadata.namespace === pod.namespace && selects(spec.selector, pod.constraints.labels),
  );
  const allowsNone = own.some(({ spec }) => {
    const none = spec.maxUnavailable === 0 || spec.maxUnavailable === "0%" || spec.minAvailable === "100%";
    return none && (pod.ready || spec.unhealthyPodEvictionPolicy !== "AlwaysAllow");
  });
  return own.length > 1 || allowsNone;
}

function refusesNodePools({ constraints: { spec } }: PodRecord): boolean {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const refuses = ({ matchExpressions = [] }: (typeof terms)[number]) =>
    matchExpressions.some(({ key, operator }) => key === "karpenter.sh/nodepool" && operator === "DoesNotExist");
  return terms.length > 0 && terms.every(refuses);
}
