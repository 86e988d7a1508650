import { label } from "../api/labels.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import { type NamespaceLabels, type TopologyGroup, TopologyGroups } from "./topology-group.ts";

/** Domain by topology key: where a pod lies, as far as it is known. */
export type Domains = ReadonlyMap<string, string>;

/** The groups that concern one class. */
export interface ClassTopology {
  readonly owned: readonly TopologyGroup[];
  /** Groups of others (or its own) that count this class. */
  readonly matched: readonly TopologyGroup[];
  /** Keys other than hostname whose domain must be decided when a pod of this class is planned onto a new node. */
  readonly keysToPin: readonly string[];
}

interface World {
  readonly classes: readonly PodConstraints[];
  readonly nodes: readonly ClusterNode[];
  /** Pods that are not bound to a node but have a place on it. */
  readonly heldPods: (node: ClusterNode) => readonly PodRecord[];
  /** Pods that are being planned anew: they are not counted where they are. */
  readonly planned: ReadonlySet<string>;
  readonly namespaces: NamespaceLabels;
}

/** Counts of pods by topology domain, kept up to date while a plan is made (karpenter-core §5). */
export class Topology {
  readonly #groups: TopologyGroups;
  readonly #classes = new Map<PodConstraints, ClassTopology>();
  readonly #nodes: readonly ClusterNode[];

  constructor(world: World) {
    this.#groups = new TopologyGroups(world.namespaces);
    this.#nodes = world.nodes;
    const owned = new Map(world.classes.map((constraints) => [constraints, this.#groups.ownedBy(constraints)]));
    const present = world.nodes.flatMap((node) =>
      [...node.pods, ...world.heldPods(node)]
        .filter((pod) => pod.deletedAt === undefined && !world.planned.has(pod.uid))
        .map((pod) => ({ pod, node })),
    );
    for (const { pod } of present)
      if (pod.constraints.podAntiAffinity.length > 0) this.#groups.ownedBy(pod.constraints);
    for (const { pod, node } of present) this.#count(pod.constraints, node);
    for (const constraints of world.classes) this.#classes.set(constraints, this.#classTopology(constraints, owned));
  }

  of(constraints: PodConstraints): ClassTopology {
    return this.#classes.get(constraints) ?? { owned: [], matched: [], keysToPin: [] };
  }

  /** Domains of a key that exist on nodes which this class's spread would count. */
  domainsOnNodes(group: TopologyGroup): readonly string[] {
    const domains = this.#nodes
      .filter((node) => !node.leaving && group.countsNode(node))
      .map((node) => domainOf(group.key, node))
      .filter((domain) => domain !== undefined && domain !== "");
    return [...new Set(domains.filter((domain) => domain !== undefined))];
  }

  /** Notes that a pod of this class was planned into these domains; -1 takes it back. */
  record(constraints: PodConstraints, domains: Domains, times: 1 | -1 = 1): void {
    const { owned, matched } = this.of(constraints);
    for (const group of matched) add(group.counts, domains.get(group.key), times);
    for (const group of owned) if (group.kind === "anti-affinity") add(group.owners, domains.get(group.key), times);
  }

  #count(constraints: PodConstraints, node: ClusterNode): void {
    for (const group of this.#groups.all()) {
      const domain = domainOf(group.key, node);
      if (domain !== undefined && group.matches(constraints) && group.countsNode(node)) add(group.counts, domain, 1);
    }
    for (const group of constraints.podAntiAffinity.length === 0 ? [] : this.#groups.ownedBy(constraints)) {
      if (group.kind === "anti-affinity") add(group.owners, domainOf(group.key, node), 1);
    }
  }

  #classTopology(
    constraints: PodConstraints,
    owned: ReadonlyMap<PodConstraints, readonly TopologyGroup[]>,
  ): ClassTopology {
    const own = owned.get(constraints) ?? [];
    const matched = this.#groups.all().filter((group) => group.matches(constraints));
    const keys = [...own, ...matched].map((group) => group.key).filter((key) => key !== label.hostname);
    return { owned: own, matched, keysToPin: [...new Set(keys)].sort() };
  }
}

/** A node's domain of a topology key; of the hostname it is the node's own name. */
export function domainOf(key: string, node: ClusterNode): string | undefined {
  return key === label.hostname ? node.name : node.labels[key];
}

function add(counts: Map<string, number>, domain: string | undefined, times: number): void {
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + times);
}
