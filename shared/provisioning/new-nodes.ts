import { type Resources, subtractResources } from "../scheduling/resources.ts";
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
import { type PoolHeadroom, poolHeadroom } from "./pool-limits.ts";
import type { Topology } from "./topology.ts";

export interface NewNodes {
  readonly claims: readonly ClaimDraft[];
  /** Classes with the pods that found no place, and why. */
  readonly unplaced: readonly OpenClass[];
  readonly lowerBoundUsdPerHour: number;
}

/**
 * Plans new nodes, one tier of NodePools after another: what the heaviest pools refuse (a topology rule, a limit, a family of pods
 * too large for one node) is tried on the next lighter ones.
 */
export function planNewNodes(
  classes: readonly OpenClass[],
  pools: readonly PoolOptions[],
  nodes: readonly ClusterNode[],
  existing: ExistingCapacity,
  topology: Topology,
): NewNodes {
  const claims: ClaimDraft[] = [];
  const unplaced: OpenClass[] = [];
  let headroom: readonly PoolHeadroom[] = pools.map((pool) => poolHeadroom(pool, nodes));
  let bound = 0;
  let open = classes;
  while (open.length > 0) {
    const { demands, refused } = placeClasses(open, existing, topology);
    const round = packDemands(demands, pools, headroom, topology);
    claims.push(...round.claims);
    bound += round.lowerBoundUsdPerHour;
    headroom = round.headroom;
    const left = [...refused, ...takeBack(round.left, open, topology)];
    unplaced.push(...left.filter((entry) => entry.tier >= entry.options.tiers.length));
    open = left.filter((entry) => entry.tier < entry.options.tiers.length);
  }
  return { claims, unplaced, lowerBoundUsdPerHour: bound };
}

/** Pods that the packing did not place, with the reason. */
interface LeftDemand {
  readonly demand: NewDemand;
  readonly pods: number;
  readonly reason: string;
}

interface PackedRound {
  readonly claims: readonly ClaimDraft[];
  readonly left: readonly LeftDemand[];
  readonly headroom: readonly PoolHeadroom[];
  readonly lowerBoundUsdPerHour: number;
}

function packDemands(
  demands: readonly NewDemand[],
  pools: readonly PoolOptions[],
  headroom: readonly PoolHeadroom[],
  topology: Topology,
): PackedRound {
  const { units, refused } = bundle(demands, topology);
  const left = refused.flatMap(({ demand, pods, reason }) => toLeft(demands, demand, pods, reason));
  if (units.length === 0) return { claims: [], left, headroom, lowerBoundUsdPerHour: 0 };
  const posed = poseProblem(demands, units, topology, headroom);
  const packing = pack(posed.problem);
  const limits = headroom.filter((pool) => pool.description !== "").map((pool) => pool.description);
  const reason = limits.length > 0 ? `the NodePool's limits are reached: ${limits.join("; ")}` : "no node can hold it";
  return {
    claims: claimDrafts(posed, packing, demands, pools),
    left: [
      ...left,
      ...unplacedUnits(units, packing).flatMap(({ demand, pods }) => toLeft(demands, demand, pods, reason)),
    ],
    headroom: headroom.map((pool) => afterPacking(pool, posed, packing)),
    lowerBoundUsdPerHour: lowerBoundUsdPerHour(placedOnly(posed, packing)),
  };
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

/** The bound is about the pods that get nodes. */
function placedOnly(posed: PosedProblem, packing: Packing): PosedProblem["problem"] {
  const items = posed.problem.items.map((item, index) => ({
    ...item,
    count: item.count - (packing.unplaced[index] ?? 0),
  }));
  return { ...posed.problem, items };
}

function afterPacking(pool: PoolHeadroom, posed: PosedProblem, packing: Packing): PoolHeadroom {
  const left = packing.nodes.reduce<Resources>((rest, node) => {
    const option = posed.options[node.column];
    return option?.pool === pool.name ? subtractResources(rest, { ...option.instanceType.capacity, nodes: 1 }) : rest;
  }, pool.left);
  return {
    ...pool,
    left: Object.fromEntries(Object.keys(pool.left).map((resource) => [resource, left[resource] ?? 0])),
  };
}

/** Pods that got no node are no longer counted in their domains and go on to the next tier. The last of a demand's pods are left. */
function takeBack(left: readonly LeftDemand[], open: readonly OpenClass[], topology: Topology): readonly OpenClass[] {
  return left.flatMap(({ demand, pods, reason }) => {
    const { constraints } = demand.podClass;
    for (let index = 0; index < pods; index++) topology.record(constraints, demand.domains, -1);
    const entry = open.find(({ podClass }) => podClass === demand.podClass);
    if (entry === undefined) return [];
    return [{ ...entry, pods: demand.pods.slice(-pods), tier: entry.tier + 1, refusals: [...entry.refusals, reason] }];
  });
}
