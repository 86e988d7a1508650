import { label } from "../api/labels.ts";
import { addResources, type Resources } from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { Settings } from "../state/settings.ts";
import { bundle } from "./bundles.ts";
import type { ZoneOrder } from "./domain-assignment.ts";
import { domainRoles, domainShares } from "./domain-shares.ts";
import type { ExistingCapacity } from "./existing-capacity.ts";
import { givingWay } from "./giving-way.ts";
import { Lazy, lazily } from "./lazily.ts";
import type { LeftDemand, NewDemand, Unit, UnitPart } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { lowerBoundUsdPerHour } from "./packing/lower-bound.ts";
import type { Packing, PackingProblem } from "./packing/problem.ts";
import { withoutNodeCharges } from "./packing-columns.ts";
import { nodeChargesByPool, type PackingContext, type PosedProblem, poseProblem } from "./packing-problem.ts";
import { type OpenClass, placeClasses } from "./placement.ts";
import type { ProvisioningPlan, Refusal } from "./plan.ts";
import type { ClaimDraft } from "./planned-claims.ts";
import { LimitRefusals, poolHeadroom } from "./pool-limits.ts";
import { mergedByPool, refusedByAll } from "./refusals.ts";
import { packClaims, type SpotClaims, type SpotWishes, withSpotWishes } from "./spot-packing.ts";
import { domainKey, type Topology } from "./topology.ts";

export interface NewNodes {
  readonly claims: readonly ClaimDraft[];
  /** Classes with the pods that found no place, and why. */
  readonly unplaced: readonly OpenClass[];
  /** Pods that need no new node. */
  readonly existing: ProvisioningPlan["existing"];
  /** Bounds take time, and most plans are only compared: they are worked out for the one that is chosen. */
  readonly lowerBound: Lazy<number>;
  readonly instancesLowerBound: Lazy<number>;
  /** What the wishes for spot nodes add to the cost. */
  readonly spotFlexibilityUsdPerHour: number;
  readonly spotSpreadUsdPerHour: number;
}

/** What an attempt changes as it goes: each starts from the world as it is. */
export interface Attempt {
  readonly topology: Topology;
  readonly existing: ExistingCapacity;
}

/** What stays the same from attempt to attempt. */
export interface PlannedWorld {
  readonly pools: readonly PoolOptions[];
  readonly nodes: readonly ClusterNode[];
  readonly minValuesPolicy: Settings["minValuesPolicy"];
  readonly spot: SpotWishes;
  readonly zoneOrder: ZoneOrder;
}

/**
 * Each attempt after the first is due to limits, to pods too many for one node, to wishes that cannot be, or to domains that only other
 * pods' nodes open; few worlds need more than two. Pods that fall from one NodePool to the next need one for each.
 */
const attemptsBesideWays = 12;
const mostAttempts = 64;

/**
 * Plans new nodes: places all pods in topology domains, then packs them. What the packing leaves over (a limit, pods that no one node
 * holds) moves on to the next way, and all is planned afresh, because others may have counted on its place.
 */
export function planNewNodes(
  classes: readonly OpenClass[],
  { pools, nodes, minValuesPolicy, spot, zoneOrder }: PlannedWorld,
  newAttempt: (opened: ReadonlySet<string>) => Attempt,
): NewNodes {
  const headroom = pools.map((pool) => poolHeadroom(pool, nodes));
  const mostWays = Math.max(0, ...classes.map(({ levels }) => levels.reduce((sum, { ways }) => sum + ways.length, 0)));
  const attempts = Math.min(mostAttempts, attemptsBesideWays + mostWays);
  let open = classes;
  let opened: ReadonlySet<string> = new Set();
  for (let attempt = 1; ; attempt++) {
    const { topology, existing } = newAttempt(opened);
    const { demands, refused } = placeClasses(open, existing, topology, zoneOrder);
    const { left, claims, ...prices } = packDemands(demands, { topology, pools, headroom, minValuesPolicy }, spot);
    const newlyOpened = openedDomains(claims, topology.uncountedDomains());
    if ((left.length === 0 && newlyOpened.size === 0) || attempt >= attempts) {
      const unplaced = [...refused, ...movedOn(open, left)];
      return { claims, existing: existing.placements(), unplaced, ...prices };
    }
    opened = opened.union(newlyOpened);
    const { yielded, movedOn: others } = givingWay(left, claims, demands, headroom);
    open = splitOff(open, movedOn(open, [...yielded, ...others]));
  }
}

/** Those of the domains that some of these nodes will lie in: kube-scheduler will count them from then on. */
function openedDomains(claims: readonly ClaimDraft[], uncounted: ReadonlySet<string>): ReadonlySet<string> {
  if (uncounted.size === 0) return uncounted;
  return new Set(claims.flatMap(labelsOf).filter((domain) => uncounted.has(domain)));
}

/** The labels that a node is sure to have, as domains. */
function labelsOf({ requirements, offerings: [{ zone, capacityType }] }: ClaimDraft): readonly string[] {
  const settled = [...requirements.values()].filter(({ complement, values }) => !complement && values.size === 1);
  return [
    domainKey(label.zone, zone),
    domainKey(label.capacityType, capacityType),
    ...settled.flatMap(({ key, values }) => [...values].map((value) => domainKey(key, value))),
  ];
}

/** What is left of each demand (its last pods), as classes that try the next way; where pods gave way, the same way without those pools. */
function movedOn(open: readonly OpenClass[], left: readonly LeftDemand[]): readonly OpenClass[] {
  return [...Map.groupBy(left, ({ demand }) => demand)].flatMap(([demand, entries]) => {
    const entry = open.find(({ podClass }) => podClass === demand.podClass);
    if (entry === undefined) return [];
    const { way, refusals: earlier, pods } = demand;
    const refusals = [...earlier];
    refusals[way] = mergedByPool([...(earlier[way] ?? []), ...entries.flatMap((one) => one.refusals)]);
    const given = entries.map((one) => one.avoided);
    const isOver = given.includes(undefined);
    const count = entries.reduce((sum, one) => sum + one.pods, 0);
    return [
      {
        ...entry,
        pods: pods.slice(-count),
        from: isOver ? way + 1 : way,
        avoided: isOver
          ? new Set<string>()
          : given.reduce((all: ReadonlySet<string>, one) => all.union(one ?? all), demand.avoided),
        refusals,
      },
    ];
  });
}

function splitOff(open: readonly OpenClass[], moved: readonly OpenClass[]): readonly OpenClass[] {
  const movedPods = new Set(moved.flatMap(({ pods }) => pods));
  const stay = open.map((entry) => ({ ...entry, pods: entry.pods.filter((pod) => !movedPods.has(pod)) }));
  return [...stay.filter(({ pods }) => pods.length > 0), ...moved];
}

interface Packed extends SpotClaims {
  readonly left: readonly LeftDemand[];
  readonly lowerBound: Lazy<number>;
  readonly instancesLowerBound: Lazy<number>;
}

function packDemands(demands: readonly NewDemand[], context: PackingContext, spot: SpotWishes): Packed {
  const { topology, headroom } = context;
  const { units, refused } = bundle(demands, topology);
  const left = refused.flatMap(({ demand, pods, refusal }) =>
    toLeft(demands, demand, pods, (options) => refusedByAll(options, refusal)),
  );
  if (units.length === 0) return { ...noClaims, left };
  const task = { demands, units, context };
  const cheapest = packClaims(task);
  const { posed, packing } = cheapest;
  const unforced = lazily(() => unforcedProblem(posed, packing, demands, context));
  const lowerBound = new Lazy(() => lowerBoundUsdPerHour(unforced()));
  const charges = nodeChargesByPool(context.pools);
  const limits = new LimitRefusals(
    headroom,
    lazily(() => plannedCapacity(posed, packing)),
  );
  const whyLeft = (options: readonly NodeOption[]) => limits.of(options);
  return {
    ...withSpotWishes(task, cheapest, spot),
    left: [
      ...left,
      ...unplacedParts(posed, packing).flatMap(({ demand, pods }) => toLeft(demands, demand, pods, whyLeft)),
    ],
    lowerBound,
    instancesLowerBound: new Lazy(() =>
      charges.every((charge) => charge === 0)
        ? lowerBound.value
        : lowerBoundUsdPerHour(withoutNodeCharges(unforced(), charges)),
    ),
  };
}

const noClaims: Omit<Packed, "left"> = {
  claims: [],
  lowerBound: new Lazy(() => 0),
  instancesLowerBound: new Lazy(() => 0),
  spotFlexibilityUsdPerHour: 0,
  spotSpreadUsdPerHour: 0,
};

/** Capacity of this plan's nodes by NodePool. */
function plannedCapacity(posed: PosedProblem, packing: Packing): ReadonlyMap<string, Resources> {
  const options = packing.nodes.flatMap(({ column }) => posed.options[column] ?? []);
  const capacities = [...Map.groupBy(options, ({ pool }) => pool)].map(
    ([pool, own]) =>
      [pool, addResources(...own.map(({ instanceType }) => ({ ...instanceType.capacity, nodes: 1 })))] as const,
  );
  return new Map(capacities);
}

function toLeft(
  demands: readonly NewDemand[],
  index: number,
  pods: number,
  why: (options: readonly NodeOption[]) => readonly Refusal[],
): readonly LeftDemand[] {
  const demand = demands[index];
  return demand === undefined || pods === 0 ? [] : [{ demand, pods, refusals: why(demand.options) }];
}

/** Of equal units the last go without: the first are of the highest priority. */
function unplacedParts({ lots }: PosedProblem, packing: Packing): readonly UnitPart[] {
  return lots.flatMap((lot, item) => {
    const kept = firstOf(lot, unitsIn(lot) - (packing.unplaced[item] ?? 0));
    return lot.flatMap(({ parts, count }, index) =>
      parts.map(({ demand, pods }) => ({ demand, pods: pods * (count - (kept[index]?.count ?? 0)) })),
    );
  });
}

function unitsIn(lot: readonly Unit[]): number {
  return lot.reduce((sum, { count }) => sum + count, 0);
}

/** The first so many units of a lot. */
function firstOf(lot: readonly Unit[], most: number): readonly Unit[] {
  let left = most;
  return lot.flatMap((unit) => {
    const count = Math.min(unit.count, left);
    left -= count;
    return count === 0 ? [] : [{ ...unit, count }];
  });
}

/**
 * The problem of the bound: the pods that get nodes, where in which domains they lie and which preferences they keep is the plan's
 * choice, and left open. Pods that only wish to share a node are free to part.
 */
function unforcedProblem(
  posed: PosedProblem,
  packing: Packing,
  demands: readonly NewDemand[],
  context: PackingContext,
): PackingProblem {
  const placed = posed.units.map(({ count }, item) => count - (packing.unplaced[item] ?? 0));
  if (
    demands.every(({ domains, constraints, unforced }) => domains.size === 0 && constraints === unforced.constraints)
  ) {
    if (packing.unplaced.every((count) => count === 0)) return posed.problem;
    const items = posed.problem.items.map((item, index) => ({ ...item, count: placed[index] ?? 0 }));
    return { ...posed.problem, items };
  }
  const free = demands.map((demand) => ({ ...demand, ...demand.unforced, domains: noDomains }));
  const units = posed.lots
    .flatMap((lot, item) => firstOf(lot, placed[item] ?? 0))
    .flatMap((unit): readonly Unit[] => {
      const mayPart = unit.parts.some(({ demand }) => demands[demand]?.constraints !== free[demand]?.constraints);
      if (!mayPart) return [unit];
      return unit.parts.map(({ demand, pods }) => ({ parts: [{ demand, pods: 1 }], count: pods * unit.count }));
    });
  const open = poseProblem(free, units, context, undefined, domainRoles(free, context.topology));
  const { problem } = open;
  if (packing.unplaced.some((count) => count > 0)) return problem;
  const { rules, zoneShares } = domainShares(demands, free, open.units, problem.zones, context.topology);
  return { ...problem, rules: [...problem.rules, ...rules], zoneShares };
}

const noDomains: ReadonlyMap<string, string> = new Map();
