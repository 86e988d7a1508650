import type { Pod } from "../../api/core.ts";
import type { PodDisruptionBudget } from "../../api/policy.ts";
import { matchesSelector } from "../../scheduling/label-selectors.ts";
import { isTrue } from "../../state/conditions.ts";
import type { ApiServer } from "../api-server.ts";
import { type Invariant, invariant, type ObservedWorld, type Report } from "./invariant.ts";
import { isProtected, pathOf } from "./machines.ts";
import { onOwnDeletion } from "./own-deletions.ts";

/**
 * A running pod that one of our functions takes away leaves each of its PodDisruptionBudgets with enough healthy pods. A pod that is
 * not ready takes no health away: it may go when the rest is healthy, or always if the budget says so.
 */
export function evictionBudgets(world: ObservedWorld): Invariant {
  return invariant("no eviction beyond a PDB", world, (report) => {
    onOwnDeletion(world, "Pod", (pod, by) => {
      const isHarmless = pod.metadata.deletionTimestamp !== undefined || pod.status?.phase !== "Running";
      if (isHarmless || !isProtected(world, pod)) return;
      const { server } = world.cluster;
      for (const budget of server.list("PodDisruptionBudget").filter((one) => counts(one, pod))) {
        judge(server, budget, pod, by, report);
      }
    });
    return {};
  });
}

function judge(server: ApiServer, budget: PodDisruptionBudget, pod: Pod, by: string, report: Report): void {
  const isReady = isTrue(pod, "Ready");
  if (!isReady && budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return;
  const pods = server.list("Pod").filter((one) => counts(budget, one));
  const healthy = pods.filter((one) => one.metadata.deletionTimestamp === undefined && isTrue(one, "Ready")).length;
  const left = isReady ? healthy - 1 : healthy;
  const desired = desiredHealthy(server, budget, pods);
  if (desired !== undefined && left >= desired) return;
  const seen = `${by} leaves ${left} healthy pods to PodDisruptionBudget ${budget.metadata.name}`;
  report({
    objects: `Pod ${pathOf(pod)}`,
    seen,
    allowed: `${desired ?? "no eviction without a known scale, all"} at least`,
  });
}

function counts({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return metadata.namespace === pod.metadata.namespace && matchesSelector(spec.selector, pod.metadata.labels ?? {});
}

/** Undefined: nobody knows how many pods there should be, and none may go. */
function desiredHealthy(
  server: ApiServer,
  { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
  pods: readonly Pod[],
): number | undefined {
  if (typeof minAvailable === "number") return minAvailable;
  const replicas = new Map<string, number | undefined>();
  for (const pod of pods) {
    const scale = scaleOf(server, pod);
    if (scale !== undefined) replicas.set(scale.workload, scale.replicas);
  }
  if ([...replicas.values()].includes(undefined)) return undefined;
  const expected = [...replicas.values()].reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return minAvailable === undefined
    ? expected - share(maxUnavailable ?? expected, expected)
    : share(minAvailable, expected);
}

/** What the pod's workload wants; of a ReplicaSet that belongs to a Deployment, the Deployment. A bare pod wants nothing. */
function scaleOf(server: ApiServer, pod: Pod): { readonly workload: string; readonly replicas?: number } | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return undefined;
  const namespace = pod.metadata.namespace ?? "default";
  const named = (kind: string, name: string, replicas: number | undefined) => ({
    workload: `${kind} ${name}`,
    ...(replicas === undefined ? {} : { replicas }),
  });
  if (owner.kind === "StatefulSet") {
    const found = server.get("StatefulSet", { namespace, name: owner.name });
    return named("StatefulSet", owner.name, found && (found.spec.replicas ?? 1));
  }
  const replicaSet = server.get("ReplicaSet", { namespace, name: owner.name });
  const outer = replicaSet?.metadata.ownerReferences?.find(({ controller }) => controller);
  if (outer?.kind !== "Deployment") {
    return named(owner.kind, owner.name, replicaSet && (replicaSet.spec.replicas ?? 1));
  }
  const deployment = server.get("Deployment", { namespace, name: outer.name });
  return named("Deployment", outer.name, deployment && (deployment.spec.replicas ?? 1));
}

/** Percentages round up, whichever way they count (kubernetes pkg/controller/disruption). */
function share(value: number | string, total: number): number {
  const amount = Number.parseInt(String(value), 10);
  return String(value).endsWith("%") ? Math.ceil((amount * total) / 100) : amount;
}
