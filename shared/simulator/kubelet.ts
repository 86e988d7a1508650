import type { Node, Pod } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { Taint } from "../api/schema.ts";
import { formatResources } from "../scheduling/resources.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop, Timer } from "./event-loop.ts";
import type { NodeRegistration } from "./node-bootstrap.ts";
import type { WatchEvent } from "./object-store.ts";
import { isTerminal, withConditions } from "./pod-status.ts";
import type { Random } from "./random.ts";
import { timestamp } from "./time.ts";

/** Ranges in milliseconds, both ends included. */
export interface KubeletTimings {
  /** From registration to Ready: the network plugin comes up. */
  readonly nodeReady: readonly [min: number, max: number];
  /** From binding to Ready: image pull, start, probes. */
  readonly podStart: readonly [min: number, max: number];
  /** From deletion to the end of the containers, if the grace period lets them. */
  readonly podStop: readonly [min: number, max: number];
}

const defaultTimings: KubeletTimings = {
  nodeReady: [3_000, 9_000],
  podStart: [1_500, 8_000],
  podStop: [500, 5_000],
};

/** On a pod: it succeeds after so many seconds of running, as the pod of a Job does. Others run until they are deleted. */
export const runSecondsAnnotation = "simulator.journeyman.sh/run-seconds";

export const notReadyTaint: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

interface Kubelet {
  readonly nodeName: string;
  readonly pods: Map<string, PodWorker>;
}

interface PodWorker {
  timer?: Timer;
  stopsAt?: number;
}

/**
 * The kubelets of all nodes. A pod bound to a live node starts, becomes Ready, perhaps succeeds, and stops within its grace. When a
 * node is gone its pods stay as they were last reported: what happens to them is up to the controllers (node-lifecycle.ts).
 *
 * Left out: probes that fail, eviction under pressure, static pods, Lease heartbeats.
 */
export class Kubelets {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #server: ApiServer;
  readonly #timings: KubeletTimings;
  readonly #kubelets = new Map<string, Kubelet>();

  constructor(options: {
    readonly loop: EventLoop;
    readonly random: Random;
    readonly server: ApiServer;
    readonly timings?: KubeletTimings;
  }) {
    this.#loop = options.loop;
    this.#random = options.random.fork("kubelet");
    this.#server = options.server;
    this.#timings = options.timings ?? defaultTimings;
    this.#server.watch("Pod", (event) => this.#onPod(event));
  }

  /**
   * Starts a node's kubelet: creates the Node, not ready and tainted so, and makes it Ready some seconds later. A Node object that is
   * there already is kept with its labels and taints, as after a reboot.
   */
  registerNode(registration: NodeRegistration): void {
    const { name } = registration;
    const kubelet: Kubelet = { nodeName: name, pods: new Map() };
    this.stop(name);
    this.#kubelets.set(name, kubelet);
    if (this.#server.get("Node", { name }) === undefined) {
      this.#server.create("Node", newNode(registration, this.#loop.now()), { user: nodeUser(name) });
    }
    this.#loop.schedule(this.#draw("nodeReady"), `kubelet ${name} ready`, () => this.#reportReady(kubelet));
    for (const pod of this.#server.list("Pod", { fieldSelector: `spec.nodeName=${name}` })) this.#sync(kubelet, pod);
  }

  /** The instance is gone, and its kubelet with it, without a word. */
  stop(nodeName: string): void {
    const kubelet = this.#kubelets.get(nodeName);
    this.#kubelets.delete(nodeName);
    for (const worker of kubelet?.pods.values() ?? []) worker.timer?.cancel();
  }

  isRunning(nodeName: string): boolean {
    return this.#kubelets.has(nodeName);
  }

  #reportReady(kubelet: Kubelet): void {
    const name = kubelet.nodeName;
    const node = this.#server.get("Node", { name });
    if (node === undefined || this.#kubelets.get(name) !== kubelet) return;
    const ready = { type: "Ready", status: "True", reason: "KubeletReady" } as const;
    const conditions = withConditions(node.status?.conditions, [ready], this.#loop.now());
    this.#server.patch("Node", { name }, { status: { conditions } }, { subresource: "status", user: nodeUser(name) });
  }

  #onPod({ type, object }: WatchEvent<Pod>): void {
    const kubelet = this.#kubelets.get(object.spec.nodeName ?? "");
    if (kubelet === undefined) return;
    if (type !== "DELETED") {
      this.#sync(kubelet, object);
      return;
    }
    const uid = object.metadata.uid ?? "";
    kubelet.pods.get(uid)?.timer?.cancel();
    kubelet.pods.delete(uid);
  }

  #sync(kubelet: Kubelet, pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const { deletionTimestamp } = pod.metadata;
    const worker = kubelet.pods.get(uid);
    if (deletionTimestamp !== undefined) {
      this.#stopPod(kubelet, pod, worker ?? {}, Date.parse(deletionTimestamp));
    } else if (worker === undefined && !isTerminal(pod)) {
      const started: PodWorker = {};
      kubelet.pods.set(uid, started);
      started.timer = this.#schedule(kubelet, pod, this.#draw("podStart"), (current) =>
        this.#reportRunning(kubelet, current, started),
      );
    }
  }

  #reportRunning(kubelet: Kubelet, pod: Pod, worker: PodWorker): void {
    const seconds = Number(pod.metadata.annotations?.[runSecondsAnnotation]);
    if (seconds >= 0) {
      worker.timer = this.#schedule(kubelet, pod, seconds * 1_000, (current) =>
        this.#reportStatus(kubelet, current, "Succeeded", "False"),
      );
    }
    this.#reportStatus(kubelet, pod, "Running", "True");
  }

  #reportStatus(kubelet: Kubelet, pod: Pod, phase: "Running" | "Succeeded", ready: "True" | "False"): void {
    const now = this.#loop.now();
    const reason = phase === "Succeeded" ? { reason: "PodCompleted" } : {};
    const changes = [
      { type: "Initialized", status: "True", ...reason } as const,
      { type: "ContainersReady", status: ready, ...reason },
      { type: "Ready", status: ready, ...reason },
    ];
    const conditions = withConditions(pod.status?.conditions, changes, now);
    const startTime = pod.status?.startTime ?? timestamp(now);
    const user = nodeUser(kubelet.nodeName);
    this.#server.patch(
      "Pod",
      pod.metadata,
      { status: { phase, startTime, conditions } },
      { subresource: "status", user },
    );
  }

  /** Takes what the containers need, at most the grace period; a later, shorter grace brings the end forward. */
  #stopPod(kubelet: Kubelet, pod: Pod, worker: PodWorker, graceEndsAt: number): void {
    const now = this.#loop.now();
    const wanted = worker.stopsAt ?? now + this.#draw("podStop");
    const stopsAt = Math.max(now, Math.min(wanted, graceEndsAt));
    if (worker.stopsAt === stopsAt) return;
    kubelet.pods.set(pod.metadata.uid ?? "", worker);
    worker.timer?.cancel();
    worker.stopsAt = stopsAt;
    worker.timer = this.#schedule(kubelet, pod, stopsAt - now, ({ metadata }) => {
      const uid = metadata.uid === undefined ? {} : { uid: metadata.uid };
      this.#server.delete("Pod", metadata, { ...uid, gracePeriodSeconds: 0, user: nodeUser(kubelet.nodeName) });
    });
  }

  /** Runs later with the pod as it then is, unless pod or kubelet are gone. */
  #schedule(kubelet: Kubelet, pod: Pod, delay: number, run: (current: Pod) => void): Timer {
    return this.#loop.schedule(delay, `kubelet ${kubelet.nodeName} ${pod.metadata.name}`, () => {
      const current = this.#server.get("Pod", pod.metadata);
      if (current === undefined || current.metadata.uid !== pod.metadata.uid) return;
      if (this.#kubelets.get(kubelet.nodeName) === kubelet) run(current);
    });
  }

  #draw(what: keyof KubeletTimings): number {
    const [min, max] = this.#timings[what];
    return this.#random.integer(min, max);
  }
}

function newNode(registration: NodeRegistration, now: number): Node {
  const notReady = {
    type: "Ready",
    status: "False",
    reason: "KubeletNotReady",
    message: "container runtime network not ready: cni plugin not initialized",
  } as const;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: registration.name,
      labels: { ...registration.labels, [label.hostname]: registration.labels[label.hostname] ?? registration.name },
    },
    spec: { providerID: registration.providerId, taints: [...registration.taints, notReadyTaint] },
    status: {
      capacity: formatResources(registration.capacity),
      allocatable: formatResources(registration.allocatable),
      conditions: withConditions([], [notReady], now),
    },
  };
}

function nodeUser(nodeName: string): string {
  return `system:node:${nodeName}`;
}
