import type { Pod } from "../api/core.ts";
import type { StatefulSet } from "../api/workloads.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { keyOf } from "./object-store.ts";
import { controllerOf, createPod, type OwnedPods, referenceOf, serviceAccount } from "./owned-pods.ts";
import { isReady, isTerminal } from "./pod-status.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("statefulset-controller");

/**
 * Pods NAME-0, NAME-1, ... from the first ordinal on and in order (`OrderedReady`): each waits for its predecessor to be ready, and a successor for the end of the pod
 * whose name it takes.
 */
export function startStatefulSetController(loop: EventLoop, server: ApiServer, ownedPods: OwnedPods): void {
  const queue = new ReconcileQueue({
    loop,
    name: "statefulset-controller",
    delayMilliseconds: 20,
    reconcile: (key) => reconcile(server, ownedPods, key),
  });
  server.watch("StatefulSet", ({ object }) => queue.add(keyOf(object.metadata)));
  server.watch("Pod", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind === "StatefulSet") queue.add(keyOf({ ...object.metadata, name: owner.name }));
  });
}

function reconcile(server: ApiServer, ownedPods: OwnedPods, key: string): void {
  const set = server.get("StatefulSet", referenceOf(key));
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
  const start = set.spec.ordinals?.start ?? 0;
  const end = start + (set.spec.replicas ?? 1);
  const pods = new Map<number, Pod>();
  for (const pod of ownedPods.of(set.metadata)) pods.set(ordinalOf(pod), pod);
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) createMember(server, set, ordinal);
    else if (isTerminal(pod)) server.delete("Pod", pod.metadata, { user });
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !isReady(pod)) return;
  }
  const outside = [...pods.keys()].filter((ordinal) => ordinal < start || ordinal >= end);
  const last = pods.get(Math.max(...outside));
  if (last !== undefined && last.metadata.deletionTimestamp === undefined) {
    server.delete("Pod", last.metadata, { user });
  }
}

function createMember(server: ApiServer, set: StatefulSet, ordinal: number): void {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": String(ordinal) };
  const volumes = claimsOfMember(server, set, name);
  createPod(server, set, { name, labels, ...(volumes.length === 0 ? {} : { spec: { volumes } }) }, user);
}

/** Makes what is missing of a member's claims, which outlive it, and gives the volumes of its pod. */
function claimsOfMember(server: ApiServer, set: StatefulSet, podName: string): NonNullable<Pod["spec"]["volumes"]> {
  const { template, volumeClaimTemplates = [] } = set.spec;
  const { namespace = "" } = set.metadata;
  if (volumeClaimTemplates.length === 0) return [];
  const claimed = volumeClaimTemplates.map(({ metadata, spec }) => {
    const volume = metadata.name;
    const name = `${volume}-${podName}`;
    if (server.get("PersistentVolumeClaim", { namespace, name }) === undefined) {
      server.create(
        "PersistentVolumeClaim",
        { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, name, namespace }, spec },
        { user },
      );
    }
    return { name: volume, persistentVolumeClaim: { claimName: name } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  return [...(template.spec.volumes ?? []).filter(({ name }) => !names.has(name)), ...claimed];
}

function ordinalOf(pod: Pod): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf("-") + 1));
}
