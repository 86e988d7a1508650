import { label } from "../api/labels.ts";
import { requirementsOf } from "../scheduling/requirements.ts";
import { fits } from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import { type ClassTopology, noTopology, TopologyRoles } from "./class-topology.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { newDomains, optionCounter } from "./node-domains.ts";
import type { NodeOption, PlanningPools } from "./node-options.ts";
import { type TopologyGroup, TopologyGroups, type TopologyRules } from "./topology-group.ts";
import type { ZoneIds } from "./zone-ids.ts";

/** Domain by topology key: where a pod lies, as far as it is known. */
export type Domains = ReadonlyMap<string, string>;

interface World {
  readonly classes: readonly PodConstraints[];
  readonly nodes: readonly ClusterNode[];
  /** Pods that are not bound to a node but have a place on it. */
  readonly heldPods: (node: ClusterNode) => readonly PodRecord[];
  /** Pods that are being planned anew: they are not counted where they are. */
  readonly planned: ReadonlySet<string>;
  readonly rules: TopologyRules;
  /** What nodes could be made. */
  readonly pools: PlanningPools;
  /** Domains, as {@link domainKey}, that nodes made for other pods are known to open. */
  readonly opened: ReadonlySet<string>;
}

/** Counts of pods by topology domain, kept up to date while a plan is made (karpenter-core §5). */
export class Topology {
  readonly #groups: TopologyGroups;
  readonly #classes = new Map<PodConstraints, ClassTopology>();
  readonly #roles: TopologyRoles;
  readonly #owners = new Map<TopologyGroup, PodConstraints[]>();
  readonly #world: World;
  readonly #domains = new Map<TopologyGroup, ReadonlySet<string>>();
  readonly #existingDomains = new Map<string, readonly string[]>();
  /** Groups that count pods which do not keep their rule. */
  #foreign: ReadonlySet<TopologyGroup> | undefined;
  readonly #allNewDomains = new Map<string, readonly string[]>();
  readonly #mayCount: (options: readonly NodeOption[], group: TopologyGroup, domains: Domains) => boolean;

  constructor(world: World) {
    this.#groups = new TopologyGroups(world.rules);
    this.#world = world;
    this.#mayCount = optionCounter(world.pools);
    const owned = new Map(world.classes.map((constraints) => [constraints, this.#groups.ownedBy(constraints)]));
    const present = world.nodes.flatMap((node) =>
      [...node.pods, ...world.heldPods(node)]
        .filter((pod) => pod.deletedAt === undefined && !world.planned.has(pod.uid))
        .map((pod) => ({ pod, node })),
    );
    for (const [constraints, groups] of owned) {
      for (const group of groups) {
        const owners = this.#owners.get(group);
        if (owners === undefined) this.#owners.set(group, [constraints]);
        else owners.push(constraints);
      }
    }
    for (const constraints of new Set(present.map(({ pod }) => pod.constraints))) {
      this.#groups.antiAffinityOf(constraints);
    }
    this.#roles = new TopologyRoles(this.#groups);
    for (const { pod, node } of present) {
      countOn(node, this.#roles.matchedBy(pod.constraints), this.#groups.antiAffinityOf(pod.constraints));
    }
    for (const [constraints, groups] of owned) this.#classes.set(constraints, this.#roles.of(constraints, groups));
  }

  of(constraints: PodConstraints | undefined): ClassTopology {
    return (constraints === undefined ? undefined : this.#classes.get(constraints)) ?? noTopology;
  }

  get zoneIds(): ZoneIds {
    return this.#world.pools.zoneIds;
  }

  /** The values that the nodes that exist have of a label. */
  existingDomains(key: string): readonly string[] {
    const known = this.#existingDomains.get(key);
    if (known !== undefined) return known;
    const domains = [...new Set(this.#world.nodes.flatMap((node) => domainOf(key, node) ?? []))];
    this.#existingDomains.set(key, domains);
    return domains;
  }

  /**
   * The domains among which a spread constraint compares: of nodes that exist, of those that could be made for one of its owners, and
   * of those that others are known to get, as far as its policies count them. An empty label value is no domain.
   */
  domainsOf(group: TopologyGroup): ReadonlySet<string> {
    let domains = this.#domains.get(group);
    if (domains === undefined) {
      const existing = this.#world.nodes
        .filter((node) => !node.leaving && group.countsNode(node))
        .flatMap((node) => domainOf(group.key, node) ?? []);
      const requests = (this.#owners.get(group) ?? []).map((owner) => owner.requests);
      const isUsable = ({ free }: NodeOption) => requests.some((wanted) => fits(wanted, free));
      const others = this.#newDomains(group).filter((domain) => this.#world.opened.has(domainKey(group.key, domain)));
      const usable = newDomains(this.#world.pools, group.key, group.eligibility, isUsable);
      domains = new Set([...existing, ...usable, ...others]);
      this.#domains.set(group, domains);
    }
    return domains;
  }

  /** Domains that no spread constraint has counted, because no node could be made there for its own pods; as {@link domainKey}. */
  uncountedDomains(): ReadonlySet<string> {
    const uncounted = [...this.#domains].flatMap(([group, counted]) =>
      this.#newDomains(group)
        .filter((domain) => !counted.has(domain))
        .map((domain) => domainKey(group.key, domain)),
    );
    return new Set(uncounted);
  }

  /**
   * The domains of a rule whatever is planned; undefined where it counts pods that do not keep it, or where its domains come and go
   * with other pods' nodes.
   */
  settledDomainsOf(group: TopologyGroup): ReadonlySet<string> | undefined {
    this.#foreign ??= new Set([...this.#classes.values()].flatMap(({ owned, matched }) => without(matched, owned)));
    if (this.#foreign.has(group) || this.#world.opened.size > 0) return undefined;
    const domains = this.domainsOf(group);
    return this.#newDomains(group).every((domain) => domains.has(domain)) ? domains : undefined;
  }

  /** Of nodes for whatever pods: equal for groups that look at the same. */
  #newDomains({ key, eligibility }: TopologyGroup): readonly string[] {
    const name = `${key} ${eligibility.key}`;
    const domains = this.#allNewDomains.get(name) ?? newDomains(this.#world.pools, key, eligibility, () => true);
    this.#allNewDomains.set(name, domains);
    return domains;
  }

  /** Notes that a pod of this class was planned onto a node that exists. */
  recordOnNode(constraints: PodConstraints, node: ClusterNode): void {
    const { blocking, matched } = this.of(constraints);
    countOn(node, matched, blocking);
  }

  /** What changes when a pod of this class is planned into these domains, onto a node to be made from one of the options. */
  placesOnNewNode(
    constraints: PodConstraints,
    domains: Domains,
    options: readonly NodeOption[],
  ): readonly CountedPlace[] {
    const { blocking, matched } = this.of(constraints);
    const counted = matched.flatMap((group) => {
      const domain = domains.get(group.key);
      return domain !== undefined && this.#mayCount(options, group, domains) ? [{ counts: group.counts, domain }] : [];
    });
    const owners = blocking.flatMap((group) => {
      const domain = domains.get(group.key);
      return domain === undefined ? [] : [{ counts: group.owners, domain }];
    });
    return [...counted, ...owners];
  }
}

/** A count that a pod adds to. */
export interface CountedPlace {
  readonly counts: DomainCounts;
  readonly domain: string;
}

/** How a domain of a topology key is named. */
export function domainKey(key: string, domain: string): string {
  return `${key}=${domain}`;
}

/** A node's domain of a topology key; of the hostname it is the node's own name. An empty value is no domain (field scenario B1.03). */
export function domainOf(key: string, node: ClusterNode): string | undefined {
  return key === label.hostname ? node.name : node.labels[key] || undefined;
}

function countOn(node: ClusterNode, matched: readonly TopologyGroup[], blocking: readonly TopologyGroup[]): void {
  for (const group of matched) {
    if (!group.countsNode(node)) continue;
    const domains = group.kind === "anti-affinity" ? possibleDomains(group.key, node) : [domainOf(group.key, node)];
    for (const domain of domains) add(group.counts, domain);
  }
  for (const group of blocking) for (const domain of possibleDomains(group.key, node)) add(group.owners, domain);
}

/** All domains a claim may still land in, where it is not settled: anti-affinity must assume each of them. */
export function possibleDomains(key: string, node: ClusterNode): readonly string[] {
  const settled = domainOf(key, node);
  if (settled !== undefined) return [settled];
  const open = requirementsOf(node.nodeClaim?.spec.requirements ?? []).get(key);
  return node.initialized || open === undefined || open.complement ? [] : [...open.values];
}

function without(groups: readonly TopologyGroup[], left: readonly TopologyGroup[]): readonly TopologyGroup[] {
  return groups.filter((group) => !left.includes(group));
}

function add(counts: DomainCounts, domain: string | undefined): void {
  if (domain !== undefined) counts.add(domain);
}
