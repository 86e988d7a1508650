import { label } from "../api/labels.ts";
import { nodeClaimName } from "../cloud/node-claim-name.ts";
import { type RankedOffering, rankOfferings } from "../cloud/ranking.ts";
import { intersectAll, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
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
  const offeringsOf = offeringFinder(demands);
  return packing.nodes.map((node) => {
    const parts = contentsOf(posed, node.units);
    const option = posed.options[node.column];
    const pool = pools.find((candidate) => candidate.pool.metadata.name === option?.pool);
    if (option === undefined || pool === undefined)
      throw new RangeError(`packed node of unknown column ${node.column}`);
    const pods = parts.flatMap(take);
    const offerings = offeringsOf(option, pool, parts, node.units);
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
      requirements: withOfferings(claimRequirements(pool.requirements, parts, demands), offerings),
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
function offeringFinder(demands: readonly NewDemand[]) {
  const known = new Map<string, Offerings>();
  return (chosen: NodeOption, pool: PoolOptions, parts: readonly UnitPart[], units: Int32Array): Offerings => {
    const key = `${chosen.pool}/${chosen.instanceType.name}/${units.join()}`;
    const found = known.get(key) ?? rankedOfferings(chosen, pool, parts, demands);
    known.set(key, found);
    return found;
  };
}

function rankedOfferings(
  chosen: NodeOption,
  pool: PoolOptions,
  parts: readonly UnitPart[],
  demands: readonly NewDemand[],
): Offerings {
  const limited = Object.keys(pool.pool.spec.limits ?? {});
  const requirements = claimRequirements(new Map(), parts, demands);
  const zones = requirements.get(label.zone);
  const candidates = sharedOptions(demands, parts)
    .filter((option) => option.pool === chosen.pool && countsNoMore(option, chosen, limited))
    .flatMap((option) =>
      option.offerings.map((offering) => ({
        instanceType: option.instanceType.name,
        zone: offering.zone,
        capacityType: offering.capacityType,
        priceUsdPerHour: offering.priceUsdPerHour,
      })),
    )
    .filter(({ zone }) => zones === undefined || zones.values.has(zone) !== zones.complement);
  const kept = [...Map.groupBy(candidates, (offering) => offering.capacityType).values()].flatMap((group) =>
    rankOfferings(group).slice(0, mostOfferingsPerCapacityType),
  );
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
  const wanted = parts.flatMap(({ demand }) => {
    const { requirements, domains } = demands[demand] ?? {
      requirements: new Map(),
      domains: new Map<string, string>(),
    };
    const pinned = new Map([...domains].map(([key, domain]) => [key, requirement(key, "In", [domain])]));
    return [requirements, pinned];
  });
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
  return intersectAll(requirements, new Map(offered.map((entry) => [entry.key, entry])));
}
