import { getOrMake } from "../get-or-make.ts";
import { isAtLeast, type NodeRule, type PackingColumn } from "./problem.ts";

export type MinValuesRule = Extract<NodeRule, { kind: "min-values" }>;

/** The options of a rule side by side: they are looked at for node after node, most of them in vain. */
export class HolderTable {
  readonly #rule: MinValuesRule;
  readonly #dimensions: number;
  readonly #capacities: Float64Array;
  readonly #zoneMasks: Int32Array;
  /** By what a column counts against its pool's limits. */
  readonly #within = new WeakMap<Float64Array, Int32Array>();
  /** By value, the count in which it was last met. */
  readonly #metIn: Int32Array;
  #counts = 0;

  private constructor(rule: MinValuesRule) {
    this.#rule = rule;
    this.#dimensions = rule.holders[0]?.capacity.length ?? 0;
    this.#capacities = new Float64Array(rule.holders.length * this.#dimensions);
    for (const [index, { capacity }] of rule.holders.entries())
      this.#capacities.set(capacity, index * this.#dimensions);
    this.#zoneMasks = Int32Array.from(rule.holders, ({ zoneMask }) => zoneMask);
    this.#metIn = new Int32Array(1 + rule.holders.reduce((most, { values }) => Math.max(most, ...values), -1));
  }

  static of(rule: MinValuesRule): HolderTable {
    return getOrMake(tables, rule, () => new HolderTable(rule));
  }

  /** Those that a node of a column may become within its pool's limits, by index. */
  within({ limitUse }: PackingColumn): Int32Array {
    return getOrMake(this.#within, limitUse, () =>
      Int32Array.from(this.#rule.holders.keys()).filter((index) => {
        const use = this.#rule.holders[index]?.limitUse;
        return use === undefined || isAtLeast(limitUse, use);
      }),
    );
  }

  /** Whether one is sold in some of these zones and accepts these items, from the `from`-th on. */
  suits(holder: number, zoneMask: number, items: ArrayLike<number>, from = 0): boolean {
    if (((this.#zoneMasks[holder] ?? 0) & zoneMask) === 0) return false;
    const accepts = this.#rule.holders[holder]?.accepts;
    for (let position = from; position < items.length; position++) {
      if (accepts?.[this.#rule.listOfItem[items[position] ?? -1] ?? -1] !== 1) return false;
    }
    return true;
  }

  holds(holder: number, demand: Float64Array): boolean {
    const start = holder * this.#dimensions;
    for (let dimension = 0; dimension < demand.length; dimension++) {
      if ((this.#capacities[start + dimension] ?? 0) < (demand[dimension] ?? 0)) return false;
    }
    return true;
  }

  /** How many units of these requests one holds beside what is used, at most so many; -1 when not even what is used. */
  unitsHeld(holder: number, used: Float64Array, requests: Float64Array, most: number): number {
    const start = holder * this.#dimensions;
    let units = most;
    for (let dimension = 0; dimension < used.length; dimension++) {
      const room = (this.#capacities[start + dimension] ?? 0) - (used[dimension] ?? 0);
      if (room < 0) return -1;
      const request = requests[dimension] ?? 0;
      if (request > 0 && request * units > room) units = Math.floor(room / request);
    }
    return units;
  }

  /** Counts anew what the rule counts, in these zones: tells after each option how many there are with it. */
  counter(zoneMask: number): (holder: number) => number {
    const count = ++this.#counts;
    let sum = 0;
    let zones = 0;
    switch (this.#rule.counts) {
      case "values":
        return (holder) => {
          for (const value of this.#rule.holders[holder]?.values ?? []) {
            if (this.#metIn[value] === count) continue;
            this.#metIn[value] = count;
            sum++;
          }
          return sum;
        };
      case "zones":
        return (holder) => {
          zones |= (this.#zoneMasks[holder] ?? 0) & zoneMask;
          return zonesIn(zones);
        };
      case "spot offerings":
        return (holder) => {
          sum += zonesIn((this.#zoneMasks[holder] ?? 0) & zoneMask);
          return sum;
        };
    }
  }
}

const tables = new WeakMap<MinValuesRule, HolderTable>();

/** How many zones are in a mask. */
export function zonesIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
