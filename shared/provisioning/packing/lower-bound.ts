import type { CountingRule } from "./configuration-items.ts";
import { type ConfigurationBudget, planningBudget, solveConfigurations } from "./configuration-lp.ts";
import { coverBoundUsdPerHour, podsBound } from "./cover-bound.ts";
import { equalChoices } from "./equal-choices.ts";
import { marketWorths } from "./market-bound.ts";
import { type NodePrices, nodePricesOf } from "./node-prices.ts";
import { independentParts } from "./parts.ts";
import type { PackingProblem } from "./problem.ts";
import { reservationBoundUsdPerHour } from "./reservation-bound.ts";
import { cheapestHolder } from "./right-size.ts";

/**
 * USD per hour that no packing of all items can go below. Items that share no column are bounded apart and summed; within such a
 * part the best of several bounds counts: the configuration LP where the budget allows it, what the resources cost at the prices of the
 * markets that serve them, the resource LP over the items with equal choices, the nodes that hostname rules
 * force, each the cheapest for its units, that it takes either one node that holds everything or at least two, and that reservations have few places.
 */
export function lowerBoundUsdPerHour(problem: PackingProblem, budget: ConfigurationBudget = planningBudget): number {
  return independentParts(problem, "columns").reduce((sum, { problem: part }) => {
    const items = [...part.items.keys()];
    const configurations = solveConfigurations(part, budget)?.boundUsdPerHour ?? 0;
    return sum + Math.max(configurations, partBound(part, items), zoneByZone(part, items));
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
  const groups = equalChoices(problem, items);
  const isSplit = groups.length > 1 && groups.length <= mostChoices;
  const covers = [items, ...(isSplit ? groups : [])].map((group) => coverBoundUsdPerHour(problem, group));
  const prices = nodePricesOf(problem, items);
  const rules = problem.rules.map((rule) => ("matches" in rule ? forcedNodesBound(problem, rule, items, prices) : 0));
  return Math.max(
    0,
    marketWorths(problem, items).bound,
    reservationBoundUsdPerHour(problem, items),
    oneOrTwoNodes(problem, items, prices),
    ...covers,
    ...rules,
    ...prices.values(),
  );
}

/** With more kinds of choices each is too few items for a bound of its own to matter. */
const mostChoices = 12;

/** The cheapest node that holds all items, or twice the cheapest node that holds any, whichever is less. */
function oneOrTwoNodes(problem: PackingProblem, items: readonly number[], nodePrices: NodePrices): number {
  const present = Int32Array.from(items).filter((item) => (problem.items[item]?.count ?? 0) > 0);
  const all = { items: present, counts: present.map((item) => problem.items[item]?.count ?? 0) };
  const prices = [...nodePrices.values()].filter((price) => price > 0);
  const least = Math.min(cheapestHolder(problem, all) ?? Number.POSITIVE_INFINITY, 2 * Math.min(...prices));
  return Number.isFinite(least) ? least : 0;
}

/**
 * A rule lets at most so many matching owners share a node, and each node costs at least what the cheapest one does for any of its units:
 * least where the dearest units share one node, the next ones another, and so on.
 */
function forcedNodesBound(
  problem: PackingProblem,
  rule: CountingRule,
  items: readonly number[],
  prices: NodePrices,
): number {
  const bound = items
    .filter((item) => podsBound(problem, rule, [item]) > 0)
    .sort((a, b) => (prices.get(b) ?? 0) - (prices.get(a) ?? 0));
  const { perNode, weightOf } = sharesOfNode(rule, bound);
  let before = 0;
  let weight = 0;
  let sum = 0;
  for (const item of bound) {
    weight += (problem.items[item]?.count ?? 0) * weightOf(item);
    const nodes = Math.ceil(weight / perNode);
    sum += (nodes - before) * (prices.get(item) ?? 0);
    before = nodes;
  }
  return sum;
}

/** How many of these units one node may hold, where all are of equal weight; or how many of their pods. */
function sharesOfNode(rule: CountingRule, bound: readonly number[]) {
  if (rule.kind === "anti-affinity") return { perNode: 1, weightOf: () => 1 };
  const matchesOf = (item: number) => rule.matches[item] ?? 0;
  const [first = -1] = bound;
  if (bound.some((item) => matchesOf(item) !== matchesOf(first))) return { perNode: rule.max, weightOf: matchesOf };
  return { perNode: Math.max(1, Math.floor(rule.max / matchesOf(first))), weightOf: () => 1 };
}
