import { createHash } from "node:crypto";
import type { PodTemplate } from "../api/core.ts";
import type { Deployment, ReplicaSet } from "../api/workloads.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { keyOf } from "./object-store.ts";
import { controllerOf, controllerReference, type OwnedPods, referenceOf, serviceAccount } from "./owned-pods.ts";
import { isActive, isReady } from "./pod-status.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("deployment-controller");
const hashLabel = "pod-template-hash";

/** One ReplicaSet for each version of a Deployment's template; a new version rolls out with the default surge and unavailability of 25 %. */
export function startDeploymentController(loop: EventLoop, server: ApiServer, ownedPods: OwnedPods): void {
  const queue = new ReconcileQueue({
    loop,
    name: "deployment-controller",
    delayMilliseconds: 20,
    reconcile: (key) => reconcile(server, ownedPods, key),
  });
  server.watch("Deployment", ({ object }) => queue.add(keyOf(object.metadata)));
  server.watch("ReplicaSet", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind === "Deployment") queue.add(keyOf({ ...object.metadata, name: owner.name }));
  });
  server.watch("Pod", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind !== "ReplicaSet") return;
    const replicaSet = server.get("ReplicaSet", referenceOf(keyOf({ ...object.metadata, name: owner.name })));
    const deployment = replicaSet === undefined ? undefined : controllerOf(replicaSet);
    if (deployment !== undefined) queue.add(keyOf({ ...object.metadata, name: deployment.name }));
  });
}

function reconcile(server: ApiServer, ownedPods: OwnedPods, key: string): void {
  const deployment = server.get("Deployment", referenceOf(key));
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
  const { namespace = "", name, uid } = deployment.metadata;
  const currentName = `${name}-${templateHash(deployment.spec.template)}`;
  const all = server.list("ReplicaSet", { namespace }).filter((each) => controllerOf(each)?.uid === uid);
  const old = all.filter((each) => each.metadata.name !== currentName && (each.spec.replicas ?? 1) > 0);
  const desired = deployment.spec.replicas ?? 1;
  const current = all.find((each) => each.metadata.name === currentName);
  const oldReplicas = sum(old, (each) => each.spec.replicas ?? 1);
  const replicas =
    old.length === 0 ? desired : Math.min(desired, Math.max(0, desired + surgeOf(desired) - oldReplicas));
  if (current === undefined) {
    server.create("ReplicaSet", newReplicaSet(deployment, currentName, replicas), { user });
    return;
  }
  const target = old.length === 0 ? desired : Math.max(replicas, current.spec.replicas ?? 1);
  scale(server, current, target);
  if (old.length === 0) return;
  const ready = ownedPods.of(current.metadata).filter((pod) => isActive(pod) && isReady(pod)).length;
  const minAvailable = desired - Math.floor(desired / 4);
  let removable = target + oldReplicas - minAvailable - Math.max(0, target - ready);
  for (const each of old) {
    const before = each.spec.replicas ?? 1;
    const after = Math.max(0, before - Math.max(0, removable));
    removable -= before - after;
    scale(server, each, after);
  }
}

function scale(server: ApiServer, replicaSet: ReplicaSet, replicas: number): void {
  server.patch("ReplicaSet", replicaSet.metadata, { spec: { replicas } }, { user });
}

function newReplicaSet(deployment: Deployment, name: string, replicas: number): ReplicaSet {
  const { template, selector } = deployment.spec;
  const hash = { [hashLabel]: templateHash(template) };
  const labels = { ...template.metadata?.labels, ...hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function templateHash(template: PodTemplate): string {
  return createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 10);
}

function surgeOf(desired: number): number {
  return Math.ceil(desired / 4);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
