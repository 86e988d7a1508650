import { type CountingRule, mostOnNode } from "./configuration-items.ts";
import { cheapestCover } from "./linear-program.ts";
import { cheapestZone, demandOfItems, type PackingProblem } from "./problem.ts";

/** Rules that are looked at: those that may force the most nodes. */
const mostRules = 40;

/**
 * The fractional cover of these items' demand by all columns that any of them could use, at each column's cheapest zone. What rules let
 * onto a node counts as a resource that each node has so much of: many nodes must be bought for pods that keep apart, and the room on
 * them holds others.
 */
export function coverBoundUsdPerHour(problem: PackingProblem, items: readonly number[]): number {
  const rules = strictestRules(problem, items);
  const most = rules.map(({ rule }) => mostOnNode(rule));
  const columns = problem.columns.flatMap((column, index) => {
    let zones = 0;
    for (const item of items) {
      const { accepts, zoneMask } = problem.items[item] ?? { accepts: [], zoneMask: 0 };
      if (accepts[index] === 1) zones |= zoneMask;
    }
    const zone = cheapestZone(column, zones);
    if (zone === undefined) return [];
    return [{ amounts: Float64Array.of(...column.capacity, ...most), price: column.zonePrices[zone] ?? 0 }];
  });
  const demand = Float64Array.of(...demandOfItems(problem, items), ...rules.map(({ pods }) => pods));
  return cheapestCover(columns, demand).bound;
}

/** The rules that may force the most nodes for these items, with the pods that they bind. */
export function strictestRules(problem: PackingProblem, items: readonly number[]) {
  const rules = problem.rules.flatMap((rule) =>
    "matches" in rule ? [{ rule, pods: podsBound(problem, rule, items) }] : [],
  );
  return rules
    .filter(({ rule, pods }) => pods > mostOnNode(rule))
    .sort((a, b) => b.pods / mostOnNode(b.rule) - a.pods / mostOnNode(a.rule))
    .slice(0, mostRules);
}

/** Pods of these items that own a rule and are counted by it. */
export function podsBound(problem: PackingProblem, rule: CountingRule, items: readonly number[]): number {
  let pods = 0;
  for (const item of items) {
    if (rule.owns[item] === 1) pods += (problem.items[item]?.count ?? 0) * (rule.matches[item] ?? 0);
  }
  return pods;
}
