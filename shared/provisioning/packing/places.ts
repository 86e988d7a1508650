import { addUnits, itemsFor, type OpenNode } from "./node-filling.ts";
import type { PackingProblem } from "./problem.ts";
import { membersOf, type SharingRule } from "./rule-members.ts";

/** What a sharing rule leaves on each node for the units that it keeps apart. */
export interface Places {
  readonly rule: SharingRule;
  readonly perNode: number;
  /** How many all the units take together. */
  readonly wanted: number;
}

/** Those that force the most nodes; the others hardly matter beside them. */
const rulesPriced = 3;

/** The rules that force more than one node upon these units, first the one that forces most. */
export function scarcestPlaces({ rules }: PackingProblem, units: Int32Array): readonly Places[] {
  return rules
    .flatMap((rule): readonly Places[] => {
      if (rule.kind !== "spread" && rule.kind !== "anti-affinity") return [];
      const perNode = rule.kind === "spread" ? rule.max : 1;
      let wanted = 0;
      for (const item of membersOf(rule)) wanted += (units[item] ?? 0) * placesOf(rule, item);
      return wanted > perNode ? [{ rule, perNode, wanted }] : [];
    })
    .sort((a, b) => b.wanted / b.perNode - a.wanted / a.perNode)
    .slice(0, rulesPriced);
}

/** How many places under a rule a unit takes: only of pods that the rule keeps apart among themselves is it known. */
export function placesOf(rule: SharingRule, item: number): number {
  if (rule.owns[item] !== 1) return 0;
  const matches = rule.matches[item] ?? 0;
  return rule.kind === "spread" ? matches : Math.min(1, matches);
}

/** Puts the largest of the units that a rule keeps apart on a node: a place that stays empty is a further node later. */
export function takePlaces(problem: PackingProblem, node: OpenNode, { rule, perNode }: Places, left: Int32Array): void {
  let places = perNode;
  for (const item of itemsFor(problem, node)) {
    const taken = (left[item] ?? 0) > 0 ? placesOf(rule, item) : 0;
    if (taken === 0) continue;
    const added = addUnits(problem, node, item, Math.min(left[item] ?? 0, Math.floor(places / taken)));
    left[item] = (left[item] ?? 0) - added;
    places -= added * taken;
    if (places < 1) return;
  }
}
