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

/**
 * USD per hour that no packing of these items can go below, by pricing each market for itself: an item is worth what the cheapest
 * market that serves it asks for its requests. Each node costs at least what its market's worth of its capacity is, so at least what
 * its contents are worth; summed over all nodes this is the bound, whatever the worths are, as long as they are dual feasible. Better
 * worths are found by pricing each market again for the items that found it cheapest, and going half way.
 */
export function marketBoundUsdPerHour(problem: PackingProblem, items: readonly number[]): number {
  const markets = marketsOf(problem, items);
  for (const market of markets) market.worth = priced(problem, market, market.items);
  let best = 0;
  for (let round = 0; round < rounds; round++) {
    const { bound, cheapest } = evaluate(problem, markets, items);
    best = Math.max(best, bound);
    for (const market of markets) {
      const drawn = market.items.filter((item) => cheapest.get(item) === market);
      if (drawn.length > 0) market.worth = halfWay(market.worth, priced(problem, market, drawn));
    }
  }
  return Math.max(best, evaluate(problem, markets, items).bound);
}

function evaluate(problem: PackingProblem, markets: readonly Market[], items: readonly number[]) {
  const cheapest = new Map<number, Market>();
  let bound = 0;
  for (const item of items) {
    const { requests, count } = problem.items[item] ?? { requests: new Float64Array(), count: 0 };
    let lowest = Number.POSITIVE_INFINITY;
    for (const market of markets) {
      if (!market.items.includes(item)) continue;
      const worth = dot(market.worth, requests);
      if (worth < lowest) {
        lowest = worth;
        cheapest.set(item, market);
      }
    }
    if (Number.isFinite(lowest)) bound += count * lowest;
  }
  return { bound, cheapest };
}

function marketsOf(problem: PackingProblem, items: readonly number[]): readonly Market[] {
  const byItems = new Map<string, { items: readonly number[]; columns: CoverColumn[] }>();
  for (const [columnIndex, column] of problem.columns.entries()) {
    for (const [zone, price] of column.zonePrices.entries()) {
      if (!Number.isFinite(price)) continue;
      const served = items.filter((item) => {
        const { accepts, zoneMask } = problem.items[item] ?? { accepts: new Uint8Array(), zoneMask: 0 };
        return accepts[columnIndex] === 1 && (zoneMask & (1 << zone)) !== 0;
      });
      if (served.length === 0) continue;
      const key = served.join();
      const market = byItems.get(key) ?? { items: served, columns: [] };
      market.columns.push({ amounts: column.capacity, price });
      byItems.set(key, market);
    }
  }
  return [...byItems.values()].map((market) => ({
    ...market,
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
