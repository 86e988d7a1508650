import { label } from "../api/labels.ts";
import { firstConflict, requirementsOf } from "../scheduling/requirements.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import { type Eligibility, type NamespaceLabels, type TopologyGroup, TopologyGroups } from "./topology-group.ts";

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
  /** Domains of a key on the nodes that could be made. */
  readonly newDomains: (key: string, eligibility: Eligibility) => readonly string[];
}

/** Counts of pods by topology domain, kept up to date while a plan is made (karpenter-core §5). */
export class Topology {
  readonly #groups: TopologyGroups;
  readonly #classes = new Map<PodConstraints, ClassTopology>();
  readonly #world: World;
  readonly #domains = new Map<TopologyGroup, ReadonlySet<string>>();

  constructor(world: World) {
    this.#groups = new TopologyGroups(world.namespaces);
    this.#world = world;
    const owned = new Map(world.classes.map((constraints) => [constraints, this.#groups.ownedBy(constraints)]));
    const present = world.nodes.flatMap((node) =>
      [...node.pods, ...world.heldPods(node)]
        .filter((pod) => pod.deletedAt === undefined && !world.planned.has(pod.uid))
        .map((pod) => ({ pod, node })),
    );
    for (const { pod } of present) this.#groups.antiAffinityOf(pod.constraints);
    for (const { pod, node } of present) this.#count(pod.constraints, node);
    for (const constraints of world.classes) this.#classes.set(constraints, this.#classTopology(constraints, owned));
  }

  of(constraints: PodConstraints): ClassTopology {
    return this.#classes.get(constraints) ?? { owned: [], matched: [], keysToPin: [] };
  }

  /**
   * The domains among which a spread constraint compares: of nodes that exist and of those that could be made, as far as its policies
   * count them. An empty label value is no domain.
   */
  domainsOf(group: TopologyGroup): ReadonlySet<string> {
    let domains = this.#domains.get(group);
    if (domains === undefined) {
      const existing = this.#world.nodes
        .filter((node) => !node.leaving && group.countsNode(node))
        .flatMap((node) => domainOf(group.key, node) || []);
      domains = new Set([...existing, ...this.#world.newDomains(group.key, group.eligibility)]);
      this.#domains.set(group, domains);
    }
    return domains;
  }

  /** Notes that a pod of this class was planned into these domains, on a node that exists or on one to be made. */
  record(constraints: PodConstraints, domains: Domains, node?: ClusterNode): void {
    const { owned, matched } = this.of(constraints);
    for (const group of matched) {
      const counts = node === undefined ? mayCount(group, constraints) : group.countsNode(node);
      if (counts) add(group.counts, domains.get(group.key));
    }
    for (const group of owned) if (group.kind === "anti-affinity") add(group.owners, domains.get(group.key));
  }

  #count(constraints: PodConstraints, node: ClusterNode): void {
    for (const group of this.#groups.all()) {
      if (!group.matches(constraints) || !group.countsNode(node)) continue;
      const domains = group.kind === "anti-affinity" ? possibleDomains(group.key, node) : [domainOf(group.key, node)];
      for (const domain of domains) add(group.counts, domain);
    }
    for (const group of this.#groups.antiAffinityOf(constraints)) {
      for (const domain of possibleDomains(group.key, node)) add(group.owners, domain);
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

/** Whether a node made for a pod could be one that a spread constraint counts; where only the node will tell, it is taken to be. */
function mayCount({ eligibility }: TopologyGroup, pod: PodConstraints): boolean {
  return (
    eligibility.nodeAlternatives?.some((wanted) =>
      pod.nodeAlternatives.some((own) => firstConflict(own, wanted) === undefined),
    ) ?? true
  );
}

/** All domains a claim may still land in, where it is not settled: anti-affinity must assume each of them. */
export function possibleDomains(key: string, node: ClusterNode): readonly string[] {
  const settled = domainOf(key, node);
  if (settled !== undefined) return [settled];
  const open = requirementsOf(node.nodeClaim?.spec.requirements ?? []).get(key);
  return node.initialized || open === undefined || open.complement ? [] : [...open.values];
}

function add(counts: Map<string, number>, domain: string | undefined): void {
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
}
