import { isDeepStrictEqual } from "node:util";
import type { Node, Pod } from "../api/core.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import type { WatchEvent } from "./object-store.ts";
import { conditionOf, isTerminal, withConditions } from "./pod-status.ts";
import type { Random } from "./random.ts";
import { type NodeInfo, type PodInfo, podInfo, SchedulerCache } from "./scheduler-cache.ts";
import { filterNode, type PreFilterState, preFilter } from "./scheduler-filters.ts";
import { NodeChange, placedPodMayHelp } from "./scheduler-hints.ts";
import { SchedulerQueue } from "./scheduler-queue.ts";
import { scoreNodes } from "./scheduler-scores.ts";
import { provisionVolumes, volumeState } from "./volumes.ts";

const schedulerName = "default-scheduler";
const user = "system:kube-scheduler";
/** One pod in so many milliseconds: some 300 pods per second, what kube-scheduler does on a cluster of a few hundred nodes. */
const cycleMilliseconds = 3;

/**
 * kube-scheduler with its default profile: one pod at a time, filters, scores, ties by chance, binding. A pod that fits nowhere gets its
 * PodScheduled condition (serverless-aws §6), which is what the webhook sees.
 *
 * Nominations are treated as kube-scheduler does by default (KEP-1923, KEP-5278): a nominated node is tried first and taken without
 * scoring, room is kept there against pods of the same or a lower priority, and a failed attempt clears the nomination.
 *
 * Left out: preemption, dynamic resources. Which plugin has refused a pod is not remembered: an event that one of them would take for
 * a reason to try again is one (scheduler-hints.ts).
 */
export class Scheduler {
  readonly #loop: EventLoop;
  readonly #server: ApiServer;
  readonly #random: Random;
  readonly #cache = new SchedulerCache();
  readonly #queue: SchedulerQueue;
  #running = false;
  #startIndex = 0;

  constructor(options: { readonly loop: EventLoop; readonly random: Random; readonly server: ApiServer }) {
    this.#loop = options.loop;
    this.#server = options.server;
    this.#random = options.random.fork("kube-scheduler");
    this.#queue = new SchedulerQueue(this.#loop, () => this.#run());
    this.#server.watch("Node", (event) => this.#onNode(event));
    this.#server.watch("Pod", (event) => this.#onPod(event));
    this.#server.watch("Namespace", ({ object }) => {
      this.#cache.namespaceLabels.set(object.metadata.name, object.metadata.labels ?? {});
    });
    for (const kind of ["PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode"] as const) {
      this.#server.watch(kind, () => this.#queue.retry(({ pod }) => pod.spec.volumes !== undefined));
    }
    for (const object of this.#server.list("Namespace")) {
      this.#cache.namespaceLabels.set(object.metadata.name, object.metadata.labels ?? {});
    }
    for (const object of this.#server.list("Node")) this.#onNode({ type: "ADDED", object });
    for (const object of this.#server.list("Pod")) this.#onPod({ type: "ADDED", object });
  }

  #onNode({ type, object, previous }: WatchEvent<Node>): void {
    if (type === "DELETED") {
      this.#cache.removeNode(object.metadata.name);
      return;
    }
    if (previous !== undefined && isDeepStrictEqual(schedulingView(previous), schedulingView(object))) return;
    this.#cache.setNode(object);
    const change = new NodeChange(previous, object);
    this.#queue.retry((info) => change.mayHelp(info));
  }

  #onPod({ type, object, previous }: WatchEvent<Pod>): void {
    const uid = object.metadata.uid ?? "";
    if (object.spec.nodeName === undefined) {
      this.#onUnboundPod(type, object, previous);
      return;
    }
    this.#forget(uid);
    if (type === "DELETED" || isTerminal(object)) {
      this.#cache.removePod(object);
      this.#queue.retry(() => true);
      return;
    }
    if (previous?.spec.nodeName !== undefined && isDeepStrictEqual(placedView(previous), placedView(object))) return;
    this.#cache.setPod(object);
    const placed = podInfo(object);
    this.#queue.retry((info) => placedPodMayHelp(info, placed, this.#cache));
  }

  #onUnboundPod(type: WatchEvent<Pod>["type"], pod: Pod, previous: Pod | undefined): void {
    const uid = pod.metadata.uid ?? "";
    const isOurs = pod.spec.schedulerName === schedulerName && !isTerminal(pod);
    if (type === "DELETED" || !isOurs || pod.metadata.deletionTimestamp !== undefined) {
      const wasNominated = this.#forget(uid);
      if (wasNominated) this.#queue.retry(() => true);
      return;
    }
    const freed = this.#withdraw(uid) && previous?.status?.nominatedNodeName !== pod.status?.nominatedNodeName;
    const changed = previous === undefined || !isDeepStrictEqual(placedView(previous), placedView(pod));
    this.#queue.set(pod, changed || !isDeepStrictEqual(previous.spec, pod.spec));
    const info = this.#queue.get(uid);
    const nominated = pod.status?.nominatedNodeName;
    if (info !== undefined && nominated !== undefined) this.#cache.nominate(info, nominated);
    // As if it had been on the node and left it: those that had to respect its place may go there now.
    if (freed) this.#queue.retry((other) => other.uid !== uid && other.priority <= (pod.spec.priority ?? 0));
  }

  /** Whether the pod held a nomination. */
  #forget(uid: string): boolean {
    const held = this.#withdraw(uid);
    this.#queue.remove(uid);
    return held;
  }

  #withdraw(uid: string): boolean {
    const nominated = this.#queue.get(uid)?.pod.status?.nominatedNodeName;
    if (nominated !== undefined) this.#cache.withdrawNomination(uid, nominated);
    return nominated !== undefined;
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    this.#loop.schedule(cycleMilliseconds, "kube-scheduler cycle", () => {
      this.#running = false;
      const info = this.#queue.take();
      if (info !== undefined) this.#schedule(info);
      if (this.#queue.hasReady()) this.#run();
    });
  }

  #schedule(info: PodInfo): void {
    const volumes = volumeState(info, this.#server);
    const state = preFilter(info, this.#cache, volumes);
    if (volumes.refusal !== undefined) {
      this.#refuse(info, `0/${this.#cache.nodes().length} nodes are available: ${volumes.refusal}.`);
      return;
    }
    const nominated = this.#cache.node(info.pod.status?.nominatedNodeName ?? "");
    if (nominated !== undefined && filterNode(info, nominated, state).length === 0) {
      this.#bind(info, nominated);
      return;
    }
    const { feasible, message } = this.#filter(info, state);
    const chosen = this.#choose(info, feasible);
    if (chosen === undefined) this.#refuse(info, message);
    else this.#bind(info, chosen);
  }

  /** Looks at nodes in a circle, from where the last attempt stopped, until enough are feasible. */
  #filter(info: PodInfo, state: PreFilterState): { feasible: NodeInfo[]; message: string } {
    const nodes = this.#cache.nodes();
    const enough = nodesToFind(nodes.length);
    const feasible: NodeInfo[] = [];
    const reasons = new Map<string, number>();
    let looked = 0;
    while (looked < nodes.length && feasible.length < enough) {
      const node = nodes[(this.#startIndex + looked++) % nodes.length];
      if (node === undefined) continue;
      const failures = filterNode(info, node, state);
      if (failures.length === 0) feasible.push(node);
      for (const failure of failures) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
    }
    this.#startIndex = nodes.length === 0 ? 0 : (this.#startIndex + looked) % nodes.length;
    return { feasible, message: refusal(nodes.length, reasons) };
  }

  #choose(info: PodInfo, feasible: readonly NodeInfo[]): NodeInfo | undefined {
    if (feasible.length <= 1) return feasible[0];
    const scores = scoreNodes(info, feasible, this.#cache);
    const best = Math.max(...scores);
    return this.#random.pick(feasible.filter((_, index) => scores[index] === best));
  }

  #bind(info: PodInfo, node: NodeInfo): void {
    provisionVolumes(info, node, this.#server);
    this.#server.bind({ namespace: info.namespace, name: info.pod.metadata.name }, node.name);
  }

  /** Writes only what changed; a nomination that did not work out is cleared. */
  #refuse(info: PodInfo, message: string): void {
    this.#queue.refuse(info.uid, this.#cache.nodes().length === 0);
    const { status } = info.pod;
    const before = conditionOf(info.pod, "PodScheduled");
    const same = before?.status === "False" && before.reason === "Unschedulable" && before.message === message;
    if (same && status?.nominatedNodeName === undefined) return;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
    const conditions = withConditions(status?.conditions, [condition], this.#loop.now());
    this.#server.patch(
      "Pod",
      { namespace: info.namespace, name: info.pod.metadata.name },
      { status: { conditions, nominatedNodeName: null } },
      { subresource: "status", user },
    );
  }
}

/** `percentageOfNodesToScore` at its default: all of up to 100 nodes, then a share that falls from 50 % to 5 %. */
function nodesToFind(count: number): number {
  if (count <= 100) return count;
  const percentage = Math.max(5, 50 - Math.floor(count / 125));
  return Math.max(100, Math.floor((count * percentage) / 100));
}

function refusal(nodeCount: number, reasons: ReadonlyMap<string, number>): string {
  if (nodeCount === 0) return "no nodes available to schedule pods";
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodeCount} nodes are available: ${parts.join(", ")}.`;
}

/** The parts of a node whose change may make room. */
function schedulingView(node: Node): unknown {
  return [node.metadata.labels, node.spec?.taints, node.spec?.unschedulable, node.status?.allocatable];
}

/** The parts of a pod that matter to other pods. */
function placedView({ metadata, spec }: Pod): unknown {
  return [metadata.labels, metadata.deletionTimestamp, spec.tolerations, spec.schedulingGates];
}
