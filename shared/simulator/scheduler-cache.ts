import type { Node, Pod, PodAffinityTerm } from "../api/core.ts";
import type { Taint } from "../api/schema.ts";
import { type HostPort, hostPorts } from "../scheduling/host-ports.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { parseResources, type Resources } from "../scheduling/resources.ts";
import { isTerminal } from "./pod-status.ts";

/** A pod with what kube-scheduler works out once. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly requests: Resources;
  /** Cpu (millicores) and memory (bytes) for scoring: containers without requests count as 100m and 200Mi. */
  readonly scoringRequests: readonly [cpu: number, memory: number];
  readonly hostPorts: readonly HostPort[];
  readonly affinity: readonly PodAffinityTerm[];
  readonly antiAffinity: readonly PodAffinityTerm[];
  readonly controllerUid: string | undefined;
  /** Equal for pods of one namespace that have the same labels. */
  readonly labelsKey: string;
}

/** Pods of one node that no label selector can tell apart. */
export interface PodGroup {
  /** One of them. */
  readonly pod: PodInfo;
  count: number;
  /** Without those that are terminating. */
  staying: number;
}

export function podInfo(pod: Pod): PodInfo {
  const requests = podRequests(pod.spec);
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  return {
    pod,
    uid: pod.metadata.uid ?? "",
    namespace: pod.metadata.namespace ?? "",
    labels: pod.metadata.labels ?? {},
    priority: pod.spec.priority ?? 0,
    requests,
    scoringRequests: [requests.cpu || 100, requests.memory || 200 * 1024 * 1024],
    hostPorts: hostPorts(pod.spec),
    affinity: podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    antiAffinity: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    controllerUid: pod.metadata.ownerReferences?.find((owner) => owner.controller === true)?.uid,
    labelsKey: JSON.stringify([pod.metadata.namespace, Object.entries(pod.metadata.labels ?? {}).sort()]),
  };
}

/** A node, the pods on it and their running sums. Pods may be known before their node. */
export class NodeInfo {
  readonly name: string;
  readonly pods = new Map<string, PodInfo>();
  /** Pods without a node whose `nominatedNodeName` is this one: room is kept for them. */
  readonly nominated = new Map<string, PodInfo>();
  readonly requested: Record<string, number> = {};
  readonly scoringRequested: [cpu: number, memory: number] = [0, 0];
  readonly podsOfController = new Map<string, number>();
  readonly podGroups = new Map<string, PodGroup>();
  node: Node | undefined;
  labels: Readonly<Record<string, string>> = {};
  taints: readonly Taint[] = [];
  allocatable: Resources = {};

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: Node | undefined): void {
    this.node = node;
    this.labels = node?.metadata.labels ?? {};
    this.taints = node?.spec?.taints ?? [];
    this.allocatable = parseResources(node?.status?.allocatable);
  }

  add(info: PodInfo, sign: 1 | -1): void {
    if (sign === 1) this.pods.set(info.uid, info);
    else this.pods.delete(info.uid);
    for (const name in info.requests) {
      this.requested[name] = (this.requested[name] ?? 0) + sign * (info.requests[name] ?? 0);
    }
    this.scoringRequested[0] += sign * info.scoringRequests[0];
    this.scoringRequested[1] += sign * info.scoringRequests[1];
    if (info.controllerUid !== undefined && info.pod.metadata.deletionTimestamp === undefined) {
      this.podsOfController.set(info.controllerUid, (this.podsOfController.get(info.controllerUid) ?? 0) + sign);
    }
    this.#group(info, sign);
  }

  #group(info: PodInfo, sign: 1 | -1): void {
    const group = this.podGroups.get(info.labelsKey) ?? { pod: info, count: 0, staying: 0 };
    group.count += sign;
    if (info.pod.metadata.deletionTimestamp === undefined) group.staying += sign;
    if (group.count > 0) this.podGroups.set(info.labelsKey, group);
    else this.podGroups.delete(info.labelsKey);
  }
}

/** Nodes and the pods bound to them, kept up to date pod by pod. Pods that ended hold nothing; terminating ones still do. */
export class SchedulerCache {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #placed = new Map<string, { readonly info: PodInfo; readonly node: NodeInfo }>();
  /** Pods on nodes that repel (or prefer) others: the few that every scheduling attempt must look at. */
  readonly repelling = new Map<string, NodeInfo>();
  readonly preferring = new Map<string, NodeInfo>();
  readonly namespaceLabels = new Map<string, Readonly<Record<string, string>>>();

  /** Nodes that exist, in the order in which they were first seen. */
  nodes(): NodeInfo[] {
    return [...this.#nodes.values()].filter((info) => info.node !== undefined);
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  setNode(node: Node): void {
    this.#info(node.metadata.name).setNode(node);
  }

  removeNode(name: string): void {
    this.#nodes.get(name)?.setNode(undefined);
    this.#dropIfUnused(name);
  }

  /** Adds, replaces or (once it has ended) drops a pod that is bound to a node. */
  setPod(pod: Pod): void {
    this.removePod(pod);
    if (pod.spec.nodeName === undefined || isTerminal(pod)) return;
    const info = podInfo(pod);
    const node = this.#info(pod.spec.nodeName);
    node.add(info, 1);
    this.#placed.set(info.uid, { info, node });
    if (info.antiAffinity.length > 0) this.repelling.set(info.uid, node);
    if (info.affinity.length > 0 || hasPreferences(pod)) this.preferring.set(info.uid, node);
  }

  removePod(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    placed.node.add(placed.info, -1);
    this.#placed.delete(uid);
    this.repelling.delete(uid);
    this.preferring.delete(uid);
    this.#dropIfUnused(placed.node.name);
  }

  nominate(info: PodInfo, nodeName: string): void {
    this.#info(nodeName).nominated.set(info.uid, info);
  }

  withdrawNomination(uid: string, nodeName: string): void {
    this.#nodes.get(nodeName)?.nominated.delete(uid);
    this.#dropIfUnused(nodeName);
  }

  #info(name: string): NodeInfo {
    const info = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, info);
    return info;
  }

  #dropIfUnused(name: string): void {
    const info = this.#nodes.get(name);
    if (info !== undefined && info.node === undefined && info.pods.size === 0 && info.nominated.size === 0) {
      this.#nodes.delete(name);
    }
  }
}

function hasPreferences(pod: Pod): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].some(
    (each) => (each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  );
}
