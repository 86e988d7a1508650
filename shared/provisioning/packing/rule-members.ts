import { getOrMake } from "../get-or-make.ts";
import type { NodeRule, PackingProblem } from "./problem.ts";

/** A rule that counts the pods on a node. */
export type SharingRule = Extract<NodeRule, { kind: "spread" | "anti-affinity" }>;

/** The items that a rule binds or counts: of many apps that each keep apart, each rule concerns few. */
export function membersOf(rule: SharingRule): Int32Array {
  return getOrMake(members, rule, () => {
    const { owns, matches } = rule;
    const found: number[] = [];
    for (let item = 0; item < matches.length; item++) {
      if ((matches[item] ?? 0) > 0 || owns[item] === 1) found.push(item);
    }
    return Int32Array.from(found);
  });
}

const members = new WeakMap<SharingRule, Int32Array>();

/** The rules that say something about an item, in order: most say nothing about most. */
export function rulesOf({ rules, items }: PackingProblem, item: number): readonly NodeRule[] {
  return getOrMake(rulesByItem, rules, () => rulesOfEach(rules, items.length))[item] ?? [];
}

/** Problems that differ in their items' numbers alone share their rules. */
const rulesByItem = new WeakMap<PackingProblem["rules"], readonly (readonly NodeRule[])[]>();

function rulesOfEach(rules: PackingProblem["rules"], items: number): readonly (readonly NodeRule[])[] {
  const ofItem: NodeRule[][] = Array.from({ length: items }, () => []);
  for (const rule of rules) {
    if ("matches" in rule) for (const item of membersOf(rule)) ofItem[item]?.push(rule);
    else for (const own of ofItem) own.push(rule);
  }
  return ofItem;
}
