import { label, wellKnownLabels } from "../api/labels.ts";
import { nodeClaimName } from "../cloud/node-claim-name.ts";
import { type RankedOffering, rankOfferings } from "../cloud/ranking.ts";
import { allows, intersectAll, type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import { lazily } from "./lazily.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { demandRequirements, settleCustomLabels } from "./open-labels.ts";
import type { Packing } from "./packing/problem.ts";
import type { PosedProblem } from "./packing-problem.ts";

export type Offerings = readonly [RankedOffering, ...RankedOffering[]];

/** A node to be launched, before its offering is settled: the spread over spot pools may still prefer another. */
export interface ClaimDraft {
  readonly name: string;
  readonly nodePool: string;
  readonly pool: PoolOptions;
  readonly pods: readonly PodRecord[];
  readonly offerings: Offerings;
  /** Of the pool and the pods, narrowed to the offerings. */
  readonly requirements: Requirements;
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
    const offerings = offeringsOf(option, pool, parts);
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
      requirements: withOfferings(
        settleCustomLabels(claimRequirements(pool.requirements, parts, demands), wellKnownLabels),
        offerings,
      ),
      podRequests: unitRequests(demands, parts),
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

/** Ranked offerings in one pool that hold given contents; equal contents are looked up once. */
function offeringFinder(demands: readonly NewDemand[], pools: readonly PoolOptions[]) {
  const byPrice = new Map(pools.map((pool) => [pool.pool.metadata.name, lazily(() => offeringsByPrice(pool))]));
  const known = new Map<string, Offerings>();
  return (chosen: NodeOption, pool: PoolOptions, parts: readonly UnitPart[]): Offerings => {
    const key = JSON.stringify([chosen.pool, chosen.instanceType.name, parts]);
    const found = known.get(key) ?? rankedOfferings(chosen, pool, parts, demands, byPrice.get(chosen.pool)?.() ?? []);
    known.set(key, found);
    return found;
  };
}

interface PoolOffering {
  readonly option: NodeOption;
  readonly offering: RankedOffering;
}

/** All that a pool could buy, cheapest first. */
function offeringsByPrice(pool: PoolOptions): readonly PoolOffering[] {
  return pool.options
    .flatMap((option) =>
      option.offerings.map(({ zone, capacityType, priceUsdPerHour }) => ({
        option,
        offering: { instanceType: option.instanceType.name, zone, capacityType, priceUsdPerHour },
      })),
    )
    .sort((a, b) => a.offering.priceUsdPerHour - b.offering.priceUsdPerHour);
}

function rankedOfferings(
  chosen: NodeOption,
  pool: PoolOptions,
  parts: readonly UnitPart[],
  demands: readonly NewDemand[],
  byPrice: readonly PoolOffering[],
): Offerings {
  const limited = Object.keys(pool.pool.spec.limits ?? {});
  const zones = claimRequirements(new Map(), parts, demands).get(label.zone);
  const holders = new Set(sharedOptions(demands, parts).filter((option) => countsNoMore(option, chosen, limited)));
  const kept: RankedOffering[] = [];
  const counts = new Map<string, number>([...holders].map(({ capacityType }) => [capacityType, 0]));
  for (const { option, offering } of byPrice) {
    if (kept.length >= mostOfferingsPerCapacityType * counts.size) break;
    const count = counts.get(offering.capacityType) ?? 0;
    if (count >= mostOfferingsPerCapacityType || !holders.has(option)) continue;
    if (zones !== undefined && !allows(zones, offering.zone)) continue;
    counts.set(offering.capacityType, count + 1);
    kept.push(offering);
  }
  const [best, ...others] = rankOfferings(kept);
  if (best === undefined)
    throw new RangeError(`no offering holds the contents planned for ${chosen.instanceType.name}`);
  return [best, ...others];
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

/** Narrows to the offerings' own types, zones and capacity types: what a launcher without our annotations would choose from. */
function withOfferings(requirements: Requirements, offerings: Offerings): Requirements {
  const values = (pick: (offering: RankedOffering) => string) => [...new Set(offerings.map(pick))].sort();
  const offered = [
    requirement(
      label.instanceType,
      "In",
      values((offering) => offering.instanceType),
    ),
    requirement(
      label.zone,
      "In",
      values((offering) => offering.zone),
    ),
    requirement(
      label.capacityType,
      "In",
      values((offering) => offering.capacityType),
    ),
  ];
  const narrowed = intersectAll(requirements, new Map(offered.map((entry) => [entry.key, entry])));
  return new Map([...narrowed].map(([key, entry]) => [key, withReachableMinValues(entry)]));
}

/** The API server refuses a list shorter than its own minValues. */
function withReachableMinValues(entry: Requirement): Requirement {
  if (entry.minValues === undefined || entry.complement) return entry;
  return { ...entry, minValues: Math.max(1, Math.min(entry.minValues, entry.values.size)) };
}
