import type { Pod } from "../api/core.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { keyOf } from "./object-store.ts";
import { controllerOf, createPod, type OwnedPods, referenceOf, serviceAccount } from "./owned-pods.ts";
import { conditionOf, isActive, isReady } from "./pod-status.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("replicaset-controller");

/** Keeps as many active pods as a ReplicaSet asks for. Terminating pods no longer count, so a successor comes at once. */
export function startReplicaSetController(loop: EventLoop, server: ApiServer, ownedPods: OwnedPods): void {
  const queue = new ReconcileQueue({
    loop,
    name: "replicaset-controller",
    delayMilliseconds: 20,
    reconcile: (key) => reconcile(server, ownedPods, key),
  });
  server.watch("ReplicaSet", ({ object }) => queue.add(keyOf(object.metadata)));
  server.watch("Pod", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind === "ReplicaSet") queue.add(keyOf({ ...object.metadata, name: owner.name }));
  });
}

function reconcile(server: ApiServer, ownedPods: OwnedPods, key: string): void {
  const replicaSet = server.get("ReplicaSet", referenceOf(key));
  if (replicaSet === undefined || replicaSet.metadata.deletionTimestamp !== undefined) return;
  const active = ownedPods.of(replicaSet.metadata).filter(isActive);
  const surplus = active.length - (replicaSet.spec.replicas ?? 1);
  for (let missing = -surplus; missing > 0; missing--) createPod(server, replicaSet, {}, user);
  if (surplus > 0) {
    for (const pod of byDeletionOrder(active).slice(0, surplus)) server.delete("Pod", pod.metadata, { user });
  }
}

/** Without a node first, then pending, not ready, cheap by annotation, on nodes with more siblings, and young ones. */
function byDeletionOrder(pods: readonly Pod[]): Pod[] {
  const siblings = new Map<string | undefined, number>();
  for (const { spec } of pods) siblings.set(spec.nodeName, (siblings.get(spec.nodeName) ?? 0) + 1);
  const cost = (pod: Pod): number =>
    Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
  const rank = (pod: Pod): readonly number[] => [
    pod.spec.nodeName === undefined ? 0 : 1,
    pod.status?.phase === "Running" ? 1 : 0,
    isReady(pod) ? 1 : 0,
    cost(pod),
    -(siblings.get(pod.spec.nodeName) ?? 0),
    -Date.parse(conditionOf(pod, "Ready")?.lastTransitionTime ?? "1970-01-01T00:00:00Z"),
    -Date.parse(pod.metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"),
  ];
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod) }));
  ranked.sort((a, b) => {
    const differing = a.rank.findIndex((value, index) => value !== b.rank[index]);
    if (differing < 0) return a.pod.metadata.name < b.pod.metadata.name ? -1 : 1;
    return (a.rank[differing] ?? 0) - (b.rank[differing] ?? 0);
  });
  return ranked.map(({ pod }) => pod);
}
