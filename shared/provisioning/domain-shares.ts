import { label } from "../api/labels.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeRule, ZoneRange, ZoneShares } from "./packing/problem.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";

/** What topology rules say about pods whose domains are left open, as a lower bound leaves them. */
export interface DomainShares {
  /** A node lies in one domain, and holds no more of a rule's pods than the domain may get. */
  readonly rules: readonly NodeRule[];
  readonly zoneShares: readonly ZoneShares[];
}

/**
 * The shares by the counts at the end of a plan. `planned` are the demands with the domains that the plan chose, `units` those of the
 * problem with open domains, whose zones are given. Rules that count pods which do not keep them say nothing here.
 */
export function domainShares(
  planned: readonly NewDemand[],
  free: readonly NewDemand[],
  units: readonly Unit[],
  zones: readonly string[],
  topology: Topology,
): DomainShares {
  const groups = [...new Set(free.flatMap(({ constraints }) => topology.of(constraints).owned))];
  const settled = groups.flatMap((group): readonly SettledGroup[] => {
    const domains = group.key === label.hostname ? undefined : topology.settledDomainsOf(group);
    return domains === undefined
      ? []
      : [{ group, domains, bound: units.map((unit) => podsBound(free, unit, group, topology)) }];
  });
  return {
    rules: settled.flatMap((entry) => domainCap(entry)),
    zoneShares: settled.flatMap((entry) => sharesByZone(entry, planned, units, zones)),
  };
}

/** Equal for demands that own the same rules about wider domains than nodes. */
export function domainRoles(demands: readonly NewDemand[], topology: Topology): (demand: NewDemand) => string {
  const wider = ({ constraints }: NewDemand) =>
    topology.of(constraints).owned.filter(({ key }) => key !== label.hostname);
  const numbers = new Map([...new Set(demands.flatMap(wider))].map((group, index) => [group, index]));
  return (demand) =>
    wider(demand)
      .map((group) => numbers.get(group))
      .join();
}

interface SettledGroup {
  readonly group: TopologyGroup;
  readonly domains: ReadonlySet<string>;
  /** By unit, the pods that own the rule and are counted by it. */
  readonly bound: readonly number[];
}

function podsBound(demands: readonly NewDemand[], { parts }: Unit, group: TopologyGroup, topology: Topology): number {
  return parts.reduce((sum, { demand, pods }) => {
    const constraints = demands[demand]?.constraints;
    if (constraints === undefined || !topology.of(constraints).owned.includes(group)) return sum;
    return group.matches(constraints) ? sum + pods : sum;
  }, 0);
}

function domainCap({ group, domains, bound }: SettledGroup): readonly NodeRule[] {
  const max = mostInDomain(group, domains.size);
  if (max === undefined || bound.every((pods) => pods === 0)) return [];
  const owns = Uint8Array.from(bound, (pods) => Number(pods > 0));
  return [{ kind: "spread", max, owns, matches: Int32Array.from(bound) }];
}

/**
 * The most pods of a rule that a domain can end up with; undefined where anything goes. With a skew of s over D domains and n matching
 * pods, a domain that gets a pod last has at most s more than the emptiest, so v + (D - 1)(v - s) <= n for its count v. Anti-affinity is
 * content with nodes that lack the label, which none does of zones.
 */
function mostInDomain({ kind, key, maxSkew, minDomains, counts }: TopologyGroup, domains: number): number | undefined {
  if (kind === "affinity") return undefined;
  if (kind === "anti-affinity") return key === label.zone ? 1 : undefined;
  if (domains === 0 || domains < minDomains) return maxSkew;
  const pods = counts.total;
  return pods < maxSkew ? undefined : maxSkew + Math.floor((pods - maxSkew) / domains);
}

function sharesByZone(
  { group, domains, bound }: SettledGroup,
  planned: readonly NewDemand[],
  units: readonly Unit[],
  zones: readonly string[],
): readonly ZoneShares[] {
  if (group.key !== label.zone) return [];
  const own = planned.filter(({ constraints }) => group.matches(constraints));
  const count = total(units.map((unit, index) => (bound[index] === 1 ? unit.count : 0)));
  const pods = total(own.map((demand) => demand.pods.length));
  // Pods that share a node with others have no zone of their own to choose.
  if (count === 0 || count !== pods || units.some(({ parts }, index) => (bound[index] ?? 0) > 0 && parts.length > 1))
    return [];
  const placed = Map.groupBy(own, (demand) => demand.domains.get(label.zone));
  const present = (zone: string) =>
    group.counts.of(zone) - total((placed.get(zone) ?? []).map((demand) => demand.pods.length));
  const ranges = rangesOf(group, domains, pods, zones, present).filter(
    ({ least, most }) => total(least) <= pods && total(most) >= pods,
  );
  if (ranges.length === 0) return [];
  return [
    { items: Uint8Array.from(bound), units: count, ranges: ranges.length > mostRanges ? [widest(ranges)] : ranges },
  ];
}

/** Of more only the extremes count. */
const mostRanges = 12;

/** Ranges of new pods by zone. `present` are those that a zone has already. */
function rangesOf(
  { kind, maxSkew, minDomains, counts }: TopologyGroup,
  domains: ReadonlySet<string>,
  pods: number,
  zones: readonly string[],
  present: (zone: string) => number,
): readonly ZoneRange[] {
  const range = (most: (zone: string) => number, least: (zone: string) => number = () => 0) => ({
    least: Float64Array.from(zones, (zone) => Math.max(0, least(zone))),
    most: Float64Array.from(zones, (zone) => Math.max(0, most(zone))),
  });
  switch (kind) {
    case "anti-affinity":
      return [range(() => 1)];
    case "affinity": {
      const chosen = zones.filter((zone) => present(zone) > 0);
      if (chosen.length > 0) return [range((zone) => (chosen.includes(zone) ? pods : 0))];
      return zones.map((only) => range((zone) => (zone === only ? pods : 0)));
    }
    case "spread": {
      if (domains.size === 0 || domains.size < minDomains) return [range((zone) => maxSkew - present(zone))];
      const fixed = [...domains].filter((domain) => !zones.includes(domain)).map(present);
      const highest = Math.min(Math.floor(counts.total / domains.size), ...fixed);
      return Array.from({ length: highest + 1 }, (_, emptiest) =>
        range(
          (zone) => emptiest + maxSkew - present(zone),
          (zone) => (domains.has(zone) ? emptiest - present(zone) : 0),
        ),
      );
    }
  }
}

function widest(ranges: readonly ZoneRange[]): ZoneRange {
  return ranges.reduce((all, { least, most }) => ({
    least: all.least.map((amount, zone) => Math.min(amount, least[zone] ?? 0)),
    most: all.most.map((amount, zone) => Math.max(amount, most[zone] ?? 0)),
  }));
}

function total(amounts: Iterable<number>): number {
  let sum = 0;
  for (const amount of amounts) sum += amount;
  return sum;
}
