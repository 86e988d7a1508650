import type { Node, Pod } from "../api/core.ts";
import type { Taint } from "../api/schema.ts";
import { tolerates } from "../scheduling/taints.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { notReadyTaint } from "./kubelet.ts";
import type { WatchEvent } from "./object-store.ts";
import { conditionOf, withConditions } from "./pod-status.ts";

const taintPassMilliseconds = 100;
/** `--node-monitor-grace-period`: silence after which a node counts as unreachable. */
const monitorGraceMilliseconds = 40_000;
/** The cloud controller manager asks about nodes that are not ready every 5 s. */
const cloudCheckMilliseconds = 5_000;
/** Pods of a node that is no more are quarantined for so long before pod garbage collection takes them. */
const orphanQuarantineMilliseconds = 40_000;

const nodeController = { user: "system:serviceaccount:kube-system:node-controller" };
const unreachableTaints: readonly Taint[] = [
  { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
];

/**
 * The controllers that look after nodes: node lifecycle (taints by condition), taint eviction, pod garbage collection, and the cloud
 * controller manager's removal of Nodes whose instance has ended.
 *
 * Simplified: a starting node gets the not-ready taint with NoSchedule alone, and evictions are not rate limited.
 */
export class NodeLifecycle {
  readonly #loop: EventLoop;
  readonly #server: ApiServer;

  constructor(options: { readonly loop: EventLoop; readonly server: ApiServer }) {
    this.#loop = options.loop;
    this.#server = options.server;
    this.#server.watch("Node", (event) => this.#onNode(event));
    this.#server.watch("Pod", ({ type, object, previous }) => {
      const nodeName = object.spec.nodeName;
      if (type === "DELETED" || nodeName === undefined || previous?.spec.nodeName === nodeName) return;
      const node = this.#server.get("Node", { name: nodeName });
      if (node !== undefined) this.#evictIntolerant(node, [object]);
    });
  }

  /**
   * The node's kubelet fell silent because its instance ended: unreachable after 40 s, its Node object deleted when the cloud then says
   * that the instance is gone. `isBack` is asked before each step.
   */
  nodeSilent(nodeName: string, isBack: () => boolean): void {
    const uid = this.#server.get("Node", { name: nodeName })?.metadata.uid;
    const still = (): Node | undefined => {
      const node = this.#server.get("Node", { name: nodeName });
      return node !== undefined && node.metadata.uid === uid && !isBack() ? node : undefined;
    };
    this.#loop.schedule(monitorGraceMilliseconds, `node-controller ${nodeName}`, () => {
      const node = still();
      if (node === undefined) return;
      this.#markUnreachable(node);
      this.#loop.schedule(cloudCheckMilliseconds, `cloud-controller ${nodeName}`, () => {
        const gone = still();
        if (gone !== undefined) {
          this.#server.delete("Node", gone.metadata, { user: "system:cloud-controller-manager" });
        }
      });
    });
  }

  #markUnreachable(node: Node): void {
    const { name } = node.metadata;
    const now = this.#loop.now();
    const unknown = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" } as const;
    const conditions = withConditions(node.status?.conditions, [unknown], now);
    this.#server.patch("Node", { name }, { status: { conditions } }, { ...nodeController, subresource: "status" });
    for (const pod of this.#podsOn(name)) {
      if (conditionOf(pod, "Ready")?.status !== "True") continue;
      const notReady = withConditions(pod.status?.conditions, [{ type: "Ready", status: "False" }], now);
      const status = { status: { conditions: notReady } };
      this.#server.patch("Pod", pod.metadata, status, { ...nodeController, subresource: "status" });
    }
    const taints = [...(node.spec?.taints ?? []), ...unreachableTaints];
    this.#server.patch("Node", { name }, { spec: { taints } }, nodeController);
  }

  #onNode({ type, object, previous }: WatchEvent<Node>): void {
    const { name } = object.metadata;
    if (type === "DELETED") {
      this.#loop.schedule(orphanQuarantineMilliseconds, `pod garbage collection ${name}`, () => this.#collect(name));
      return;
    }
    if (conditionOf(object, "Ready")?.status === "True" && object.spec?.taints?.some(isConditionTaint)) {
      this.#loop.schedule(taintPassMilliseconds, `node-controller ${name}`, () => this.#liftConditionTaints(name));
    }
    const before = previous?.spec?.taints ?? [];
    const added = (object.spec?.taints ?? []).filter((taint) => !before.some((each) => isSameTaint(each, taint)));
    if (previous !== undefined && added.some((taint) => taint.effect === "NoExecute")) {
      this.#evictIntolerant(object, this.#podsOn(name));
    }
  }

  #liftConditionTaints(name: string): void {
    const node = this.#server.get("Node", { name });
    if (node === undefined || conditionOf(node, "Ready")?.status !== "True") return;
    const taints = (node.spec?.taints ?? []).filter((taint) => !isConditionTaint(taint));
    this.#server.patch("Node", { name }, { spec: { taints } }, nodeController);
  }

  /** NoExecute: pods that do not tolerate a taint go at once, others when their `tolerationSeconds` have passed. */
  #evictIntolerant(node: Node, pods: readonly Pod[]): void {
    const taints = (node.spec?.taints ?? []).filter((taint) => taint.effect === "NoExecute");
    for (const pod of pods) {
      const seconds = toleratedSeconds(taints, pod);
      if (seconds === Number.POSITIVE_INFINITY) continue;
      this.#loop.schedule(seconds * 1_000, `taint eviction ${pod.metadata.name}`, () => {
        const current = this.#server.get("Node", { name: node.metadata.name })?.spec?.taints ?? [];
        const isTainted = taints.some((taint) => current.some((each) => isSameTaint(each, taint)));
        const found = this.#server.get("Pod", pod.metadata);
        const isThere = found?.metadata.uid === pod.metadata.uid && found?.metadata.deletionTimestamp === undefined;
        if (isTainted && isThere) this.#server.delete("Pod", pod.metadata, nodeController);
      });
    }
  }

  #collect(nodeName: string): void {
    if (this.#server.get("Node", { name: nodeName }) !== undefined) return;
    for (const { metadata } of this.#podsOn(nodeName)) {
      this.#server.delete("Pod", metadata, {
        gracePeriodSeconds: 0,
        user: "system:serviceaccount:kube-system:pod-garbage-collector",
      });
    }
  }

  #podsOn(nodeName: string): Pod[] {
    return this.#server.list("Pod", { fieldSelector: `spec.nodeName=${nodeName}` });
  }
}

/** The shortest time for which the pod bears the taints: 0 for one that it does not tolerate at all. */
function toleratedSeconds(taints: readonly Taint[], pod: Pod): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const matching = (pod.spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds = Number.POSITIVE_INFINITY } of matching) {
      shortest = Math.min(shortest, Math.max(0, tolerationSeconds));
    }
  }
  return shortest;
}

/** A taint that stands for a bad Ready condition, and goes when the node is Ready. */
function isConditionTaint(taint: Taint): boolean {
  return [notReadyTaint, ...unreachableTaints].some((each) => isSameTaint(each, taint));
}

function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
