import type { Resources } from "../scheduling/resources.ts";
import { getOrMake } from "./get-or-make.ts";
import { limitShares } from "./limit-shares.ts";
import type { NewDemand } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import { type Acceptance, acceptanceOf, acceptedByPool, largestFirst, optionHolder } from "./option-holders.ts";
import { type MinValuesRule, zonesIn } from "./packing/holder-table.ts";
import { reachesMinValues } from "./packing/min-values.ts";
import {
  demandOfContents,
  isAtLeast,
  type OptionHolder,
  type PackedNode,
  type Packing,
  type PackingProblem,
} from "./packing/problem.ts";
import { toVector } from "./packing-columns.ts";
import type { PosedProblem } from "./packing-problem.ts";
import { sharedOptions } from "./unit-options.ts";

/**
 * Rules that keep enough spot offerings open for a node: `least`, or what the pod that has the fewest would have alone. One for each
 * NodePool that these nodes of a packing are spot nodes of, about the items on them.
 */
export function spotOfferingRules(
  { problem, units }: PosedProblem,
  packing: Packing,
  nodes: readonly PackedNode[],
  demands: readonly NewDemand[],
  least: number,
): readonly MinValuesRule[] {
  const items = new Set(nodes.flatMap(({ contents }) => [...contents.items]));
  const acceptance = acceptanceOf(
    units.map(({ parts }, item) => (items.has(item) ? sharedOptions(demands, parts) : undefined)),
  );
  const { listOfItem } = acceptance;
  const byPool = acceptedByPool(acceptance);
  const shares = limitShares(problem, packing);
  const pools = new Set(nodes.map(({ column }) => problem.columns[column]?.pool ?? -1));
  return [...pools].map((pool) => {
    const { name = "" } = problem.pools[pool] ?? {};
    const spot = (byPool.get(name) ?? []).filter(({ capacityType }) => capacityType === "spot");
    const holders = holdersOf(problem, largestFirst(spot), acceptance, shares.get(name) ?? {});
    const alone = new OfferingsAlone(problem, holders, listOfItem);
    const leastOfItem = Float64Array.from(units, (_, item) => (items.has(item) ? Math.min(least, alone.of(item)) : 0));
    return { kind: "min-values", counts: "spot offerings", pool, leastOfItem, listOfItem, holders };
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
  /** What a node of it counts against its pool's limits. */
  readonly use: Float64Array;
  readonly priceUsdPerHour: number;
}

/** A node may become what counts no more against the limits than it does and its share of what they leave. */
function holdersOf(
  { dimensions, zones, limitDimensions }: PackingProblem,
  options: readonly NodeOption[],
  acceptance: Acceptance,
  share: Resources,
): readonly PricedHolder[] {
  return options.map((option) => ({
    ...optionHolder(option, acceptance, dimensions, zones),
    values: [],
    use: toVector(option.instanceType.capacity, limitDimensions),
    limitUse: Float64Array.from(limitDimensions, (resource) =>
      resource in share ? (option.instanceType.capacity[resource] ?? 0) - (share[resource] ?? 0) : 0,
    ),
    priceUsdPerHour: Math.min(...option.offerings.map(({ priceUsdPerHour }) => priceUsdPerHour)),
  }));
}

/** Spot offerings that one unit alone could fall back on from the cheapest that holds it. */
class OfferingsAlone {
  readonly #problem: PackingProblem;
  readonly #holders: readonly PricedHolder[];
  readonly #listOfItem: Int32Array;
  /** Many items are alike in this. */
  readonly #known = new Map<string, number>();

  constructor(problem: PackingProblem, holders: readonly PricedHolder[], listOfItem: Int32Array) {
    this.#problem = problem;
    this.#holders = holders;
    this.#listOfItem = listOfItem;
  }

  of(item: number): number {
    const { requests = new Float64Array(), zoneMask = 0 } = this.#problem.items[item] ?? {};
    const list = this.#listOfItem[item] ?? -1;
    return getOrMake(this.#known, `${list} ${zoneMask} ${requests.join()}`, () =>
      this.#count(list, requests, zoneMask),
    );
  }

  #count(list: number, requests: Float64Array, zoneMask: number): number {
    const able = this.#holders.filter(
      ({ accepts, capacity, zoneMask: sold }) =>
        accepts[list] === 1 && (sold & zoneMask) !== 0 && isAtLeast(capacity, requests),
    );
    const cheapest = able.reduce(
      (best: PricedHolder | undefined, holder) =>
        best === undefined || holder.priceUsdPerHour < best.priceUsdPerHour ? holder : best,
      undefined,
    );
    return able
      .filter(({ limitUse }) => cheapest !== undefined && isAtLeast(cheapest.use, limitUse))
      .reduce((sum, { zoneMask: sold }) => sum + zonesIn(sold & zoneMask), 0);
  }
}
