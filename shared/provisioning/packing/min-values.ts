import { HolderTable, type MinValuesRule } from "./holder-table.ts";
import type { PackingColumn, PackingProblem } from "./problem.ts";

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
  let least = Number.POSITIVE_INFINITY;
  let zoneMask = -1;
  for (const item of items) {
    least = Math.min(least, rule.leastOfItem[item] ?? 0);
    zoneMask &= problem.items[item]?.zoneMask ?? 0;
  }
  if (least === 0 || items.length === 0) return true;
  const table = HolderTable.of(rule);
  const countWith = table.counter(zoneMask);
  let isHeld = false;
  for (const holder of table.within(column)) {
    if (!table.holds(holder, demand) || !table.suits(holder, zoneMask, items)) continue;
    if (countWith(holder) >= least) return true;
    isHeld = true;
  }
  return mayBeHeldByNone(rule, column) && !isHeld;
}

/** What a node that is filled holds, and how many more units of an item it may take. */
export interface FilledNode {
  readonly column: PackingColumn;
  readonly free: Float64Array;
  /** The items with units on it, in the order in which they came. */
  readonly present: readonly number[];
}

/**
 * The options that hold what is on one node, as it is filled: the fuller it is, the fewer are left, and those that have dropped out are not
 * looked at again.
 */
export class LiveHolders {
  readonly rule: MinValuesRule;
  readonly #table: HolderTable;
  readonly #used: Float64Array;
  #live: Int32Array;
  /** The first so many of the items present are accepted by all that are live. */
  #itemsSeen = 0;

  constructor(rule: MinValuesRule, { column }: FilledNode) {
    this.rule = rule;
    this.#table = HolderTable.of(rule);
    this.#live = this.#table.within(column);
    this.#used = new Float64Array(column.capacity.length);
  }

  /** How many more units of an item, at most so many, leave enough options that hold all: the more units, the fewer do. */
  mostUnits(problem: PackingProblem, node: FilledNode, item: number, most: number): number {
    const { column, free, present } = node;
    let least = this.rule.leastOfItem[item] ?? 0;
    let zoneMask = problem.items[item]?.zoneMask ?? 0;
    for (const other of present) {
      least = Math.min(least, this.rule.leastOfItem[other] ?? 0);
      zoneMask &= problem.items[other]?.zoneMask ?? 0;
    }
    if (least === 0) return most;
    for (let dimension = 0; dimension < this.#used.length; dimension++) {
      this.#used[dimension] = (column.capacity[dimension] ?? 0) - (free[dimension] ?? 0);
    }
    const requests = problem.items[item]?.requests ?? new Float64Array();
    const wanted = { item: [item], zoneMask, requests, least, most };
    return this.#isEnoughFor(present, wanted)
      ? most
      : this.#mostOfFew(present, wanted, mayBeHeldByNone(this.rule, column));
  }

  /** Most often few options have to be looked at. */
  #isEnoughFor(present: readonly number[], { item, zoneMask, requests, least, most }: WantedUnits): boolean {
    const table = this.#table;
    const countWith = table.counter(zoneMask);
    for (const holder of this.#live) {
      if (table.unitsHeld(holder, this.#used, requests, most) < most || !table.suits(holder, zoneMask, item)) continue;
      if (table.suits(holder, zoneMask, present, this.#itemsSeen) && countWith(holder) >= least) return true;
    }
    return false;
  }

  #mostOfFew(
    present: readonly number[],
    { item, zoneMask, requests, least, most }: WantedUnits,
    mayBeHeldByNone: boolean,
  ): number {
    const table = this.#table;
    const seen = this.#itemsSeen;
    this.#live = this.#live.filter(
      (holder) => table.unitsHeld(holder, this.#used, requests, 0) === 0 && table.suits(holder, -1, present, seen),
    );
    this.#itemsSeen = present.length;
    const holders = this.#live.filter((holder) => table.suits(holder, zoneMask, item));
    const held = holders.map((holder) => table.unitsHeld(holder, this.#used, requests, most));
    const reaches = (units: number) => {
      const countWith = table.counter(zoneMask);
      let isHeld = false;
      for (let index = 0; index < held.length; index++) {
        if ((held[index] ?? 0) < units) continue;
        if (countWith(holders[index] ?? -1) >= least) return true;
        isHeld = true;
      }
      return mayBeHeldByNone && !isHeld;
    };
    if (reaches(most)) return most;
    let [low, high] = [0, most - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (reaches(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Units of an item that is to join a node. */
interface WantedUnits {
  /** Alone in a list. */
  readonly item: readonly number[];
  /** Zones that all on the node may be in. */
  readonly zoneMask: number;
  readonly requests: Float64Array;
  readonly least: number;
  readonly most: number;
}

function mayBeHeldByNone({ counts }: MinValuesRule, { isSpot }: PackingColumn): boolean {
  return counts === "spot offerings" && isSpot !== true;
}
