import { label, wellKnownLabels } from "../api/labels.ts";
import type { Offering } from "../cloud/instance-type.ts";
import { nodeClaimName } from "../cloud/node-claim-name.ts";
import { type RankedOffering, rankedOffering, rankOfferings } from "../cloud/ranking.ts";
import { allows, intersectAll, type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import { lazily } from "./lazily.ts";
import { minValuesOf, ValueTally } from "./min-values.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { demandRequirements, settleCustomLabels } from "./open-labels.ts";
import type { Packing } from "./packing/problem.ts";
import type { PosedProblem } from "./packing-problem.ts";
import { onReservation } from "./reserved-places.ts";
import { SortedLazily } from "./sorted-lazily.ts";
import { withoutAttachments } from "./volume-constraints.ts";

export type Offerings = readonly [RankedOffering, ...RankedOffering[]];

/** A node to be launched, before its offering is settled: the spread over spot pools may still prefer another. */
export interface ClaimDraft {
  readonly name: string;
  readonly nodePool: string;
  readonly pool: PoolOptions;
  readonly pods: readonly PodRecord[];
  readonly offerings: Offerings;
  /** How many of them, from the first, keep the NodePool's limits. */
  readonly choosable: number;
  /** Of the pool and the pods, narrowed to the offerings. */
  readonly requirements: Requirements;
  /** Whether the NodePool's `minValues` had to be lowered (`minValuesPolicy` BestEffort). */
  readonly minValuesRelaxed: boolean;
  readonly podRequests: Resources;
}

/** Offerings kept on a claim: enough to survive capacity errors, few enough for an annotation. */
const mostOfferingsPerCapacityType = 40;

/** Turns packed nodes into drafts of NodeClaims, handing the demands' pods out in order. */
export function claimDrafts(
  posed: PosedProblem,
  packing: Packing,
  demands: readonly NewDemand[],
  pools: readonly PoolOptions[],
): readonly ClaimDraft[] {
  const next = demands.map(() => 0);
  const take = ({ demand, pods }: UnitPart): readonly PodRecord[] => {
    const from = next[demand] ?? 0;
    next[demand] = from + pods;
    return demands[demand]?.pods.slice(from, from + pods) ?? [];
  };
  const offeringsOf = offeringFinder(demands, pools);
  return packing.nodes.map((node) => {
    const parts = contentsOf(posed, node.units);
    const option = posed.options[node.column];
    const pool = pools.find((candidate) => candidate.pool.metadata.name === option?.pool);
    if (option === undefined || pool === undefined)
      throw new RangeError(`packed node of unknown column ${node.column}`);
    const pods = parts.flatMap(take);
    const { offerings, choosable, reached } = offeringsOf(option, pool, parts);
    const wanted = settleCustomLabels(claimRequirements(pool.requirements, parts, demands), wellKnownLabels);
    const nodePool = pool.pool.metadata.name;
    return {
      name: nodeClaimName(
        nodePool,
        pods.map((pod) => pod.uid),
      ),
      nodePool,
      pool,
      pods,
      offerings,
      choosable,
      requirements: withReachedMinValues(withOfferings(wanted, offerings), reached),
      minValuesRelaxed: minValuesOf(pool).some(({ key, least }) => (reached.get(key) ?? 0) < least),
      podRequests: withoutAttachments(unitRequests(demands, parts)),
    };
  });
}

/** Parts of all units on a node, one entry for each demand. */
function contentsOf(posed: PosedProblem, units: Int32Array): readonly UnitPart[] {
  const pods = new Map<number, number>();
  posed.units.forEach((unit, item) => {
    const times = units[item] ?? 0;
    for (const part of times > 0 ? unit.parts : [])
      pods.set(part.demand, (pods.get(part.demand) ?? 0) + times * part.pods);
  });
  return [...pods].map(([demand, count]) => ({ demand, pods: count }));
}

/** Offerings that hold given contents, and the distinct values they reach of the NodePool's `minValues`, by key. */
interface RankedHolders {
  readonly offerings: Offerings;
  /** How many of the offerings, from the first, keep the NodePool's limits; the others are there for its `minValues`. */
  readonly choosable: number;
  readonly reached: ReadonlyMap<string, number>;
}

/** Ranked offerings in one pool that hold given contents; equal contents are looked up once. */
function offeringFinder(demands: readonly NewDemand[], pools: readonly PoolOptions[]) {
  const byPrice = new Map(pools.map((pool) => [pool.pool.metadata.name, lazily(() => offeringsByPrice(pool))]));
  const known = new Map<string, RankedHolders>();
  return (chosen: NodeOption, pool: PoolOptions, parts: readonly UnitPart[]): RankedHolders => {
    const key = JSON.stringify([chosen.pool, chosen.instanceType.name, chosen.reservationId, parts]);
    const found = known.get(key) ?? rankedOfferings(chosen, pool, parts, demands, byPrice.get(chosen.pool)?.() ?? []);
    known.set(key, found);
    return found;
  };
}

interface PoolOffering {
  readonly option: NodeOption;
  readonly offering: Offering;
}

/** All that a pool could buy, cheapest first. */
function offeringsByPrice(pool: PoolOptions): Iterable<PoolOffering> {
  const all = pool.options.flatMap((option) => option.offerings.map((offering) => ({ option, offering })));
  return new SortedLazily(all, compareOfferings);
}

/** By price, then by name. Most of equal price are of one type: their names are not put together, as this compares all there are. */
function compareOfferings(a: PoolOffering, b: PoolOffering): number {
  const byPrice = a.offering.priceUsdPerHour - b.offering.priceUsdPerHour;
  if (byPrice !== 0) return byPrice;
  const isOneType = a.option.instanceType === b.option.instanceType && a.offering.zone !== b.offering.zone;
  const [nameA, nameB] = isOneType ? [a.offering.zone, b.offering.zone] : [nameOfOffering(a), nameOfOffering(b)];
  return nameA < nameB ? -1 : nameA > nameB ? 1 : 0;
}

function nameOfOffering({ option, offering: { zone, capacityType } }: PoolOffering): string {
  return `${option.instanceType.name}/${zone}/${capacityType}`;
}

function rankedOfferings(
  chosen: NodeOption,
  pool: PoolOptions,
  parts: readonly UnitPart[],
  demands: readonly NewDemand[],
  byPrice: Iterable<PoolOffering>,
): RankedHolders {
  const limited = Object.keys(pool.pool.spec.limits ?? {});
  const zones = claimRequirements(new Map(), parts, demands).get(label.zone);
  // A place in a reservation belongs to the node that it was planned for.
  const mayServe = (option: NodeOption) => option.reservationId === undefined || option === chosen;
  const tally = new ValueTally(pool);
  const holders = new Set(sharedOptions(demands, parts).filter(mayServe));
  const kept: RankedOffering[] = [];
  const beyondLimits: RankedOffering[] = [];
  const counts = new Map<string, number>([...holders].map(({ capacityType }) => [capacityType, 0]));
  for (const { option, offering } of byPrice) {
    if (kept.length >= mostOfferingsPerCapacityType * counts.size && tally.isComplete()) break;
    if (!holders.has(option) || (zones !== undefined && !allows(zones, offering.zone))) continue;
    const isWithinLimits = countsNoMore(option, chosen, limited);
    const count = counts.get(offering.capacityType) ?? 0;
    const isRoom = isWithinLimits && count < mostOfferingsPerCapacityType;
    if (!isRoom && !tally.isWanted(option, offering.zone)) continue;
    tally.add(option, offering.zone);
    if (isWithinLimits) counts.set(offering.capacityType, count + 1);
    (isWithinLimits ? kept : beyondLimits).push(rankedOffering(option.instanceType.name, offering));
  }
  const [best, ...others] = rankOfferings(kept);
  if (best === undefined)
    throw new RangeError(`no offering holds the contents planned for ${chosen.instanceType.name}`);
  const offerings: Offerings = [best, ...others, ...rankOfferings(beyondLimits)];
  return { offerings, choosable: kept.length, reached: tally.reached() };
}

/** Falling back to another type must not break a limit that the plan has kept. */
function countsNoMore(option: NodeOption, chosen: NodeOption, limited: readonly string[]): boolean {
  return limited.every(
    (resource) => (option.instanceType.capacity[resource] ?? 0) <= (chosen.instanceType.capacity[resource] ?? 0),
  );
}

/** What the pool, the pods and their topology domains ask of the node together. */
function claimRequirements(
  poolRequirements: Requirements,
  parts: readonly UnitPart[],
  demands: readonly NewDemand[],
): Requirements {
  const wanted = parts.flatMap(({ demand }) => demands[demand] ?? []).map(demandRequirements);
  return intersectAll(poolRequirements, ...wanted);
}

/**
 * Narrows to the offerings' own types, zones and capacity types: what a launcher without our annotations would choose from. A claim
 * that is planned on a reservation says so; its other offerings are for when EC2 has no place in it after all.
 */
function withOfferings(requirements: Requirements, offerings: Offerings): Requirements {
  const oneOf = (key: string, values: readonly string[]) => requirement(key, "In", [...new Set(values)].sort());
  const offered = [
    oneOf(
      label.instanceType,
      offerings.map(({ instanceType }) => instanceType),
    ),
    oneOf(
      label.zone,
      offerings.map(({ zone }) => zone),
    ),
    oneOf(
      label.capacityType,
      offerings.map(({ capacityType }) => capacityType),
    ),
  ];
  const narrowed = intersectAll(requirements, new Map(offered.map((entry) => [entry.key, entry])));
  return onReservation(narrowed, offerings[0]);
}

/** The API server refuses a list shorter than its own minValues. */
function withReachedMinValues(requirements: Requirements, reached: ReadonlyMap<string, number>): Requirements {
  const lowered = ([key, entry]: readonly [string, Requirement]): readonly [string, Requirement] => {
    const { minValues } = entry;
    if (minValues === undefined) return [key, entry];
    return [key, { ...entry, minValues: Math.max(1, Math.min(minValues, reached.get(key) ?? minValues)) }];
  };
  return new Map([...requirements].map(lowered));
}
