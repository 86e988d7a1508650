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
 * Pods NAME-0, NAME-1, ... in order (`OrderedReady`): each waits for its predecessor to be ready, and a successor for the end of the pod
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
  const replicas = set.spec.replicas ?? 1;
  const pods = new Map<number, Pod>();
  for (const pod of ownedPods.of(set.metadata)) pods.set(ordinalOf(pod), pod);
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) createMember(server, set, ordinal);
    else if (isTerminal(pod)) server.delete("Pod", pod.metadata, { user });
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || !isReady(pod)) return;
  }
  const last = pods.get(Math.max(...pods.keys()));
  if (last !== undefined && ordinalOf(last) >= replicas && last.metadata.deletionTimestamp === undefined) {
    server.delete("Pod", last.metadata, { user });
  }
}

function createMember(server: ApiServer, set: StatefulSet, ordinal: number): void {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": String(ordinal) };
  createPod(server, set, { name, labels }, user);
}

function ordinalOf(pod: Pod): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf("-") + 1));
}
