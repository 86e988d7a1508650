import { label } from "../api/labels.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { lazily } from "./lazily.ts";
import { domainsAmong, mayLieIn } from "./node-domains.ts";
import type { NodeOption } from "./node-options.ts";
import type { RefusalDetail } from "./plan.ts";
import type { ClassTopology, Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { domainsRefusal, noDomainRefusal } from "./topology-refusals.ts";
import { countIn, domainRefusal, needsDomain } from "./topology-rules.ts";

/** The domains a new node must lie in for a pod, or why there are none. */
export type DomainAssignment =
  | {
      readonly kind: "assigned";
      readonly domains: ReadonlyMap<string, string>;
      readonly options: readonly NodeOption[];
    }
  | { readonly kind: "refused"; readonly refusal: RefusalDetail };

/**
 * Decides, key by key, in which topology domain a pod's new node will lie: among those the rules admit the one with the fewest
 * matching pods, then the cheapest, then the first by name; where that leads nowhere for the next key, the next one. A zone is
 * pinned, never left open, so that zone anti-affinity places as many pods in a pass as there are zones. Lives as long as one class
 * is placed: what does not change from pod to pod is kept.
 */
export class DomainChooser {
  readonly #topology: Topology;
  readonly #classTopology: ClassTopology;
  readonly #constraints: PodConstraints;
  readonly #start: Step;

  constructor(
    topology: Topology,
    constraints: PodConstraints,
    requirements: Requirements,
    options: readonly NodeOption[],
    pods: number,
  ) {
    this.#topology = topology;
    this.#classTopology = topology.of(constraints);
    this.#constraints = constraints;
    const { keysToPin } = this.#classTopology;
    const podsIn = (key: string, domains: number) =>
      podsPerDomain(this.#classTopology, constraints, key, pods, domains);
    this.#start = step(options, keysToPin, { requirements, topology, requests: constraints.requests, podsIn });
  }

  choose(): DomainAssignment {
    return this.#chooseFrom(this.#start, []);
  }

  #chooseFrom(step: Step, settled: readonly (readonly [string, string])[]): DomainAssignment {
    const { key } = step;
    if (key === undefined) return { kind: "assigned", domains: new Map(settled), options: step.options };
    const domains = step.domains();
    if (key === label.zone && needsDomain(this.#classTopology, label.zoneId)) {
      if (!domains.some(({ domain }) => this.#topology.zoneIds.has(domain))) {
        return { kind: "refused", refusal: noDomainRefusal(label.zoneId) };
      }
    }
    if (domains.length === 0) {
      if (!needsDomain(this.#classTopology, key)) return this.#chooseFrom(step.without(), settled);
      return { kind: "refused", refusal: noDomainRefusal(key) };
    }
    const refusals = domains.map(({ domain }) => this.#refusal(key, domain));
    const admitted = domains
      .filter((_, index) => refusals[index] === undefined)
      .map((entry) => ({ ...entry, matching: this.#matchingIn(key, entry.domain) }))
      .sort((a, b) => a.matching - b.matching || a.price - b.price || (a.domain < b.domain ? -1 : 1));
    let refused: DomainAssignment | undefined;
    for (const { domain, next } of admitted) {
      const assignment = this.#chooseFrom(next(), [...settled, ...this.#labelsOf(key, domain)]);
      if (assignment.kind === "assigned") return assignment;
      refused ??= assignment;
    }
    if (refused !== undefined) return refused;
    const rule = refusals.find((refusal) => refusal !== undefined)?.key ?? key;
    const nameOf = (domain: string) => new Map(this.#labelsOf(key, domain)).get(rule) ?? domain;
    const refusing = new Map(domains.map(({ domain }, index) => [nameOf(domain), refusals[index]]));
    const refusal = domainsRefusal(this.#topology, this.#classTopology, this.#constraints, rule, refusing);
    return { kind: "refused", refusal };
  }

  #refusal(key: string, domain: string): TopologyGroup | undefined {
    for (const [name, value] of this.#labelsOf(key, domain)) {
      const refusal = domainRefusal(this.#topology, this.#classTopology, this.#constraints, name, value);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** What the choice of a domain says of the node's labels: with the zone its id is settled too. */
  #labelsOf(key: string, domain: string): readonly (readonly [string, string])[] {
    const id = key === label.zone ? this.#topology.zoneIds.get(domain) : undefined;
    return id === undefined
      ? [[key, domain]]
      : [
          [key, domain],
          [label.zoneId, id],
        ];
  }

  /** Also by the spread rules of others that count this class: pods that need not spread, but had better not stand in the way. */
  #matchingIn(key: string, domain: string): number {
    const { owned, matched } = this.#classTopology;
    const labels = new Map(this.#labelsOf(key, domain));
    return [...new Set([...owned, ...matched])]
      .filter(({ kind }) => kind === "spread")
      .reduce((sum, group) => sum + countIn(group.counts, labels.get(group.key) ?? ""), 0);
  }
}

/** A key to be decided, with the options that the keys before it have left. */
interface Step {
  /** Absent when all is decided. */
  readonly key: string | undefined;
  readonly options: readonly NodeOption[];
  readonly domains: () => readonly DomainStep[];
  /** The next key, this one left open. */
  readonly without: () => Step;
}

interface DomainStep {
  readonly domain: string;
  /** What decides where nothing else does; comparable among the domains of one key. */
  readonly price: number;
  readonly next: () => Step;
}

/** What all steps of a class look at. */
interface Scope {
  readonly requirements: Requirements;
  readonly topology: Topology;
  /** Of one pod. */
  readonly requests: Resources;
  /** How many pods each of so many domains of a key is likely to get. */
  readonly podsIn: (key: string, domains: number) => number;
}

function podsPerDomain(
  { owned }: ClassTopology,
  constraints: PodConstraints,
  key: string,
  pods: number,
  domains: number,
): number {
  const own = owned.filter((group) => group.key === key);
  if (own.some((group) => group.kind === "anti-affinity" && group.matches(constraints))) return 1;
  return own.some(({ kind }) => kind === "spread") ? Math.ceil(pods / Math.max(1, domains)) : pods;
}

function step(options: readonly NodeOption[], keys: readonly string[], scope: Scope): Step {
  const [key, ...others] = keys;
  return {
    key,
    options,
    without: lazily(() => step(options, others, scope)),
    domains: lazily(() => (key === undefined ? [] : domainSteps(options, key, others, scope))),
  };
}

function domainSteps(
  options: readonly NodeOption[],
  key: string,
  others: readonly string[],
  scope: Scope,
): readonly DomainStep[] {
  const { requirements, topology, requests, podsIn } = scope;
  const known = key === label.zone ? [] : topology.existingDomains(key);
  const domains = domainsAmong(options, key, requirements, topology.zoneIds, known);
  const pods = podsIn(key, domains.length);
  return domains.map((domain) => {
    const inDomain = options.filter((option) => mayLieIn(option, key, domain));
    return {
      domain,
      price: key === label.zone ? cpuPrice(inDomain, domain) : nodesPrice(inDomain, requests, pods),
      next: lazily(() => step(inDomain, others, scope)),
    };
  });
}

/** The lowest price of a CPU in a zone: all zones have much the same types, and pods of other classes will share the nodes. */
function cpuPrice(options: readonly NodeOption[], zone: string): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const option of options) {
    for (const offering of option.offerings) {
      if (offering.zone !== zone) continue;
      lowest = Math.min(lowest, offering.priceUsdPerHour / Math.max(1, option.free.cpu ?? 0));
    }
  }
  return lowest;
}

/** The lowest price of nodes of one option that hold so many pods: domains of other keys differ by what nodes there are. */
function nodesPrice(options: readonly NodeOption[], requests: Resources, pods: number): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { free, offerings } of options) {
    const cheapest = offerings.reduce((least, { priceUsdPerHour }) => Math.min(least, priceUsdPerHour), lowest);
    if (cheapest >= lowest) continue;
    lowest = Math.min(lowest, cheapest * Math.ceil(pods / Math.max(1, podsThatFit(requests, free))));
  }
  return lowest;
}

function podsThatFit(requests: Resources, free: Resources): number {
  const fitting = Object.entries(requests).map(([name, amount]) =>
    amount > 0 ? Math.floor((free[name] ?? 0) / amount) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...fitting);
}
