import type { NewDemand } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import { type MinValuesRule, reachesMinValues, zonesIn } from "./packing/min-values.ts";
import {
  demandOfContents,
  isAtLeast,
  type OptionHolder,
  type PackedNode,
  type PackingProblem,
} from "./packing/problem.ts";
import { toVector } from "./packing-columns.ts";
import type { PosedProblem } from "./packing-problem.ts";
import { sharedOptions } from "./unit-options.ts";

/**
 * Rules that keep enough spot offerings open for a node: `least`, or what the pod that has the fewest would have alone. One for each
 * NodePool that these nodes are spot nodes of, about the items on them.
 */
export function spotOfferingRules(
  { problem, units }: PosedProblem,
  nodes: readonly PackedNode[],
  demands: readonly NewDemand[],
  least: number,
): readonly MinValuesRule[] {
  const items = [...new Set(nodes.flatMap(({ contents }) => [...contents.items]))].sort((a, b) => a - b);
  const accepted = new Map(
    items.map((item) => [item, new Set(sharedOptions(demands, units[item]?.parts ?? []))] as const),
  );
  const pools = new Set(nodes.map(({ column }) => problem.columns[column]?.pool ?? -1));
  return [...pools].map((pool) => {
    const holders = holdersOf(problem, pool, accepted);
    const leastOfItem = new Float64Array(problem.items.length);
    for (const item of accepted.keys()) leastOfItem[item] = Math.min(least, offeringsAlone(problem, holders, item));
    return { kind: "min-values", counts: "spot offerings", pool, leastOfItem, holders };
  });
}

/** Whether a node keeps all rules about spot offerings. */
export function hasEnoughOfferings(
  problem: PackingProblem,
  rules: readonly MinValuesRule[],
  node: PackedNode,
): boolean {
  const column = problem.columns[node.column];
  return rules.every(
    (rule) =>
      column === undefined ||
      rule.pool !== column.pool ||
      reachesMinValues(problem, rule, column, node.contents.items, demandOfContents(problem, node.contents)),
  );
}

interface PricedHolder extends OptionHolder {
  readonly limitUse: Float64Array;
  readonly priceUsdPerHour: number;
}

/** A NodePool's spot options, the largest first: few are looked at before enough are found. */
function holdersOf(
  { dimensions, zones, pools, limitDimensions, items }: PackingProblem,
  pool: number,
  accepted: ReadonlyMap<number, ReadonlySet<NodeOption>>,
): readonly PricedHolder[] {
  const { name, headroom = new Float64Array() } = pools[pool] ?? {};
  const limited = limitDimensions.filter((_, dimension) => Number.isFinite(headroom[dimension]));
  const all = new Set([...accepted.values()].flatMap((options) => [...options]));
  return [...all]
    .filter((option) => option.pool === name && option.capacityType === "spot")
    .sort((a, b) => (b.free.cpu ?? 0) - (a.free.cpu ?? 0) || (a.instanceType.name < b.instanceType.name ? -1 : 1))
    .map((option) => ({
      capacity: toVector(option.free, dimensions),
      zoneMask: zones.reduce((mask, zone, index) => (isSoldIn(option, zone) ? mask | (1 << index) : mask), 0),
      accepts: Uint8Array.from(items.keys(), (item) => (accepted.get(item)?.has(option) ? 1 : 0)),
      values: [],
      limitUse: toVector(option.instanceType.capacity, limitDimensions).map((use, dimension) =>
        limited.includes(limitDimensions[dimension] ?? "") ? use : 0,
      ),
      priceUsdPerHour: Math.min(...option.offerings.map(({ priceUsdPerHour }) => priceUsdPerHour)),
    }));
}

function isSoldIn({ offerings }: NodeOption, zone: string): boolean {
  return offerings.some((offering) => offering.zone === zone);
}

/** Spot offerings that one unit alone could fall back on from the cheapest that holds it. */
function offeringsAlone(problem: PackingProblem, holders: readonly PricedHolder[], item: number): number {
  const { requests = new Float64Array(), zoneMask = 0 } = problem.items[item] ?? {};
  const able = holders.filter(
    ({ accepts, capacity, zoneMask: sold }) =>
      accepts[item] === 1 && (sold & zoneMask) !== 0 && isAtLeast(capacity, requests),
  );
  const cheapest = able.reduce(
    (best: PricedHolder | undefined, holder) =>
      best === undefined || holder.priceUsdPerHour < best.priceUsdPerHour ? holder : best,
    undefined,
  );
  return able
    .filter(({ limitUse }) => cheapest !== undefined && isAtLeast(cheapest.limitUse, limitUse))
    .reduce((sum, { zoneMask: sold }) => sum + zonesIn(sold & zoneMask), 0);
}
