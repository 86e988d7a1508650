import type { Headroom } from "./headroom.ts";
import { addUnits, itemsFor, type OpenNode, openNode } from "./node-filling.ts";
import { demandOf, type PackingColumn, type PackingProblem } from "./problem.ts";

/** Contents for one node. */
export interface Pattern {
  readonly column: number;
  readonly zone: number;
  /** Units by item. */
  readonly units: Int32Array;
}

/** Options looked at in most steps: those that were worth most when last filled. */
const optionsTried = 200;
/** Every so many steps all options are filled again, because what was worth little may now be worth more. */
const stepsBetweenFullSearches = 16;
/** Options that are also filled in proportion: those worth most when filled the largest first. */
const optionsFilledInProportion = 64;

/** Searches pattern after pattern for one packing. */
export class PatternSearch {
  readonly #problem: PackingProblem;
  readonly #headroom: Headroom;
  /** Worth per dollar when last filled, by column and zone. */
  readonly #lastWorth = new Map<number, number>();
  #steps = 0;

  constructor(problem: PackingProblem, headroom: Headroom) {
    this.#problem = problem;
    this.#headroom = headroom;
  }

  /** The pattern worth most per dollar under these duals; undefined when no column takes any remaining item. */
  best(remaining: Int32Array, duals: Float64Array): Pattern | undefined {
    if (this.#steps++ % stepsBetweenFullSearches === 0) this.#lastWorth.clear();
    const options = this.#inOrderOfHope(remaining, duals);
    const filled: Filled[] = [];
    let bestWorth = 0;
    for (const option of options) {
      if (option.worthPerUsdLimit <= bestWorth) continue;
      const result = this.#fill(option, fillLargestFirst, remaining, duals);
      this.#lastWorth.set(this.#keyOf(option), result.worthPerUsd);
      filled.push(result);
      bestWorth = Math.max(bestWorth, result.worthPerUsd);
      if (filled.length >= optionsTried && this.#steps % stepsBetweenFullSearches !== 1 && bestWorth > 0) break;
    }
    const promising = filled.sort((a, b) => b.worthPerUsd - a.worthPerUsd).slice(0, optionsFilledInProportion);
    const inProportion = promising.map(({ option }) => this.#fill(option, fillInProportion, remaining, duals));
    return mostWorth([...promising, ...inProportion])?.pattern;
  }

  #inOrderOfHope(remaining: Int32Array, duals: Float64Array): readonly RatedOption[] {
    const hope = (option: RatedOption) =>
      Math.min(option.worthPerUsdLimit, this.#lastWorth.get(this.#keyOf(option)) ?? Number.POSITIVE_INFINITY);
    return optionsByWorth(this.#problem, remaining, duals, this.#headroom)
      .map((option) => ({ option, hope: hope(option) }))
      .sort((a, b) => b.hope - a.hope)
      .map(({ option }) => option);
  }

  #fill(option: RatedOption, fill: Filling, remaining: Int32Array, duals: Float64Array): Filled {
    const node = openNode(this.#problem, option.columnIndex, option.zone);
    fill(this.#problem, node, remaining);
    const pattern = { column: option.columnIndex, zone: option.zone, units: node.units };
    return { option, pattern, worthPerUsd: worthOf(node, duals) / option.price };
  }

  #keyOf({ columnIndex, zone }: Option): number {
    return columnIndex * this.#problem.zones.length + zone;
  }
}

interface Filled {
  readonly option: RatedOption;
  readonly pattern: Pattern;
  readonly worthPerUsd: number;
}

/** Of equal worth the larger node: fewer of them. */
function mostWorth(candidates: readonly Filled[]): Filled | undefined {
  let best: Filled | undefined;
  for (const candidate of candidates) {
    if (candidate.worthPerUsd <= 0) continue;
    const gain = best === undefined ? Number.POSITIVE_INFINITY : candidate.worthPerUsd - best.worthPerUsd;
    if (gain > 1e-12 || (gain > -1e-12 && candidate.option.price > (best?.option.price ?? 0))) best = candidate;
  }
  return best;
}

/** Everything that remains on the cheapest single node that holds it; undefined when there is none. */
export function closingPattern(
  problem: PackingProblem,
  remaining: Int32Array,
  headroom: Headroom,
): Pattern | undefined {
  if (remaining.every((units) => units === 0)) return undefined;
  const demand = demandOf(problem, remaining);
  let best: { pattern: Pattern; price: number } | undefined;
  for (const option of options(problem, remaining, headroom)) {
    if (best !== undefined && option.price >= best.price) continue;
    if (demand.some((amount, dimension) => amount > (option.column.capacity[dimension] ?? 0))) continue;
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

interface RatedOption extends Option {
  /** No contents are worth more per dollar. */
  readonly worthPerUsdLimit: number;
}

/**
 * Columns with the zones worth trying: the cheapest zone where all remaining items agree on the zones, every zone where they do
 * not.
 */
function options(problem: PackingProblem, remaining: Int32Array, headroom: Headroom): readonly Option[] {
  const result: Option[] = [];
  const wanted = problem.items.filter((_, index) => (remaining[index] ?? 0) > 0);
  const masks = new Set(wanted.map((item) => item.zoneMask));
  const union = [...masks].reduce((all, mask) => all | mask, 0);
  for (const [columnIndex, column] of problem.columns.entries()) {
    if (headroom.nodesLeft(column) === 0) continue;
    if (!wanted.some((item) => item.accepts[columnIndex] === 1)) continue;
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
): readonly RatedOption[] {
  const demand = demandOf(problem, remaining);
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

function fillLargestFirst(problem: PackingProblem, node: OpenNode, remaining: Int32Array): void {
  for (const item of itemsFor(problem, node)) {
    const left = remaining[item] ?? 0;
    if (left > 0) addUnits(problem, node, item, left - (node.units[item] ?? 0));
  }
}

/** All in proportion to what remains, so that no shape is left over. */
function fillInProportion(problem: PackingProblem, node: OpenNode, remaining: Int32Array): void {
  const share = proportionThatFits(problem, node, remaining);
  for (const item of itemsFor(problem, node)) {
    const left = remaining[item] ?? 0;
    if (left > 0) addUnits(problem, node, item, Math.floor(left * share));
  }
  fillLargestFirst(problem, node, remaining);
}

/** The share of all that remains which this node could hold, by resources. */
function proportionThatFits(problem: PackingProblem, node: OpenNode, remaining: Int32Array): number {
  const items = itemsFor(problem, node);
  let share = 1;
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    let demand = 0;
    for (const item of items) demand += (remaining[item] ?? 0) * (problem.items[item]?.requests[dimension] ?? 0);
    if (demand > 0) share = Math.min(share, (node.free[dimension] ?? 0) / demand);
  }
  return share;
}
