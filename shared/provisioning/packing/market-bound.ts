import { equalChoices } from "./equal-choices.ts";
import { type CoverColumn, cheapestCover, dot } from "./linear-program.ts";
import { demandOfItems, type PackingProblem } from "./problem.ts";

const rounds = 6;

/** What is sold to the same items: columns in zones, as one market with its own worth of each resource. */
interface Market {
  readonly items: readonly number[];
  readonly columns: readonly CoverColumn[];
  /** Worth of one unit of each dimension; no column of the market is worth more than it costs. */
  worth: Float64Array;
  /** What it was priced at for items: rounds ask for the same again and again. */
  readonly known: Map<string, Float64Array>;
}

/** What one unit of each item is worth where none of them is dear, and what that makes of all. */
export interface MarketWorths {
  /** USD per hour that no packing of the items can go below. */
  readonly bound: number;
  /** By item; no node's contents are worth more than it costs. */
  readonly worths: ReadonlyMap<number, number>;
}

/**
 * A lower bound of what these items cost, by pricing each market for itself: an item is worth what the cheapest
 * market that serves it asks for its requests. Each node costs at least what its market's worth of its capacity is, so at least what
 * its contents are worth; summed over all nodes this is the bound, whatever the worths are, as long as they are dual feasible. Better
 * worths are found by pricing each market again for the items that found it cheapest, and going half way.
 */
export function marketWorths(problem: PackingProblem, items: readonly number[]): MarketWorths {
  const markets = marketsOf(problem, items);
  for (const market of markets) market.worth = priced(problem, market, market.items);
  let best: MarketWorths = { bound: 0, worths: new Map() };
  for (let round = 0; round < rounds; round++) {
    const { cheapest, ...found } = evaluate(problem, markets, items);
    if (found.bound > best.bound) best = found;
    for (const market of markets) {
      const drawn = market.items.filter((item) => cheapest.get(item) === market);
      if (drawn.length > 0) market.worth = halfWay(market.worth, priced(problem, market, drawn));
    }
  }
  const last = evaluate(problem, markets, items);
  return last.bound > best.bound ? last : best;
}

function evaluate(problem: PackingProblem, markets: readonly Market[], items: readonly number[]) {
  const cheapest = new Map<number, Market>();
  const worths = new Map<number, number>();
  for (const market of markets) {
    for (const item of market.items) {
      const worth = dot(market.worth, problem.items[item]?.requests ?? new Float64Array());
      if (worth >= (worths.get(item) ?? Number.POSITIVE_INFINITY)) continue;
      worths.set(item, worth);
      cheapest.set(item, market);
    }
  }
  const bound = items.reduce((sum, item) => sum + (problem.items[item]?.count ?? 0) * (worths.get(item) ?? 0), 0);
  return { bound, worths, cheapest };
}

function marketsOf(problem: PackingProblem, items: readonly number[]): readonly Market[] {
  const classes = equalChoices(problem, items);
  const byClasses = new Map<string, { served: readonly number[]; columns: CoverColumn[] }>();
  for (const [columnIndex, column] of problem.columns.entries()) {
    for (const [zone, price] of column.zonePrices.entries()) {
      if (!Number.isFinite(price)) continue;
      const served = [...classes.keys()].filter((index) => {
        const { accepts = new Uint8Array(), zoneMask = 0 } = problem.items[classes[index]?.[0] ?? -1] ?? {};
        return accepts[columnIndex] === 1 && (zoneMask & (1 << zone)) !== 0;
      });
      if (served.length === 0) continue;
      const key = served.join();
      const market = byClasses.get(key) ?? { served, columns: [] };
      market.columns.push({ amounts: column.capacity, price });
      byClasses.set(key, market);
    }
  }
  return [...byClasses.values()].map(({ served, columns }) => ({
    items: served.flatMap((index) => classes[index] ?? []),
    columns,
    worth: new Float64Array(problem.dimensions.length),
    known: new Map(),
  }));
}

/** The duals of the market's cheapest fractional cover of what these items ask for. */
function priced(problem: PackingProblem, market: Market, items: readonly number[]): Float64Array {
  const key = items.join();
  const duals = market.known.get(key) ?? cheapestCover(market.columns, demandOfItems(problem, items)).duals;
  market.known.set(key, duals);
  return duals;
}

function halfWay(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, index) => (value + (b[index] ?? 0)) / 2);
}
