import { label } from "../api/labels.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { ClassTopology } from "./class-topology.ts";
import { getOrMake } from "./get-or-make.ts";
import { lazily } from "./lazily.ts";
import { domainsAmong } from "./node-domains.ts";
import type { NodeOption } from "./node-options.ts";
import { cpuPriceIn, optionsIn } from "./option-domains.ts";
import type { RefusalDetail } from "./plan.ts";
import { requirementsKey } from "./requirements-key.ts";
import type { CountedPlace, Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { domainsRefusal, noDomainRefusal } from "./topology-refusals.ts";
import { domainRefusal, needsDomain } from "./topology-rules.ts";
import type { ZoneIds } from "./zone-ids.ts";

/** The domains a new node must lie in for a pod, or why there are none. */
export type DomainAssignment = AssignedDomains | { readonly kind: "refused"; readonly refusal: () => RefusalDetail };

/** One object for one choice of domains of a class. */
export interface AssignedDomains {
  readonly kind: "assigned";
  readonly domains: ReadonlyMap<string, string>;
  readonly options: readonly NodeOption[];
  /** What a pod there adds to. */
  readonly places: () => readonly CountedPlace[];
}

/** Which zone comes first of several that the rules admit alike: the cheapest, or one that other pods go to already, the least of them. */
export type ZoneOrder = "by price" | "by load";

/** Choosers for one class after another; classes that would choose alike share one. */
export class DomainChoosers {
  readonly #topology: Topology;
  /** Pods by zone, where they decide. */
  readonly #loads: Map<string, number> | undefined;
  readonly #known = new Map<ClassTopology, Map<readonly NodeOption[], Map<string, DomainChooser>>>();

  constructor(topology: Topology, zoneOrder: ZoneOrder) {
    this.#topology = topology;
    this.#loads = zoneOrder === "by load" ? new Map() : undefined;
  }

  chooserFor(
    constraints: PodConstraints,
    requirements: Requirements,
    options: readonly NodeOption[],
    pods: number,
  ): DomainChooser {
    const own = this.#topology.of(constraints);
    const make = () => new DomainChooser(this.#topology, constraints, requirements, options, pods, this.#loads);
    // The prices of other keys' domains depend on the pods themselves.
    if (own.keysToPin.some((key) => key !== label.zone)) return make();
    const ofTopology = getOrMake(this.#known, own, () => new Map());
    const ofOptions = getOrMake(ofTopology, options, () => new Map());
    return getOrMake(ofOptions, requirementsKey(requirements), make);
  }
}

/**
 * Decides, key by key, in which topology domain a pod's new node will lie: among those the rules admit the one with the fewest
 * matching pods, then the cheapest, then the first by name; where that leads nowhere for the next key, the next one. A zone is
 * pinned, never left open, so that zone anti-affinity places as many pods in a pass as there are zones. What does not change from pod
 * to pod is kept, and a pod that finds its place makes nothing anew.
 */
export class DomainChooser {
  readonly #topology: Topology;
  readonly #classTopology: ClassTopology;
  readonly #constraints: PodConstraints;
  readonly #requirements: Requirements;
  readonly #pods: number;
  readonly #loads: Map<string, number> | undefined;
  readonly #start: Step;

  constructor(
    topology: Topology,
    constraints: PodConstraints,
    requirements: Requirements,
    options: readonly NodeOption[],
    pods: number,
    loads?: Map<string, number>,
  ) {
    this.#topology = topology;
    this.#loads = loads;
    this.#classTopology = topology.of(constraints);
    this.#constraints = constraints;
    this.#requirements = requirements;
    this.#pods = pods;
    this.#start = this.#step(options, this.#classTopology.keysToPin, []);
  }

  choose(): DomainAssignment {
    const assignment = this.#chooseFrom(this.#start);
    const zone = assignment.kind === "assigned" ? assignment.domains.get(label.zone) : undefined;
    if (zone !== undefined) this.#loads?.set(zone, (this.#loads.get(zone) ?? 0) + 1);
    return assignment;
  }

  #chooseFrom(step: Step): DomainAssignment {
    const { key } = step;
    if (key === undefined) return step.assigned();
    const domains = step.domains();
    const missing = this.#missingKey(key, domains);
    if (missing !== undefined) return { kind: "refused", refusal: () => noDomainRefusal(missing) };
    if (domains.length === 0) return this.#chooseFrom(step.without());
    let refused: DomainAssignment | undefined;
    let tried: Set<DomainStep> | undefined;
    for (let next = this.#best(domains); next !== undefined; next = this.#best(domains, tried)) {
      const assignment = this.#chooseFrom(next.next());
      if (assignment.kind === "assigned") return assignment;
      refused ??= assignment;
      tried = (tried ?? new Set()).add(next);
    }
    return refused ?? { kind: "refused", refusal: () => this.#whyNone(key, domains) };
  }

  /** The key of which a node needs a value, and none of the nodes that could be made has one. */
  #missingKey(key: string, domains: readonly DomainStep[]): string | undefined {
    const { zoneIds } = this.#topology;
    const needsId = key === label.zone && needsDomain(this.#classTopology, label.zoneId);
    if (needsId && !domains.some(({ domain }) => zoneIds.has(domain))) return label.zoneId;
    return domains.length === 0 && needsDomain(this.#classTopology, key) ? key : undefined;
  }

  /** Domains come cheapest first. */
  #best(domains: readonly DomainStep[], tried?: ReadonlySet<DomainStep>): DomainStep | undefined {
    let best: DomainStep | undefined;
    let least = Number.POSITIVE_INFINITY;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (const entry of domains) {
      if (tried?.has(entry) || this.#refusal(entry) !== undefined) continue;
      const matching = this.#matchingIn(entry);
      const load = this.#loadOf(entry);
      if (matching < least || (matching === least && load < leastLoad)) {
        best = entry;
        least = matching;
        leastLoad = load;
      }
    }
    return best;
  }

  /** Zones without pods come last: each is a node more. */
  #loadOf({ domain }: DomainStep): number {
    return this.#loads === undefined ? 0 : (this.#loads.get(domain) ?? Number.MAX_SAFE_INTEGER);
  }

  #refusal({ labels }: DomainStep): TopologyGroup | undefined {
    for (const [name, value] of labels) {
      const refusal = domainRefusal(this.#topology, this.#classTopology, name, value);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Also by the spread rules of others that count this class: pods that need not spread, but had better not stand in the way. */
  #matchingIn({ labels }: DomainStep): number {
    let matching = 0;
    for (const [name, value] of labels) {
      for (const { counts } of this.#classTopology.rulesOf(name).spread) matching += counts.of(value);
    }
    return matching;
  }

  #whyNone(key: string, steps: readonly DomainStep[]): RefusalDetail {
    const domains = steps.toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
    const refusals = domains.map((entry) => this.#refusal(entry));
    const rule = refusals.find((refusal) => refusal !== undefined)?.key ?? key;
    const nameOf = ({ labels, domain }: DomainStep) => new Map(labels).get(rule) ?? domain;
    const refusing = new Map(domains.map((entry, index) => [nameOf(entry), refusals[index]]));
    return domainsRefusal(this.#topology, this.#classTopology, this.#constraints, rule, refusing);
  }

  #step(options: readonly NodeOption[], keys: readonly string[], settled: readonly Label[]): Step {
    const [key, ...others] = keys;
    return {
      key,
      assigned: lazily(() => this.#assigned(options, new Map(settled))),
      without: lazily(() => this.#step(options, others, settled)),
      domains: lazily(() => (key === undefined ? [] : this.#domainSteps(options, key, others, settled))),
    };
  }

  #assigned(options: readonly NodeOption[], domains: ReadonlyMap<string, string>): AssignedDomains {
    const places = lazily(() => this.#topology.placesOnNewNode(this.#constraints, domains, options));
    return { kind: "assigned", domains, options, places };
  }

  #domainSteps(
    options: readonly NodeOption[],
    key: string,
    others: readonly string[],
    settled: readonly Label[],
  ): readonly DomainStep[] {
    const { zoneIds } = this.#topology;
    const known = key === label.zone ? [] : this.#topology.existingDomains(key);
    const domains = domainsAmong(options, key, this.#requirements, zoneIds, known);
    const pods = podsPerDomain(this.#classTopology, key, this.#pods, domains.length);
    const steps = domains.map((domain) => {
      const inDomain = optionsIn(options, key, domain);
      const labels = labelsOf(key, domain, zoneIds);
      return {
        domain,
        labels,
        price:
          key === label.zone ? cpuPriceIn(options, domain) : nodesPrice(inDomain, this.#constraints.requests, pods),
        next: lazily(() => this.#step(inDomain, others, [...settled, ...labels])),
      };
    });
    return steps.sort((a, b) => a.price - b.price || (a.domain < b.domain ? -1 : 1));
  }
}

type Label = readonly [key: string, value: string];

/** A key to be decided, with the options that the keys before it have left. */
interface Step {
  /** Absent when all is decided. */
  readonly key: string | undefined;
  readonly assigned: () => AssignedDomains;
  /** Cheapest first, then by name. */
  readonly domains: () => readonly DomainStep[];
  /** The next key, this one left open. */
  readonly without: () => Step;
}

interface DomainStep {
  readonly domain: string;
  /** What the choice of the domain says of the node's labels. */
  readonly labels: readonly Label[];
  /** What decides where nothing else does; comparable among the domains of one key. */
  readonly price: number;
  readonly next: () => Step;
}

/** With the zone its id is settled too. */
function labelsOf(key: string, domain: string, zoneIds: ZoneIds): readonly Label[] {
  const id = key === label.zone ? zoneIds.get(domain) : undefined;
  return id === undefined
    ? [[key, domain]]
    : [
        [key, domain],
        [label.zoneId, id],
      ];
}

/** How many pods each of so many domains of a key is likely to get. */
function podsPerDomain(own: ClassTopology, key: string, pods: number, domains: number): number {
  const { owned } = own.rulesOf(key);
  if (owned.some((group) => group.kind === "anti-affinity" && own.isCountedBy(group))) return 1;
  return owned.some(({ kind }) => kind === "spread") ? Math.ceil(pods / Math.max(1, domains)) : pods;
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
