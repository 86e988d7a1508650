import { Headroom } from "./headroom.ts";
import { cheapestCover } from "./linear-program.ts";
import { closingPattern, type Pattern, PatternSearch } from "./patterns.ts";
import { cheapestZone, demandOf, type PackedNode, type Packing, type PackingProblem } from "./problem.ts";

/**
 * Builds a packing node by node: each time the (column, contents) pair whose contents are worth most per dollar, where the worth of
 * a unit of each resource is the dual of the cheapest fractional cover of what remains. A pattern is used for half of what it could
 * cover, then worth is priced anew. Before every step the rest is also tried on one single node; every such ending is a
 * candidate.
 */
export function valuePerDollarPackings(problem: PackingProblem): readonly Packing[] {
  const headroom = new Headroom(problem);
  const remaining = Int32Array.from(problem.items, (item) => item.count);
  const nodes: PackedNode[] = [];
  const candidates: Packing[] = [];
  const search = new PatternSearch(problem, headroom);
  for (;;) {
    const closing = closingPattern(problem, remaining, headroom);
    if (closing !== undefined) {
      candidates.push(toPacking([...nodes, toNode(problem, closing)], new Int32Array(remaining.length)));
    }
    const pattern = search.best(remaining, dualsOf(problem, remaining, headroom));
    if (pattern === undefined) break;
    const times = timesToUse(pattern, remaining, headroom, problem);
    for (let index = 0; index < times; index++) nodes.push(toNode(problem, pattern));
    subtract(remaining, pattern.units, times);
    const column = problem.columns[pattern.column];
    if (column !== undefined) headroom.take(column, times);
  }
  candidates.push(toPacking(nodes, remaining));
  return candidates;
}

/** Half of the uses that the remaining items allow, at least one: the rest is priced again. */
function timesToUse(pattern: Pattern, remaining: Int32Array, headroom: Headroom, problem: PackingProblem): number {
  const column = problem.columns[pattern.column];
  let times = column === undefined ? 1 : headroom.nodesLeft(column);
  for (let item = 0; item < remaining.length; item++) {
    const units = pattern.units[item] ?? 0;
    if (units > 0) times = Math.min(times, Math.floor((remaining[item] ?? 0) / units));
  }
  return Math.max(1, Math.ceil(times / 2));
}

/**
 * Duals of the resource LP over every column that some remaining item could use. Reservations are left out where others will do: they
 * cost next to nothing, and what goes into them is worth what it would cost elsewhere.
 */
function dualsOf(problem: PackingProblem, remaining: Int32Array, headroom: Headroom): Float64Array {
  const columns = problem.columns.flatMap((column, index) => {
    const mask = acceptedZones(problem, remaining, index);
    const zone = mask === 0 || headroom.nodesLeft(column) === 0 ? undefined : cheapestZone(column, mask);
    if (zone === undefined) return [];
    return [{ amounts: column.capacity, price: column.zonePrices[zone] ?? 0, reservation: column.reservation }];
  });
  const bought = columns.filter(({ reservation }) => reservation === undefined);
  return cheapestCover(bought.length > 0 ? bought : columns, demandOf(problem, remaining)).duals;
}

function acceptedZones(problem: PackingProblem, remaining: Int32Array, column: number): number {
  return problem.items.reduce(
    (mask, item, index) => ((remaining[index] ?? 0) > 0 && item.accepts[column] === 1 ? mask | item.zoneMask : mask),
    0,
  );
}

function toNode(problem: PackingProblem, pattern: Pattern): PackedNode {
  const price = problem.columns[pattern.column]?.zonePrices[pattern.zone] ?? Number.POSITIVE_INFINITY;
  return { column: pattern.column, zone: pattern.zone, units: pattern.units, priceUsdPerHour: price };
}

function toPacking(nodes: readonly PackedNode[], unplaced: Int32Array): Packing {
  return {
    nodes: [...nodes],
    unplaced: Int32Array.from(unplaced),
    priceUsdPerHour: nodes.reduce((sum, node) => sum + node.priceUsdPerHour, 0),
  };
}

function subtract(remaining: Int32Array, units: Int32Array, times: number): void {
  for (let item = 0; item < remaining.length; item++) {
    remaining[item] = (remaining[item] ?? 0) - times * (units[item] ?? 0);
  }
}
