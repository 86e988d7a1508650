import { label } from "../api/labels.ts";
import { hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import { addResources, fits, type Resources, subtractResources } from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { NominationHolds } from "../state/nomination-holds.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { PodClass } from "./pod-class.ts";
import { domainOf, type Topology } from "./topology.ts";
import { suitsNode, toleratesNode } from "./topology-group.ts";
import { domainRefusal } from "./topology-rules.ts";

/** Room on nodes and NodeClaims that exist: filled first, first fit, initialized nodes before others (karpenter-core §4). */
export class ExistingCapacity {
  readonly #slots: readonly Slot[];
  readonly #topology: Topology;

  constructor(nodes: readonly ClusterNode[], holds: NominationHolds, topology: Topology) {
    this.#topology = topology;
    this.#slots = nodes
      .filter((node) => !node.leaving && !node.cordoned)
      .map((node) => {
        const held = heldPods(node, holds);
        const requests = held.map((pod) => pod.constraints.requests);
        return {
          node,
          free: subtractResources(node.allocatable, addResources(node.used, ...requests)),
          hostPorts: [...node.pods, ...held].flatMap((pod) => pod.constraints.hostPorts),
          placed: [],
        };
      });
  }

  /** Starts filling for one class; `domains` lists the domains of a key that new nodes could give it. */
  fillerFor(podClass: PodClass, domains: (key: string) => readonly string[]): ClassFiller {
    const { constraints } = podClass;
    const candidates = this.#slots.filter(
      (slot) => toleratesNode(constraints, slot.node) && suitsNode(constraints, slot.node),
    );
    return new ClassFiller(constraints, candidates, this.#topology, domains);
  }

  /** Pods by node name, in the order they were placed. */
  placements(): readonly { readonly name: string; readonly pods: readonly PodRecord[] }[] {
    return this.#slots
      .filter((slot) => slot.placed.length > 0)
      .map(({ node, placed }) => ({ name: node.name, pods: placed }));
  }
}

interface Slot {
  readonly node: ClusterNode;
  free: Resources;
  readonly hostPorts: string[];
  readonly placed: PodRecord[];
}

export function heldPods(node: ClusterNode, holds: NominationHolds): readonly PodRecord[] {
  return holds.podsByClaim.get(node.nodeClaim?.metadata.name ?? "") ?? [];
}

/** Places the pods of one class one after another. A node that is full for the class is not looked at again. */
export class ClassFiller {
  readonly #constraints: PodConstraints;
  readonly #topology: Topology;
  readonly #domains: (key: string) => readonly string[];
  #candidates: Slot[];

  constructor(
    constraints: PodConstraints,
    candidates: readonly Slot[],
    topology: Topology,
    domains: (key: string) => readonly string[],
  ) {
    this.#domains = domains;
    this.#constraints = constraints;
    this.#candidates = [...candidates];
    this.#topology = topology;
  }

  /** True when some node took the pod; its topology counts are updated. */
  place(pod: PodRecord): boolean {
    this.#candidates = this.#candidates.filter((slot) => fits(this.#constraints.requests, slot.free));
    const slot = this.#candidates.find((candidate) => this.#isAllowed(candidate));
    if (slot === undefined) return false;
    slot.free = subtractResources(slot.free, this.#constraints.requests);
    slot.hostPorts.push(...this.#constraints.hostPorts);
    slot.placed.push(pod);
    this.#topology.record(this.#constraints, new Map(this.#keys().map((key) => [key, domainOf(key, slot.node) ?? ""])));
    return true;
  }

  #isAllowed(slot: Slot): boolean {
    const wantedPorts = this.#constraints.hostPorts.map(parseHostPort);
    if (wantedPorts.length > 0 && hostPortConflict(wantedPorts, slot.hostPorts.map(parseHostPort)) !== undefined)
      return false;
    const classTopology = this.#topology.of(this.#constraints);
    return this.#keys().every((key) => {
      const domain = domainOf(key, slot.node);
      const needed = classTopology.owned.some((group) => group.key === key && group.kind !== "anti-affinity");
      if (domain === undefined) return !needed;
      const eligible = key === label.hostname ? undefined : this.#domains(key);
      return domainRefusal(this.#topology, classTopology, this.#constraints, key, domain, eligible) === undefined;
    });
  }

  #keys(): readonly string[] {
    const { owned, matched } = this.#topology.of(this.#constraints);
    return [...new Set([...owned, ...matched].map((group) => group.key))];
  }
}
