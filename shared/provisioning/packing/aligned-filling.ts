import { addUnits, itemsFor, type OpenNode } from "./node-filling.ts";
import type { PackingProblem } from "./problem.ts";
import { sizeGroups } from "./size-groups.ts";

/**
 * Fills nodes with what suits their free room best: again and again the item whose requests have the largest dot product with what is
 * free, each dimension as a share of the node (Panigrahy, Talwar, Uyeda and Wieder 2011, "Heuristics for vector bin packing"). Large
 * items come first, and the dimensions run out together. Of items of about one size only the largest is looked at. Made for one problem;
 * its arrays are used for node after node.
 */
export class AlignedFilling {
  readonly #problem: PackingProblem;
  /** By item. */
  readonly #groups: Int32Array;
  /** By group, its largest item that may still fit the node at hand, or -1; by item, the next smaller one of its group. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  /** Groups with such an item: the first so many entries. */
  readonly #open: Int32Array;
  #openCount = 0;
  readonly #weights: Float64Array;

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    const { groups, count } = sizeGroups(problem);
    this.#groups = groups;
    this.#first = new Int32Array(count);
    this.#next = new Int32Array(problem.items.length);
    this.#open = new Int32Array(count);
    this.#weights = new Float64Array(problem.dimensions.length);
  }

  /** `units` is what there is to place, by item; what was placed is taken from it. */
  fill(node: OpenNode, units: Int32Array): void {
    this.#list(node, units);
    for (;;) {
      this.#weigh(node);
      const group = this.#bestAligned(node);
      if (group === -1) return;
      const item = this.#first[group] ?? -1;
      const left = units[item] ?? 0;
      const added = addUnits(this.#problem, node, item, Math.max(1, Math.floor(left / stepsPerItem)));
      units[item] = left - added;
      if (added === 0 || added === left) this.#first[group] = this.#next[item] ?? -1;
    }
  }

  /** The items that the node may take, each before the smaller ones of its group. */
  #list(node: OpenNode, units: Int32Array): void {
    this.#first.fill(-1);
    this.#openCount = 0;
    const items = itemsFor(this.#problem, node);
    for (let index = items.length - 1; index >= 0; index--) {
      const item = items[index] ?? -1;
      if ((units[item] ?? 0) <= 0) continue;
      const group = this.#groups[item] ?? -1;
      this.#next[item] = this.#first[group] ?? -1;
      this.#first[group] = item;
    }
    for (const item of items) {
      const group = this.#groups[item] ?? -1;
      if (this.#first[group] === item) this.#open[this.#openCount++] = group;
    }
  }

  #weigh({ column, free }: OpenNode): void {
    for (let dimension = 0; dimension < this.#weights.length; dimension++) {
      const capacity = column.capacity[dimension] ?? 0;
      this.#weights[dimension] = capacity > 0 ? (free[dimension] ?? 0) / (capacity * capacity) : 0;
    }
  }

  /** The group of the best item; -1 when none fits. What does not fit now will not later, and leaves the lists. */
  #bestAligned({ free }: OpenNode): number {
    let best = -1;
    let bestScore = -1;
    let kept = 0;
    for (let index = 0; index < this.#openCount; index++) {
      const group = this.#open[index] ?? -1;
      let item = this.#first[group] ?? -1;
      let score = -1;
      while (item !== -1) {
        score = this.#scoreOf(item, free);
        if (score >= 0) break;
        item = this.#next[item] ?? -1;
      }
      this.#first[group] = item;
      if (item === -1) continue;
      this.#open[kept++] = group;
      if (score > bestScore) {
        bestScore = score;
        best = group;
      }
    }
    this.#openCount = kept;
    return best;
  }

  /** -1 when the item does not fit. */
  #scoreOf(item: number, free: Float64Array): number {
    const requests = this.#problem.items[item]?.requests;
    if (requests === undefined) return -1;
    let score = 0;
    for (let dimension = 0; dimension < free.length; dimension++) {
      const request = requests[dimension] ?? 0;
      if (request > (free[dimension] ?? 0)) return -1;
      score += request * (this.#weights[dimension] ?? 0);
    }
    return score;
  }
}

/** An item of many units is placed in about so many steps, so that others get their turn as the free room changes. */
const stepsPerItem = 6;
