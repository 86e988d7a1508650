import { getOrMake } from "../get-or-make.ts";
import { choicesKey, equalChoices } from "./equal-choices.ts";
import type { MinValuesRule } from "./holder-table.ts";
import type { NodeRule, PackingProblem, ZoneRange } from "./problem.ts";
import { rulesOf } from "./rule-members.ts";

/** Items that are alike in all that matters to a node's contents. */
export interface MergedItem {
  /** By dimension of the problem, then by shared rule. */
  readonly sizes: Float64Array;
  readonly count: number;
  /** No node holds more of them, whatever its size. */
  readonly mostPerNode: number;
  /** Indexes of the problem's items. */
  readonly members: readonly number[];
  /** The one row of its demand, or one for each kind of zone. */
  readonly rows: readonly number[];
  /** How its units are to be shared out by zone, where the kinds of zones have rows of their own. */
  readonly ranges?: readonly ZoneRange[];
}

/** A rule that several items share, as a dimension of its own: owners that match take of what it lets onto a node. */
export type CountingRule = Extract<NodeRule, { matches: Int32Array }>;

const mostSharedRules = 6;

/** The rules that several items share; the first few, where there are many. */
export function sharedRules(
  { rules }: PackingProblem,
  groups: readonly (readonly number[])[],
): readonly CountingRule[] {
  const ownersOf = (rule: CountingRule) => groups.filter(([first = -1]) => matchesOfOwner(rule, first) > 0);
  return rules
    .flatMap((rule) => ("matches" in rule && ownersOf(rule).length > 1 ? [rule] : []))
    .slice(0, mostSharedRules);
}

function matchesOfOwner(rule: CountingRule, item: number): number {
  return rule.owns[item] === 1 ? (rule.matches[item] ?? 0) : 0;
}

/** How much of a shared rule a node has. */
export function mostOnNode(rule: CountingRule): number {
  return rule.kind === "spread" ? rule.max : 1;
}

/** The members of each merged item. */
export function alikeItems(problem: PackingProblem): readonly (readonly number[])[] {
  const wanted = [...problem.items.keys()].filter((item) => (problem.items[item]?.count ?? 0) > 0);
  const buckets = [...Map.groupBy(wanted, (item) => keyOf(problem, item)).values()];
  return buckets.flatMap((bucket) => equalChoices(problem, bucket));
}

/** Equal for items that are alike, and seldom for others: their choices are compared then. */
function keyOf(problem: PackingProblem, index: number): string {
  const item = problem.items[index];
  const roles = [
    ...rulesOf(problem, index).map((rule) => `${numberOf(problem, rule)}:${roleIn(rule, index)}`),
    ...(problem.zoneShares ?? []).map(({ items }) => items[index]),
  ];
  return `${item?.requests.join()} ${roles.join()} ${choicesKey(item)}`;
}

/** Its place among the problem's rules. */
function numberOf({ rules }: PackingProblem, rule: NodeRule): number {
  const known = getOrMake(numbers, rules, () => new Map(rules.map((one, index) => [one, index])));
  return known.get(rule) ?? -1;
}

const numbers = new WeakMap<PackingProblem["rules"], ReadonlyMap<NodeRule, number>>();

function roleIn(rule: NodeRule, item: number): string {
  switch (rule.kind) {
    case "spread":
    case "anti-affinity":
      return `${rule.matches[item]}/${rule.owns[item]}`;
    case "label":
      return String(rule.valuesOfItem[item]);
    case "attachments":
      return String(rule.volumesOfItem[item]);
    case "min-values":
      return `${rule.leastOfItem[item]}/${acceptedIn(rule, rule.listOfItem[item] ?? -1)}`;
  }
}

/** Which holders a list of options has, as text. */
function acceptedIn(rule: MinValuesRule, list: number): string {
  const known = getOrMake(accepted, rule, () => new Map());
  return getOrMake(known, list, () => rule.holders.map(({ accepts }) => accepts[list]).join(""));
}

const accepted = new WeakMap<MinValuesRule, Map<number, string>>();

/** One item for these members; the rows of its demand are yet to be numbered. */
export function mergedItem(
  problem: PackingProblem,
  members: readonly number[],
  shared: readonly CountingRule[],
): Omit<MergedItem, "rows"> {
  const [first = -1] = members;
  const count = members.reduce((sum, member) => sum + (problem.items[member]?.count ?? 0), 0);
  const most = problem.rules.map((rule) => mostOf(rule, first));
  const requests = problem.items[first]?.requests ?? [];
  const sizes = Float64Array.from([...requests, ...shared.map((rule) => matchesOfOwner(rule, first))]);
  return { sizes, count, mostPerNode: Math.min(count, ...most), members };
}

/** How many of one item a rule that the item owns and matches lets onto a node. */
function mostOf(rule: NodeRule, item: number): number {
  if (!("matches" in rule)) return Number.POSITIVE_INFINITY;
  const matches = matchesOfOwner(rule, item);
  return matches === 0 ? Number.POSITIVE_INFINITY : Math.floor(mostOnNode(rule) / matches);
}

/** Order of vectors by their first difference. */
export function comparedVectors(a: Float64Array, b: Float64Array): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
