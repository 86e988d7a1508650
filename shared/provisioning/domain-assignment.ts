import { label, wellKnownLabels } from "../api/labels.ts";
import { allows, firstConflict, firstIncompatibility, type Requirements } from "../scheduling/requirements.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { lazily } from "./lazily.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import type { ClassTopology, Topology } from "./topology.ts";
import type { Eligibility } from "./topology-group.ts";
import { countIn, domainRefusal, needsDomain } from "./topology-rules.ts";

/** The domains a new node must lie in for a pod, or why there are none. */
export type DomainAssignment =
  | {
      readonly kind: "assigned";
      readonly domains: ReadonlyMap<string, string>;
      readonly options: readonly NodeOption[];
    }
  | { readonly kind: "refused"; readonly reason: string };

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
  ) {
    this.#topology = topology;
    this.#classTopology = topology.of(constraints);
    this.#constraints = constraints;
    this.#start = step(options, this.#classTopology.keysToPin, requirements);
  }

  choose(): DomainAssignment {
    return this.#chooseFrom(this.#start, []);
  }

  #chooseFrom(step: Step, settled: readonly (readonly [string, string])[]): DomainAssignment {
    const { key } = step;
    if (key === undefined) return { kind: "assigned", domains: new Map(settled), options: step.options };
    const domains = step.domains();
    if (domains.length === 0) {
      if (!needsDomain(this.#classTopology, key)) return this.#chooseFrom(step.without(), settled);
      return { kind: "refused", reason: `no node that could take it has a value for the topology key ${key}` };
    }
    const refusals = domains.map(({ domain }) => this.#refusal(key, domain));
    const admitted = domains
      .filter((_, index) => refusals[index] === undefined)
      .map((entry) => ({ ...entry, matching: this.#matchingIn(key, entry.domain) }))
      .sort((a, b) => a.matching - b.matching || a.unitPrice - b.unitPrice || (a.domain < b.domain ? -1 : 1));
    let refused: DomainAssignment | undefined;
    for (const { domain, next } of admitted) {
      const assignment = this.#chooseFrom(next(), [...settled, [key, domain]]);
      if (assignment.kind === "assigned") return assignment;
      refused ??= assignment;
    }
    const names = domains.map(({ domain }) => domain).join(", ");
    return refused ?? { kind: "refused", reason: `${refusals[0]?.description} admits none of ${names}` };
  }

  #refusal(key: string, domain: string) {
    return domainRefusal(this.#topology, this.#classTopology, this.#constraints, key, domain);
  }

  /** Also by the spread rules of others that count this class: pods that need not spread, but had better not stand in the way. */
  #matchingIn(key: string, domain: string): number {
    const { owned, matched } = this.#classTopology;
    return [...new Set([...owned, ...matched])]
      .filter((group) => group.key === key && group.kind === "spread")
      .reduce((sum, group) => sum + countIn(group.counts, domain), 0);
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
  /** The lowest price of a CPU: what decides where nothing else does. */
  readonly unitPrice: number;
  readonly next: () => Step;
}

function step(options: readonly NodeOption[], keys: readonly string[], requirements: Requirements): Step {
  const [key, ...others] = keys;
  return {
    key,
    options,
    without: lazily(() => step(options, others, requirements)),
    domains: lazily(() =>
      (key === undefined ? [] : domainsOf(options, key, requirements)).map((domain) => ({
        domain,
        unitPrice: unitPrice(options, key ?? "", domain),
        next: lazily(() => step(optionsIn(options, key ?? "", domain), others, requirements)),
      })),
    ),
  };
}

/** The domains of a key that nodes of these NodePools could lie in, as far as a spread constraint's policies count them. */
export function newDomains(pools: readonly PoolOptions[], key: string, eligibility: Eligibility): readonly string[] {
  const { nodeAlternatives = [new Map()], tolerations } = eligibility;
  const domains = pools
    .filter((pool) => tolerations === undefined || firstUntolerated(pool.taints, tolerations) === undefined)
    .flatMap((pool) =>
      nodeAlternatives
        .filter((wanted) => firstIncompatibility(pool.requirements, wanted, wellKnownLabels) === undefined)
        .flatMap((wanted) => {
          const options = pool.options.filter((option) => firstConflict(option.requirements, wanted) === undefined);
          return domainsOf(options, key, wanted);
        }),
    );
  return [...new Set(domains)].sort();
}

/** The domains of a key that new nodes from these options could lie in, sorted. */
function domainsOf(options: readonly NodeOption[], key: string, requirements: Requirements): readonly string[] {
  const wanted = requirements.get(key);
  const domains = new Set<string>();
  for (const option of options) for (const domain of optionDomains(option, key)) domains.add(domain);
  return [...domains].filter((domain) => wanted === undefined || allows(wanted, domain)).sort();
}

function optionsIn(options: readonly NodeOption[], key: string, domain: string): readonly NodeOption[] {
  return options.filter((option) => optionDomains(option, key).includes(domain));
}

function optionDomains(option: NodeOption, key: string): readonly string[] {
  if (key === label.zone) return option.offerings.map((offering) => offering.zone);
  const requirement = option.requirements.get(key);
  return requirement === undefined || requirement.complement ? [] : [...requirement.values];
}

function unitPrice(options: readonly NodeOption[], key: string, domain: string): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const option of options) {
    if (key !== label.zone && !optionDomains(option, key).includes(domain)) continue;
    for (const offering of option.offerings) {
      if (key === label.zone && offering.zone !== domain) continue;
      lowest = Math.min(lowest, offering.priceUsdPerHour / Math.max(1, option.free.cpu ?? 0));
    }
  }
  return lowest;
}
