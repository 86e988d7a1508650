import { taintKey } from "../api/labels.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { Taint } from "../api/schema.ts";
import { parseDuration } from "../api/time.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import { tolerates } from "../scheduling/taints.ts";
import type { PodRecord } from "./pod-record.ts";

/** What may be done with a running pod: the vocabulary of draining and disruption (karpenter-core §2.2, §2.3, §7). */

export const disruptedTaint: Taint = { key: taintKey.disrupted, effect: "NoSchedule" };

/** Neither finished nor being deleted. */
export function isActive(pod: PodRecord): boolean {
  return pod.deletedAt === undefined && pod.phase !== "Succeeded" && pod.phase !== "Failed";
}

/** A pod that tolerates the disrupted taint would come straight back, so that draining leaves it. */
export function toleratesDisruption(pod: PodRecord): boolean {
  return pod.constraints.tolerations.some((toleration) => tolerates(toleration, disruptedTaint));
}

/** `true` protects always; a duration until that long after the pod started; unreadable, zero or negative values do not protect. */
export function isDoNotDisruptActive(pod: PodRecord, now: number): boolean {
  if (pod.doNotDisrupt === undefined || !isActive(pod)) return false;
  if (pod.doNotDisrupt === "true") return true;
  const seconds = parseDuration(pod.doNotDisrupt) ?? 0;
  if (seconds <= 0) return false;
  return pod.startedAt === undefined || now < pod.startedAt + seconds * 1_000;
}

const criticalClasses: ReadonlySet<string> = new Set(["system-cluster-critical", "system-node-critical"]);

export function isCritical(pod: PodRecord): boolean {
  return criticalClasses.has(pod.constraints.spec.priorityClassName ?? "");
}

/** The budgets that count a pod. The Eviction API refuses a pod with more than one. An empty selector matches all (policy/v1). */
export function budgetsOf(pod: PodRecord, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  return budgets.filter(
    (budget) =>
      budget.metadata.namespace === pod.namespace && matchesSelector(budget.spec.selector, pod.constraints.labels),
  );
}

/** No eviction will ever be granted: a budget of none, or more than one budget (karpenter-core §2.2). */
export function isFullyBlocked(pod: PodRecord, budgets: readonly PodDisruptionBudget[]): boolean {
  const own = budgetsOf(pod, budgets);
  if (own.length > 1) return true;
  return own.some(({ spec: { maxUnavailable, minAvailable, unhealthyPodEvictionPolicy } }) => {
    const allowsNone = maxUnavailable === 0 || maxUnavailable === "0%" || minAvailable === "100%";
    return allowsNone && (pod.ready || unhealthyPodEvictionPolicy !== "AlwaysAllow");
  });
}
