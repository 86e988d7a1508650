import { cheapestCover } from "./linear-program.ts";
import { marketBoundUsdPerHour } from "./market-bound.ts";
import { independentParts } from "./parts.ts";
import { cheapestZone, demandOfItems, type PackingItem, type PackingProblem } from "./problem.ts";
import { reservationBoundUsdPerHour } from "./reservation-bound.ts";
import { cheapestHolder } from "./right-size.ts";

/**
 * USD per hour that no packing of all items can go below. Items that share no column are bounded apart and summed; within such a
 * part the best of several bounds counts: what the resources cost at the prices of the markets that serve them, the resource LP over
 * the items with equal choices, the number of nodes that hostname rules force times the cheapest node, that it takes either one
 * node that holds everything or at least two, and that reservations have few places.
 */
export function lowerBoundUsdPerHour(problem: PackingProblem): number {
  return independentParts(problem, "columns").reduce((sum, { problem: part }) => {
    const items = [...part.items.keys()];
    return sum + Math.max(partBound(part, items), zoneByZone(part, items));
  }, 0);
}

/** Items pinned to one zone share no node with those of another: each zone is bounded apart, and the others left out. */
function zoneByZone(problem: PackingProblem, items: readonly number[]): number {
  const pinned = items.filter((item) => isOneBit(problem.items[item]?.zoneMask ?? 0));
  const byZone = Map.groupBy(pinned, (item) => problem.items[item]?.zoneMask);
  return byZone.size < 2 ? 0 : [...byZone.values()].reduce((sum, zone) => sum + partBound(problem, zone), 0);
}

function isOneBit(mask: number): boolean {
  return mask !== 0 && (mask & (mask - 1)) === 0;
}

function partBound(problem: PackingProblem, items: readonly number[]): number {
  const equalChoices = [...Map.groupBy(items, (item) => choicesKey(problem, item)).values()];
  const covers = [items, ...(equalChoices.length > 1 ? equalChoices : [])].map((group) => coverBound(problem, group));
  const rules = problem.rules.map((rule) => ("matches" in rule ? forcedNodesBound(problem, rule, items) : 0));
  const largest = items.map((item) => nodePriceFor(problem, item));
  return Math.max(
    0,
    marketBoundUsdPerHour(problem, items),
    reservationBoundUsdPerHour(problem, items),
    ...covers,
    ...rules,
    ...largest,
    oneOrTwoNodes(problem, items),
  );
}

/** The cheapest node that holds all items, or twice the cheapest node that holds any, whichever is less. */
function oneOrTwoNodes(problem: PackingProblem, items: readonly number[]): number {
  const all = Int32Array.from(problem.items, (item, index) => (items.includes(index) ? item.count : 0));
  const prices = items.map((item) => nodePriceFor(problem, item)).filter((price) => price > 0);
  const least = Math.min(cheapestHolder(problem, all) ?? Number.POSITIVE_INFINITY, 2 * Math.min(...prices));
  return Number.isFinite(least) ? least : 0;
}

/** The fractional cover of a group's demand by all columns that any of them could use, at each column's cheapest zone. */
function coverBound(problem: PackingProblem, items: readonly number[]): number {
  const columns = problem.columns.flatMap((column, index) => {
    const mask = items.reduce((zones, item) => zones | zonesAccepted(problem.items[item], index), 0);
    const zone = cheapestZone(column, mask);
    return zone === undefined ? [] : [{ amounts: column.capacity, price: column.zonePrices[zone] ?? 0 }];
  });
  return cheapestCover(columns, demandOfItems(problem, items)).bound;
}

/** A rule lets at most so many matching owners share a node: that many nodes must be bought, each at least the cheapest. */
function forcedNodesBound(
  problem: PackingProblem,
  rule: Extract<PackingProblem["rules"][number], { matches: Int32Array }>,
  items: readonly number[],
): number {
  const bound = items.filter(
    (item) => rule.owns[item] === 1 && (rule.matches[item] ?? 0) > 0 && (problem.items[item]?.count ?? 0) > 0,
  );
  const pods = bound.reduce((sum, item) => sum + (problem.items[item]?.count ?? 0) * (rule.matches[item] ?? 0), 0);
  const perNode = rule.kind === "spread" ? rule.max : Math.max(1, ...bound.map((item) => rule.matches[item] ?? 0));
  const cheapest = Math.min(...bound.map((item) => nodePriceFor(problem, item)));
  return bound.length === 0 ? 0 : Math.ceil(pods / perNode) * cheapest;
}

/** USD per hour of the cheapest node that holds one unit; 0 where there is none to hold or no node for it. */
function nodePriceFor(problem: PackingProblem, item: number): number {
  if ((problem.items[item]?.count ?? 0) === 0) return 0;
  const units = new Int32Array(problem.items.length);
  units[item] = 1;
  return cheapestHolder(problem, units) ?? 0;
}

function zonesAccepted(item: PackingItem | undefined, column: number): number {
  return item !== undefined && item.accepts[column] === 1 ? item.zoneMask : 0;
}

function choicesKey(problem: PackingProblem, item: number): string {
  const { accepts, zoneMask } = problem.items[item] ?? { accepts: new Uint8Array(), zoneMask: 0 };
  return `${zoneMask}:${accepts.join("")}`;
}
