import { addResources } from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import { bundle } from "./bundles.ts";
import type { ExistingCapacity } from "./existing-capacity.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { PoolOptions } from "./node-options.ts";
import { lowerBoundUsdPerHour } from "./packing/lower-bound.ts";
import { pack } from "./packing/packer.ts";
import type { Packing } from "./packing/problem.ts";
import { type PosedProblem, poseProblem } from "./packing-problem.ts";
import { type OpenClass, placeClasses } from "./placement.ts";
import { type ClaimDraft, claimDrafts } from "./planned-claims.ts";
import { describeLimits, type PoolHeadroom, poolHeadroom } from "./pool-limits.ts";
import type { Topology } from "./topology.ts";

export interface NewNodes {
  readonly claims: readonly ClaimDraft[];
  /** Classes with the pods that found no place, and why. */
  readonly unplaced: readonly OpenClass[];
  /** Filled with the pods that need no new node. */
  readonly existing: ExistingCapacity;
  readonly lowerBoundUsdPerHour: number;
}

/** What an attempt changes as it goes: each starts from the world as it is. */
export interface Attempt {
  readonly topology: Topology;
  readonly existing: ExistingCapacity;
}

/** Each attempt after the first is due to limits or to pods too many for one node; few worlds need more than two. */
const mostAttempts = 6;

/**
 * Plans new nodes: places all pods in topology domains, then packs them. What the packing leaves over (a limit, pods that no one node
 * holds) moves on to the next lighter NodePools, and all is planned afresh, because others may have counted on its place.
 */
export function planNewNodes(
  classes: readonly OpenClass[],
  pools: readonly PoolOptions[],
  nodes: readonly ClusterNode[],
  newAttempt: () => Attempt,
): NewNodes {
  const headroom = pools.map((pool) => poolHeadroom(pool, nodes));
  let open = classes;
  for (let attempt = 1; ; attempt++) {
    const { topology, existing } = newAttempt();
    const { demands, refused } = placeClasses(open, existing, topology);
    const { left, claims, lowerBoundUsdPerHour } = packDemands(demands, pools, headroom, topology);
    if (left.length === 0 || attempt === mostAttempts) {
      return { claims, existing, lowerBoundUsdPerHour, unplaced: [...refused, ...movedOn(open, left)] };
    }
    open = splitOff(open, movedOn(open, left));
  }
}

/** Pods that the packing did not place, with the reason. */
interface LeftDemand {
  readonly demand: NewDemand;
  readonly pods: number;
  readonly reason: string;
}

/** What is left of each demand (its last pods), as classes that try the next tier. */
function movedOn(open: readonly OpenClass[], left: readonly LeftDemand[]): readonly OpenClass[] {
  return [...Map.groupBy(left, ({ demand }) => demand)].flatMap(([{ podClass, tier, refusals, pods }, entries]) => {
    const entry = open.find((candidate) => candidate.podClass === podClass);
    if (entry === undefined) return [];
    const reasons = [...refusals];
    reasons[tier] = [...new Set(entries.map(({ reason }) => reason))].join("; ");
    const count = entries.reduce((sum, one) => sum + one.pods, 0);
    return [{ ...entry, pods: pods.slice(-count), tier: tier + 1, refusals: reasons }];
  });
}

function splitOff(open: readonly OpenClass[], moved: readonly OpenClass[]): readonly OpenClass[] {
  const movedPods = new Set(moved.flatMap(({ pods }) => pods));
  const stay = open.map((entry) => ({ ...entry, pods: entry.pods.filter((pod) => !movedPods.has(pod)) }));
  return [...stay.filter(({ pods }) => pods.length > 0), ...moved];
}

interface Packed {
  readonly claims: readonly ClaimDraft[];
  readonly left: readonly LeftDemand[];
  readonly lowerBoundUsdPerHour: number;
}

function packDemands(
  demands: readonly NewDemand[],
  pools: readonly PoolOptions[],
  headroom: readonly PoolHeadroom[],
  topology: Topology,
): Packed {
  const { units, refused } = bundle(demands, topology);
  const left = refused.flatMap(({ demand, pods, reason }) => toLeft(demands, demand, pods, reason));
  if (units.length === 0) return { claims: [], left, lowerBoundUsdPerHour: 0 };
  const posed = poseProblem(demands, units, topology, headroom);
  const packing = pack(posed.problem);
  const reason = whyUnplaced(posed, packing, headroom);
  return {
    claims: claimDrafts(posed, packing, demands, pools),
    left: [
      ...left,
      ...unplacedUnits(units, packing).flatMap(({ demand, pods }) => toLeft(demands, demand, pods, reason)),
    ],
    lowerBoundUsdPerHour: lowerBoundUsdPerHour(placedOnly(inAnyDomain(posed, demands, topology, headroom), packing)),
  };
}

/** A unit that no node took although nodes for it exist was kept out by the limits. */
function whyUnplaced(posed: PosedProblem, packing: Packing, headroom: readonly PoolHeadroom[]): string {
  const limited = headroom.filter(({ limits }) => Object.keys(limits).length > 0);
  const texts = limited.map((pool) => {
    const own = packing.nodes
      .flatMap(({ column }) => posed.options[column] ?? [])
      .filter(({ pool: of }) => of === pool.name);
    return describeLimits(
      pool,
      addResources(...own.map(({ instanceType }) => ({ ...instanceType.capacity, nodes: 1 }))),
    );
  });
  return texts.length > 0 ? `the NodePool's limits are reached: ${texts.join("; ")}` : "no node can hold it";
}

function toLeft(demands: readonly NewDemand[], index: number, pods: number, reason: string): readonly LeftDemand[] {
  const demand = demands[index];
  return demand === undefined || pods === 0 ? [] : [{ demand, pods, reason }];
}

function unplacedUnits(units: readonly Unit[], packing: Packing): readonly { demand: number; pods: number }[] {
  return units.flatMap((unit, item) =>
    unit.parts.map(({ demand, pods }) => ({ demand, pods: pods * (packing.unplaced[item] ?? 0) })),
  );
}

/** In which domains the pods lie is the plan's choice: the bound leaves it open. */
function inAnyDomain(
  posed: PosedProblem,
  demands: readonly NewDemand[],
  topology: Topology,
  headroom: readonly PoolHeadroom[],
): PosedProblem {
  if (demands.every(({ domains }) => domains.size === 0)) return posed;
  const free = demands.map((demand) => ({ ...demand, domains: new Map<string, string>(), options: demand.anyOptions }));
  return poseProblem(free, posed.units, topology, headroom);
}

/** The bound is about the pods that get nodes. */
function placedOnly(posed: PosedProblem, packing: Packing): PosedProblem["problem"] {
  const items = posed.problem.items.map((item, index) => ({
    ...item,
    count: item.count - (packing.unplaced[index] ?? 0),
  }));
  return { ...posed.problem, items };
}
