import type { Pod } from "../api/core.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { OwnerReference } from "../api/schema.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import { isReady } from "./pod-status.ts";

export interface BudgetStatus {
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

export interface Scale {
  /** Of the outermost workload: pods of all ReplicaSets of one Deployment share its scale. */
  readonly uid: string;
  readonly replicas: number;
}

/** What the pod's controller wants; undefined when it is gone or has no scale (a Job, a DaemonSet). */
type ScaleOf = (controller: OwnerReference, namespace: string) => Scale | undefined;

/** The status as the disruption controller computes it (kubernetes pkg/controller/disruption). `pods` are those of the namespace. */
export function budgetStatus(pdb: PodDisruptionBudget, pods: readonly Pod[], scaleOf: ScaleOf): BudgetStatus {
  const matching = pods.filter((pod) => matchesSelector(pdb.spec.selector, pod.metadata.labels ?? {}));
  const currentHealthy = matching.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod)).length;
  const { minAvailable, maxUnavailable } = pdb.spec;
  if (maxUnavailable === undefined && !isPercentage(minAvailable)) {
    return allowed(currentHealthy, Number(minAvailable ?? 0), matching.length);
  }
  const expectedPods = expectedScale(matching, scaleOf);
  // The controller fails safe: without a known scale nothing may be disrupted.
  if (expectedPods === undefined) {
    return { disruptionsAllowed: 0, currentHealthy, desiredHealthy: 0, expectedPods: 0 };
  }
  const desiredHealthy =
    maxUnavailable === undefined
      ? resolve(minAvailable ?? 0, expectedPods)
      : Math.max(0, expectedPods - resolve(maxUnavailable, expectedPods));
  return allowed(currentHealthy, desiredHealthy, expectedPods);
}

/** The budgets that select the pod. */
function budgetsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): PodDisruptionBudget[] {
  return budgets.filter(
    (pdb) =>
      pdb.metadata.namespace === pod.metadata.namespace &&
      matchesSelector(pdb.spec.selector, pod.metadata.labels ?? {}),
  );
}

/**
 * Whether the budgets that select a pod let it be evicted, by the rules of the eviction subresource: undefined is yes, a text is the
 * API server's refusal (kubernetes pkg/registry/core/pod/storage/eviction.go).
 */
export function evictionRefusal(
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  statusOf: (pdb: PodDisruptionBudget) => BudgetStatus,
): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase !== "Running") return undefined;
  const [pdb, second] = budgetsOf(pod, budgets);
  if (pdb === undefined) return undefined;
  if (second !== undefined) {
    return "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  }
  const status = statusOf(pdb);
  if (!isReady(pod)) {
    const healthy = status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
    if (healthy || pdb.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return undefined;
  }
  if (status.disruptionsAllowed > 0) return undefined;
  return (
    "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget " +
    `${pdb.metadata.name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`
  );
}

function allowed(currentHealthy: number, desiredHealthy: number, expectedPods: number): BudgetStatus {
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods };
}

/** The replicas of all controllers of these pods together; pods without a controller count for nothing. */
function expectedScale(pods: readonly Pod[], scaleOf: ScaleOf): number | undefined {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
    if (controller === undefined) continue;
    const scale = scaleOf(controller, pod.metadata.namespace ?? "");
    if (scale === undefined) return undefined;
    scales.set(scale.uid, scale.replicas);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

function isPercentage(value: number | string | undefined): boolean {
  return typeof value === "string" && value.endsWith("%");
}

/** Percentages round up, both of `minAvailable` and of `maxUnavailable`. */
function resolve(value: number | string, total: number): number {
  return isPercentage(value) ? Math.ceil((Number.parseInt(String(value), 10) * total) / 100) : Number(value);
}
