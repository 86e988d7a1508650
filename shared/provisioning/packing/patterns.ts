import type { Headroom } from "./headroom.ts";
import { addUnits, itemsBySize, type OpenNode, openNode } from "./node-filling.ts";
import type { PackingColumn, PackingProblem } from "./problem.ts";

/** Contents for one node. */
export interface Pattern {
  readonly column: number;
  readonly zone: number;
  /** Units by item. */
  readonly units: Int32Array;
}

/** The pattern worth most per dollar under these duals; undefined when no column takes any remaining item. */
export function bestPattern(
  problem: PackingProblem,
  remaining: Int32Array,
  duals: Float64Array,
  headroom: Headroom,
): Pattern | undefined {
  let best: { pattern: Pattern; worthPerUsd: number; price: number } | undefined;
  for (const option of optionsByWorth(problem, remaining, duals, headroom)) {
    if (best !== undefined && option.worthPerUsdLimit <= best.worthPerUsd) break;
    for (const fill of fillings) {
      const node = openNode(problem, option.columnIndex, option.zone);
      fill(problem, node, remaining);
      const worthPerUsd = worthOf(node, duals) / option.price;
      if (worthPerUsd <= 0) continue;
      const better =
        best === undefined ||
        worthPerUsd > best.worthPerUsd + 1e-12 ||
        (worthPerUsd > best.worthPerUsd - 1e-12 && option.price > best.price);
      if (better) {
        best = {
          pattern: { column: option.columnIndex, zone: option.zone, units: node.units },
          worthPerUsd,
          price: option.price,
        };
      }
    }
  }
  return best?.pattern;
}

/** Everything that remains on the cheapest single node that holds it; undefined when there is none. */
export function closingPattern(
  problem: PackingProblem,
  remaining: Int32Array,
  headroom: Headroom,
): Pattern | undefined {
  const left = remaining.reduce((sum, units) => sum + units, 0);
  if (left === 0) return undefined;
  let best: { pattern: Pattern; price: number } | undefined;
  for (const option of options(problem, remaining, headroom)) {
    if (best !== undefined && option.price >= best.price) continue;
    const node = openNode(problem, option.columnIndex, option.zone);
    if (remaining.every((units, item) => addUnits(problem, node, item, units) === units)) {
      best = { pattern: { column: option.columnIndex, zone: option.zone, units: node.units }, price: option.price };
    }
  }
  return best?.pattern;
}

interface Option {
  readonly columnIndex: number;
  readonly column: PackingColumn;
  readonly zone: number;
  readonly price: number;
}

/**
 * Columns with the zones worth trying: the cheapest zone where all remaining items agree on the zones, every zone where they do
 * not.
 */
function options(problem: PackingProblem, remaining: Int32Array, headroom: Headroom): readonly Option[] {
  const result: Option[] = [];
  const masks = new Set(problem.items.filter((_, index) => (remaining[index] ?? 0) > 0).map((item) => item.zoneMask));
  const union = [...masks].reduce((all, mask) => all | mask, 0);
  for (const [columnIndex, column] of problem.columns.entries()) {
    if (headroom.nodesLeft(column) === 0) continue;
    if (!problem.items.some((item, index) => (remaining[index] ?? 0) > 0 && item.accepts[columnIndex] === 1)) continue;
    for (const zone of zonesToTry(column, union, masks.size > 1)) {
      result.push({ columnIndex, column, zone, price: column.zonePrices[zone] ?? Number.POSITIVE_INFINITY });
    }
  }
  return result;
}

function zonesToTry(column: PackingColumn, mask: number, every: boolean): readonly number[] {
  const sold = [...column.zonePrices.keys()].filter(
    (zone) => (mask & (1 << zone)) !== 0 && column.zonePrices[zone] !== Number.POSITIVE_INFINITY,
  );
  if (every || sold.length === 0) return sold;
  const priceOf = (zone: number) => column.zonePrices[zone] ?? Number.POSITIVE_INFINITY;
  return [sold.reduce((cheapest, zone) => (priceOf(zone) < priceOf(cheapest) ? zone : cheapest))];
}

/** Options by the most they could be worth per dollar when full, best first: the search stops at the first that cannot win. */
function optionsByWorth(
  problem: PackingProblem,
  remaining: Int32Array,
  duals: Float64Array,
  headroom: Headroom,
): readonly (Option & { readonly worthPerUsdLimit: number })[] {
  const demand = new Float64Array(problem.dimensions.length);
  problem.items.forEach((item, index) => {
    for (let dimension = 0; dimension < demand.length; dimension++) {
      demand[dimension] = (demand[dimension] ?? 0) + (remaining[index] ?? 0) * (item.requests[dimension] ?? 0);
    }
  });
  return options(problem, remaining, headroom)
    .map((option) => {
      let worth = 0;
      for (let dimension = 0; dimension < duals.length; dimension++) {
        const usable = Math.min(option.column.capacity[dimension] ?? 0, demand[dimension] ?? 0);
        worth += (duals[dimension] ?? 0) * usable;
      }
      return { ...option, worthPerUsdLimit: worth / option.price };
    })
    .sort((a, b) => b.worthPerUsdLimit - a.worthPerUsdLimit || b.price - a.price || a.columnIndex - b.columnIndex);
}

function worthOf(node: OpenNode, duals: Float64Array): number {
  let worth = 0;
  for (let dimension = 0; dimension < duals.length; dimension++) {
    const used = (node.column.capacity[dimension] ?? 0) - (node.free[dimension] ?? 0);
    worth += (duals[dimension] ?? 0) * used;
  }
  return worth;
}

type Filling = (problem: PackingProblem, node: OpenNode, remaining: Int32Array) => void;

/** Two ways to fill a node: the largest first, and all in proportion to what remains, so that no shape is left over. */
const fillings: readonly Filling[] = [fillLargestFirst, fillInProportion];

function fillLargestFirst(problem: PackingProblem, node: OpenNode, remaining: Int32Array): void {
  for (const item of itemsBySize(problem, node.column.capacity)) {
    addUnits(problem, node, item, (remaining[item] ?? 0) - (node.units[item] ?? 0));
  }
}

function fillInProportion(problem: PackingProblem, node: OpenNode, remaining: Int32Array): void {
  const share = proportionThatFits(problem, node, remaining);
  const order = itemsBySize(problem, node.column.capacity);
  for (const item of order) addUnits(problem, node, item, Math.floor((remaining[item] ?? 0) * share));
  for (const item of order) {
    addUnits(problem, node, item, (remaining[item] ?? 0) - (node.units[item] ?? 0));
  }
}

/** The share of all that remains which this node could hold, by resources. */
function proportionThatFits(problem: PackingProblem, node: OpenNode, remaining: Int32Array): number {
  let share = 1;
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    const demand = problem.items.reduce(
      (sum, item, index) =>
        item.accepts[node.columnIndex] === 1 && (item.zoneMask & (1 << node.zone)) !== 0
          ? sum + (remaining[index] ?? 0) * (item.requests[dimension] ?? 0)
          : sum,
      0,
    );
    if (demand > 0) share = Math.min(share, (node.free[dimension] ?? 0) / demand);
  }
  return share;
}
