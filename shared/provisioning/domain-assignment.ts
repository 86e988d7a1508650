import { label } from "../api/labels.ts";
import { allows, type Requirements } from "../scheduling/requirements.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { NodeOption } from "./node-options.ts";
import type { Topology } from "./topology.ts";
import { countIn, domainRefusal } from "./topology-rules.ts";

/** The domains a new node must lie in for a pod, or why there are none. */
export type DomainAssignment =
  | { readonly kind: "assigned"; readonly domains: ReadonlyMap<string, string> }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Decides, key by key, in which topology domain a pod's new node will lie: among those the rules admit the one with the fewest
 * matching pods, then the cheapest, then the first by name. A zone is pinned, never left open, so that zone anti-affinity places as
 * many pods in a pass as there are zones.
 */
export function assignDomains(
  topology: Topology,
  constraints: PodConstraints,
  requirements: Requirements,
  options: readonly NodeOption[],
): DomainAssignment {
  const classTopology = topology.of(constraints);
  const domains = new Map<string, string>();
  let left = options;
  for (const key of classTopology.keysToPin) {
    const eligible = domainsOf(left, key, requirements);
    const isOwned = classTopology.owned.some((group) => group.key === key);
    if (eligible.length === 0 && !isOwned) continue;
    const refusals = eligible.map((domain) =>
      domainRefusal(topology, classTopology, constraints, key, domain, eligible),
    );
    const admitted = eligible.filter((_, index) => refusals[index] === undefined);
    const chosen = admitted.toSorted(
      (a, b) =>
        matchingIn(topology, constraints, key, a) - matchingIn(topology, constraints, key, b) ||
        unitPrice(left, key, a) - unitPrice(left, key, b) ||
        (a < b ? -1 : 1),
    )[0];
    if (chosen === undefined)
      return { kind: "refused", reason: refusalReason(key, eligible, refusals[0]?.description) };
    domains.set(key, chosen);
    left = optionsIn(left, key, chosen);
  }
  return { kind: "assigned", domains };
}

/** The domains of a key that new nodes from these options could lie in, sorted. */
export function domainsOf(options: readonly NodeOption[], key: string, requirements: Requirements): readonly string[] {
  const wanted = requirements.get(key);
  const domains = new Set(options.flatMap((option) => optionDomains(option, key)));
  return [...domains].filter((domain) => wanted === undefined || allows(wanted, domain)).sort();
}

/** The options that could lie in a domain. */
export function optionsIn(options: readonly NodeOption[], key: string, domain: string): readonly NodeOption[] {
  return options.filter((option) => optionDomains(option, key).includes(domain));
}

function optionDomains(option: NodeOption, key: string): readonly string[] {
  if (key === label.zone) return option.offerings.map((offering) => offering.zone);
  const requirement = option.requirements.get(key);
  return requirement === undefined || requirement.complement ? [] : [...requirement.values];
}

function matchingIn(topology: Topology, constraints: PodConstraints, key: string, domain: string): number {
  return topology
    .of(constraints)
    .owned.filter((group) => group.key === key && group.kind === "spread")
    .reduce((sum, group) => sum + countIn(group.counts, domain), 0);
}

/** The lowest price of a CPU in a domain: what decides where nothing else does. */
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

function refusalReason(key: string, eligible: readonly string[], rule: string | undefined): string {
  if (eligible.length === 0) return `no node that could take it has a value for the topology key ${key}`;
  return `${rule ?? "a topology rule"} admits none of ${eligible.join(", ")}`;
}
