import { isAtLeast, type NodeRule, type OptionHolder, type PackingColumn, type PackingProblem } from "./problem.ts";

export type MinValuesRule = Extract<NodeRule, { kind: "min-values" }>;

/**
 * Whether enough of a pool's options hold these items, and what they ask for together, of a node of this column, for what the rule counts. What no spot offering holds
 * needs none on another node: where some hold it, the node would become one of them.
 */
export function reachesMinValues(
  problem: PackingProblem,
  rule: MinValuesRule,
  column: PackingColumn,
  items: Int32Array | readonly number[],
  demand: Float64Array,
): boolean {
  let least = 0;
  let zoneMask = -1;
  let isFirst = true;
  for (const item of items) {
    const wanted = rule.leastOfItem[item] ?? 0;
    least = isFirst ? wanted : Math.min(least, wanted);
    zoneMask &= problem.items[item]?.zoneMask ?? 0;
    isFirst = false;
  }
  if (least === 0) return true;
  const reached = new Tally(rule.counts);
  let isHeld = false;
  for (const holder of rule.holders) {
    if ((holder.zoneMask & zoneMask) === 0 || !isAtLeast(holder.capacity, demand)) continue;
    if (holder.limitUse !== undefined && !isAtLeast(column.limitUse, holder.limitUse)) continue;
    if (!items.every((item) => holder.accepts[item] === 1)) continue;
    if (reached.with(holder, zoneMask) >= least) return true;
    isHeld = true;
  }
  return rule.counts === "spot offerings" && column.isSpot !== true && !isHeld;
}

class Tally {
  readonly #counts: MinValuesRule["counts"];
  readonly #values = new Set<number>();
  #zones = 0;
  #offerings = 0;

  constructor(counts: MinValuesRule["counts"]) {
    this.#counts = counts;
  }

  /** How many there are with one holder more. */
  with({ values, zoneMask: sold }: OptionHolder, zoneMask: number): number {
    switch (this.#counts) {
      case "values":
        for (const value of values) this.#values.add(value);
        return this.#values.size;
      case "zones":
        this.#zones |= sold & zoneMask;
        return zonesIn(this.#zones);
      case "spot offerings":
        this.#offerings += zonesIn(sold & zoneMask);
        return this.#offerings;
    }
  }
}

/** How many zones are in a mask. */
export function zonesIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
