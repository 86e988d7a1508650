import { addUnits, itemsFor, type OpenNode } from "./node-filling.ts";
import type { PackingProblem } from "./problem.ts";

/**
 * Fills nodes with what suits their free room best: again and again the item whose requests have the largest dot product with what is
 * free, each dimension as a share of the node (Panigrahy, Talwar, Uyeda and Wieder 2011, "Heuristics for vector bin packing"). Large
 * items come first, and the dimensions run out together. Made for one problem; its arrays are used for node after node.
 */
export class AlignedFilling {
  readonly #problem: PackingProblem;
  /** Items that may still fit the node at hand: the first so many entries. */
  readonly #open: Int32Array;
  #openCount = 0;
  readonly #weights: Float64Array;

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#open = new Int32Array(problem.items.length);
    this.#weights = new Float64Array(problem.dimensions.length);
  }

  /** `units` is what there is to place, by item; what was placed is taken from it. */
  fill(node: OpenNode, units: Int32Array): void {
    this.#openCount = 0;
    for (const item of itemsFor(this.#problem, node)) {
      if ((units[item] ?? 0) > 0) this.#open[this.#openCount++] = item;
    }
    for (;;) {
      this.#weigh(node);
      const position = this.#bestAligned(node);
      if (position === -1) return;
      const item = this.#open[position] ?? -1;
      const left = units[item] ?? 0;
      const added = addUnits(this.#problem, node, item, Math.max(1, Math.floor(left / stepsPerItem)));
      units[item] = left - added;
      if (added === 0 || added === left) this.#remove(position);
    }
  }

  #weigh({ column, free }: OpenNode): void {
    for (let dimension = 0; dimension < this.#weights.length; dimension++) {
      const capacity = column.capacity[dimension] ?? 0;
      this.#weights[dimension] = capacity > 0 ? (free[dimension] ?? 0) / (capacity * capacity) : 0;
    }
  }

  /** Where the best item is; -1 when none fits. What does not fit now will not later, and leaves the list. */
  #bestAligned({ free }: OpenNode): number {
    const { items } = this.#problem;
    let best = -1;
    let bestScore = -1;
    let kept = 0;
    for (let index = 0; index < this.#openCount; index++) {
      const item = this.#open[index] ?? -1;
      const requests = items[item]?.requests;
      if (requests === undefined) continue;
      let score = 0;
      for (let dimension = 0; dimension < free.length && score >= 0; dimension++) {
        const request = requests[dimension] ?? 0;
        score = request > (free[dimension] ?? 0) ? -1 : score + request * (this.#weights[dimension] ?? 0);
      }
      if (score < 0) continue;
      this.#open[kept] = item;
      if (score > bestScore) {
        bestScore = score;
        best = kept;
      }
      kept++;
    }
    this.#openCount = kept;
    return best;
  }

  #remove(position: number): void {
    this.#open.copyWithin(position, position + 1, this.#openCount);
    this.#openCount--;
  }
}

/** An item of many units is placed in about so many steps, so that others get their turn as the free room changes. */
const stepsPerItem = 6;
