import type { Pod } from "../shared/api/core.ts";
import type { LoadedObject } from "../shared/api/documents.ts";
import { type Place, type Problem, problemAt } from "../shared/api/problems.ts";
import { podsOf } from "../shared/api/workload-pods.ts";
import { mostPods } from "../shared/simulator/scenario.ts";
import { keyOf, type Workload, workloadKey } from "./workload-scales.ts";

export interface PlacedPod {
  readonly pod: Pod;
  readonly source: Place;
  /** Whether the pod comes from a cluster, with what its admission has filled in. */
  readonly isAdmitted: boolean;
}

export interface PlacedWorkload {
  readonly workload: Workload;
  readonly source: Place;
}

export interface WorkloadDemand {
  readonly pods: readonly PlacedPod[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** Pod, ReplicaSet, Deployment; more is a circle that somebody wrote by hand. */
const deepestOwnership = 5;

/**
 * The pods of the input: those that are in it, and those that its workloads still lack. In a dump of a cluster a Deployment's pods are
 * there already, through a ReplicaSet that may be there too, and must not count twice.
 */
export function workloadDemand(objects: readonly LoadedObject[], scales: ReadonlyMap<string, number>): WorkloadDemand {
  const present = objects.flatMap(({ object, source }) =>
    object.kind === "Pod"
      ? podsOf(object).map((pod) => ({ pod, source, isAdmitted: object.metadata.uid !== undefined }))
      : [],
  );
  const live = present.filter(({ pod }) => !isFinished(pod));
  const roots = rootWorkloads(objects);
  const owners = new Map(workloads(objects).map(({ workload }) => [keyOf(workload), workload]));
  const byRoot = Map.groupBy(live, ({ pod }) => rootKey(pod, owners) ?? "");
  const tooMany = tooManyPods(roots, scales);
  if (tooMany !== undefined) return { pods: [], notes: [], problems: [tooMany] };

  const surplus = new Set<PlacedPod>();
  const missing: PlacedPod[] = [];
  const notes: string[] = [];
  for (const { workload, source } of roots) {
    const key = keyOf(workload);
    const own = byRoot.get(key) ?? [];
    const staying = own.filter(({ pod }) => pod.metadata.deletionTimestamp === undefined);
    const wanted = podsOf(workload, scales.get(key));
    const names = new Set(own.map(({ pod }) => pod.metadata.name));
    const absent = wanted.filter(({ metadata }) => !names.has(metadata.name));
    const lacking = Math.max(0, wanted.length - staying.length);
    for (const pod of absent.slice(0, lacking)) missing.push({ pod, source, isAdmitted: false });
    if (scales.has(key) && staying.length > wanted.length) {
      for (const pod of leastSettledFirst(staying).slice(0, staying.length - wanted.length)) surplus.add(pod);
      notes.push(`${key}: scaled to ${wanted.length}, so ${staying.length - wanted.length} of its pods are left out`);
    }
  }
  return { pods: [...live.filter((pod) => !surplus.has(pod)), ...missing], notes, problems: [] };
}

/** Workloads that no other workload of the input has made. */
export function rootWorkloads(objects: readonly LoadedObject[]): readonly PlacedWorkload[] {
  const all = workloads(objects);
  const owners = new Map(all.map(({ workload }) => [keyOf(workload), workload]));
  return all.filter(({ workload }) => rootKey(workload, owners) === undefined);
}

function workloads(objects: readonly LoadedObject[]): readonly PlacedWorkload[] {
  return objects.flatMap(({ object, source }) => {
    switch (object.kind) {
      case "Deployment":
      case "ReplicaSet":
      case "ReplicationController":
      case "StatefulSet":
      case "Job":
      case "CronJob":
        return [{ workload: object, source }];
      default:
        return [];
    }
  });
}

/** The outermost workload of the input that made this, by way of those that it made in between. */
function rootKey(made: Pod | Workload, owners: ReadonlyMap<string, Workload>, depth = 0): string | undefined {
  const namespace = made.metadata.namespace ?? "default";
  const references = made.metadata.ownerReferences ?? [];
  const reference = references.find(({ controller }) => controller === true) ?? references[0];
  if (reference === undefined) return undefined;
  const key = workloadKey(reference.kind, namespace, reference.name);
  const owner = owners.get(key);
  if (owner !== undefined) return (depth < deepestOwnership ? rootKey(owner, owners, depth + 1) : undefined) ?? key;
  // `kubectl get deployments,pods` leaves the ReplicaSet in between out, but its name tells.
  const hash = made.metadata.labels?.["pod-template-hash"];
  if (reference.kind !== "ReplicaSet" || hash === undefined || !reference.name.endsWith(`-${hash}`)) return undefined;
  const deployment = workloadKey("Deployment", namespace, reference.name.slice(0, -hash.length - 1));
  return owners.has(deployment) ? deployment : undefined;
}

function tooManyPods(roots: readonly PlacedWorkload[], scales: ReadonlyMap<string, number>): Problem | undefined {
  let total = 0;
  for (const { workload, source } of roots) {
    total += scales.get(keyOf(workload)) ?? statedPods(workload);
    if (total <= mostPods) continue;
    return problemAt(source, ["spec"], `${total} pods up to here`, `at most ${mostPods} pods in all`);
  }
  return undefined;
}

function statedPods(workload: Workload): number {
  switch (workload.kind) {
    case "Job":
      return workload.spec.parallelism ?? 1;
    case "CronJob":
      return workload.spec.jobTemplate.spec.parallelism ?? 1;
    default:
      return workload.spec.replicas ?? 1;
  }
}

/** As a ReplicaSet picks pods to delete: those without a node, those not ready, the newest. */
function leastSettledFirst(pods: readonly PlacedPod[]): readonly PlacedPod[] {
  const rank = ({ pod }: PlacedPod) => (pod.spec.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1);
  const created = ({ pod }: PlacedPod) => pod.metadata.creationTimestamp ?? "";
  return [...pods].sort(
    (a, b) =>
      rank(a) - rank(b) || created(b).localeCompare(created(a)) || (a.pod.metadata.name < b.pod.metadata.name ? 1 : -1),
  );
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
