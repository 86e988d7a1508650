import type { Node, Pod, PodSpec, Toleration } from "../api/core.ts";
import type { DaemonSet } from "../api/workloads.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { keyOf } from "./object-store.ts";
import { controllerOf, createPod, type OwnedPods, referenceOf, serviceAccount } from "./owned-pods.ts";
import { isActive, isTerminal } from "./pod-status.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("daemon-set-controller");

/** What the controller adds to every daemon pod. The not-ready taint with NoSchedule is not among them. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** One pod on each node that a DaemonSet's template allows, pinned there by node affinity and left to kube-scheduler. */
export function startDaemonSetController(loop: EventLoop, server: ApiServer, ownedPods: OwnedPods): void {
  const queue = new ReconcileQueue({
    loop,
    name: "daemonset-controller",
    delayMilliseconds: 50,
    reconcile: (key) => reconcile(server, ownedPods, key),
  });
  server.watch("DaemonSet", ({ object }) => queue.add(keyOf(object.metadata)));
  server.watch("Pod", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind === "DaemonSet") queue.add(keyOf({ ...object.metadata, name: owner.name }));
  });
  server.watch("Node", ({ object, previous }) => {
    const unchanged =
      previous?.spec === object.spec ||
      JSON.stringify([previous?.spec, previous?.metadata.labels]) ===
        JSON.stringify([object.spec, object.metadata.labels]);
    if (previous !== undefined && unchanged) return;
    for (const { metadata } of server.list("DaemonSet")) queue.add(keyOf(metadata));
  });
}

function reconcile(server: ApiServer, ownedPods: OwnedPods, key: string): void {
  const daemonSet = server.get("DaemonSet", referenceOf(key));
  if (daemonSet === undefined || daemonSet.metadata.deletionTimestamp !== undefined) return;
  const podsOf = new Map<string, Pod[]>();
  for (const pod of ownedPods.of(daemonSet.metadata)) {
    const nodeName = pod.spec.nodeName ?? pinnedNode(pod);
    podsOf.set(nodeName, [...(podsOf.get(nodeName) ?? []), pod]);
  }
  for (const node of server.list("Node")) {
    const { name } = node.metadata;
    const pods = podsOf.get(name) ?? [];
    podsOf.delete(name);
    const { mayStart, mayStay } = placement(daemonSet, node);
    if (mayStart && pods.length === 0) createPod(server, daemonSet, { spec: pinnedSpec(daemonSet, name) }, user);
    for (const pod of pods) if (isTerminal(pod) || (isActive(pod) && !mayStay)) remove(server, pod);
  }
  for (const pod of [...podsOf.values()].flat()) if (isActive(pod)) remove(server, pod);
}

function remove(server: ApiServer, pod: Pod): void {
  server.delete("Pod", pod.metadata, { user });
}

/** A NoSchedule taint keeps a daemon from starting, NoExecute or the labels also from staying. */
function placement({ spec }: DaemonSet, node: Node): { mayStart: boolean; mayStay: boolean } {
  const tolerations = [...(spec.template.spec.tolerations ?? []), ...daemonTolerations];
  const taints = node.spec?.taints ?? [];
  const selected = matchesNodeAffinity(spec.template.spec, node.metadata.name, node.metadata.labels ?? {});
  return {
    mayStart: selected && firstUntolerated(taints, tolerations) === undefined,
    mayStay: selected && firstUntolerated(taints, tolerations, ["NoExecute"]) === undefined,
  };
}

/** The template's spec with every required node term narrowed to one node. */
function pinnedSpec({ spec }: DaemonSet, nodeName: string): Partial<PodSpec> {
  const { affinity, tolerations = [] } = spec.template.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: [nodeName] }];
  const terms = required?.nodeSelectorTerms ?? [{}];
  return {
    tolerations: [...tolerations, ...daemonTolerations],
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields })),
        },
      },
    },
  };
}

function pinnedNode(pod: Pod): string {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0] ?? "";
}
