import { cheapestCover } from "./linear-program.ts";
import { cheapestZone, type PackingItem, type PackingProblem } from "./problem.ts";
import { holds } from "./right-size.ts";

/**
 * USD per hour that no packing of all items can go below. Items that share no column are bounded apart and summed; within such a
 * part the best of three bounds counts: the resource LP over all items, the same over the items with equal choices, and the number
 * of nodes that hostname rules force times the cheapest node.
 */
export function lowerBoundUsdPerHour(problem: PackingProblem): number {
  return independentParts(problem).reduce((sum, part) => sum + partBound(problem, part), 0);
}

function partBound(problem: PackingProblem, items: readonly number[]): number {
  const equalChoices = [...Map.groupBy(items, (item) => choicesKey(problem, item)).values()];
  const covers = [items, ...equalChoices].map((group) => coverBound(problem, group));
  const rules = problem.rules.map((rule) => (rule.kind === "exclusive" ? 0 : forcedNodesBound(problem, rule, items)));
  const largest = items.map((item) => cheapestNodeFor(problem, item));
  return Math.max(0, ...covers, ...rules, ...largest);
}

/** The fractional cover of a group's demand by all columns that any of them could use, at each column's cheapest zone. */
function coverBound(problem: PackingProblem, items: readonly number[]): number {
  const demand = new Float64Array(problem.dimensions.length);
  for (const index of items) {
    const item = problem.items[index];
    for (let dimension = 0; dimension < demand.length; dimension++) {
      demand[dimension] = (demand[dimension] ?? 0) + (item?.count ?? 0) * (item?.requests[dimension] ?? 0);
    }
  }
  const columns = problem.columns.flatMap((column, index) => {
    const mask = items.reduce((zones, item) => zones | zonesAccepted(problem.items[item], index), 0);
    const zone = cheapestZone(column, mask);
    return zone === undefined ? [] : [{ amounts: column.capacity, price: column.zonePrices[zone] ?? 0 }];
  });
  return cheapestCover(columns, demand).bound;
}

/** A rule lets at most so many matching owners share a node: that many nodes must be bought, each at least the cheapest. */
function forcedNodesBound(
  problem: PackingProblem,
  rule: Extract<PackingProblem["rules"][number], { matches: Int32Array }>,
  items: readonly number[],
): number {
  const bound = items.filter((item) => rule.owns[item] === 1 && (rule.matches[item] ?? 0) > 0);
  const pods = bound.reduce((sum, item) => sum + (problem.items[item]?.count ?? 0) * (rule.matches[item] ?? 0), 0);
  const perNode = rule.kind === "spread" ? rule.max : Math.max(1, ...bound.map((item) => rule.matches[item] ?? 0));
  const cheapest = Math.min(...bound.map((item) => cheapestNodeFor(problem, item)));
  return bound.length === 0 ? 0 : Math.ceil(pods / perNode) * cheapest;
}

/** The cheapest node that holds one unit of an item; 0 when none does. */
function cheapestNodeFor(problem: PackingProblem, index: number): number {
  const item = problem.items[index];
  if (item === undefined || item.count === 0) return 0;
  const units = new Int32Array(problem.items.length);
  units[index] = 1;
  let best = Number.POSITIVE_INFINITY;
  for (const [columnIndex, column] of problem.columns.entries()) {
    const zone = cheapestZone(column, zonesAccepted(item, columnIndex));
    const price = zone === undefined ? Number.POSITIVE_INFINITY : (column.zonePrices[zone] ?? Number.POSITIVE_INFINITY);
    if (zone !== undefined && price < best && holds(problem, columnIndex, zone, units)) best = price;
  }
  return Number.isFinite(best) ? best : 0;
}

function zonesAccepted(item: PackingItem | undefined, column: number): number {
  return item !== undefined && item.accepts[column] === 1 ? item.zoneMask : 0;
}

function choicesKey(problem: PackingProblem, item: number): string {
  const { accepts, zoneMask } = problem.items[item] ?? { accepts: new Uint8Array(), zoneMask: 0 };
  return `${zoneMask}:${accepts.join("")}`;
}

/** Items grouped so that no column takes items of two groups. */
function independentParts(problem: PackingProblem): readonly (readonly number[])[] {
  const parent = [...problem.items.keys()];
  const rootOf = (item: number): number => {
    let root = item;
    while (parent[root] !== undefined && parent[root] !== root) root = parent[root] ?? root;
    return root;
  };
  problem.columns.forEach((_, column) => {
    const takers = [...problem.items.keys()].filter((item) => problem.items[item]?.accepts[column] === 1);
    const first = takers[0];
    for (const item of takers) if (first !== undefined) parent[rootOf(item)] = rootOf(first);
  });
  return [...Map.groupBy(problem.items.keys(), rootOf).values()];
}
