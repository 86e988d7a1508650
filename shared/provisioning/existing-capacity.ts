import { hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import { addResources, fits, type Resources, subtractResources } from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { NominationHolds } from "../state/nomination-holds.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { PodClass } from "./pod-class.ts";
import { domainOf, possibleDomains, type Topology } from "./topology.ts";
import { suitsNode, toleratesNode } from "./topology-group.ts";
import { domainRefusal, needsDomain } from "./topology-rules.ts";

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
          hostPorts: [...node.hostPorts, ...held.flatMap((pod) => pod.constraints.hostPorts)],
          placed: [],
        };
      });
  }

  /** Starts filling for one class. */
  fillerFor(podClass: PodClass): ClassFiller {
    const { constraints } = podClass;
    const candidates = this.#slots.filter(
      (slot) => toleratesNode(constraints, slot.node) && suitsNode(constraints, slot.node),
    );
    return new ClassFiller(constraints, candidates, this.#topology);
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
class ClassFiller {
  readonly #constraints: PodConstraints;
  readonly #topology: Topology;
  #candidates: Slot[];

  constructor(constraints: PodConstraints, candidates: readonly Slot[], topology: Topology) {
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
    const domains = this.#keys().flatMap((key) => {
      const domain = domainOf(key, slot.node);
      return domain === undefined ? [] : [[key, domain] as const];
    });
    this.#topology.record(this.#constraints, new Map(domains), slot.node);
    return true;
  }

  #isAllowed(slot: Slot): boolean {
    const wantedPorts = this.#constraints.hostPorts.map(parseHostPort);
    if (wantedPorts.length > 0 && hostPortConflict(slot.hostPorts.map(parseHostPort), wantedPorts) !== undefined) {
      return false;
    }
    const classTopology = this.#topology.of(this.#constraints);
    return this.#keys().every((key) => {
      const domain = domainOf(key, slot.node);
      if (domain === undefined) return this.#isAllowedWhereverItLands(slot.node, key);
      return domainRefusal(this.#topology, classTopology, this.#constraints, key, domain) === undefined;
    });
  }

  /** A claim whose domain is still open takes only pods that mind no domain and that nobody in one of them minds. */
  #isAllowedWhereverItLands(node: ClusterNode, key: string): boolean {
    const classTopology = this.#topology.of(this.#constraints);
    const domains = possibleDomains(key, node);
    if (domains.length === 0) return !needsDomain(classTopology, key);
    return (
      classTopology.owned.every((group) => group.key !== key) &&
      domains.every(
        (domain) => domainRefusal(this.#topology, classTopology, this.#constraints, key, domain) === undefined,
      )
    );
  }

  #keys(): readonly string[] {
    const { owned, matched } = this.#topology.of(this.#constraints);
    return [...new Set([...owned, ...matched].map((group) => group.key))];
  }
}
