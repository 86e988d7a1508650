import type { Resources } from "../scheduling/resources.ts";
import { getOrMake } from "./get-or-make.ts";
import { toVector } from "./packing-columns.ts";
import type { PoolOffering, PriceList } from "./pool-offerings.ts";

/** How much the offerings of a list have free, and from which on it may be enough: most of the cheap ones are too small. */
export class PriceReach {
  readonly #list: PriceList;
  readonly #dimensions: readonly string[];
  /** By index of an offering. */
  readonly #free: Float64Array[] = [];
  readonly #vectors: Map<Resources, Float64Array>;
  /** By dimension and place in the list, the most that an offering up to there has. */
  readonly #most: readonly number[][];

  constructor(list: PriceList, dimensions: readonly string[], vectors: Map<Resources, Float64Array>) {
    this.#list = list;
    this.#dimensions = dimensions;
    this.#vectors = vectors;
    this.#most = dimensions.map(() => []);
  }

  /** What a node of this offering has for pods, by dimension. */
  freeOf({ index, option }: PoolOffering): Float64Array {
    const known = this.#free[index];
    if (known !== undefined) return known;
    const made = getOrMake(this.#vectors, option.free, () => toVector(option.free, this.#dimensions));
    this.#free[index] = made;
    return made;
  }

  /** No offering before this place has all of these amounts. */
  firstFor(amounts: Float64Array): number {
    let first = 0;
    for (const [dimension, most] of this.#most.entries()) {
      const amount = amounts[dimension] ?? 0;
      if (amount > 0) first = Math.max(first, this.#reaching(most, dimension, amount));
    }
    return first;
  }

  #reaching(most: number[], dimension: number, amount: number): number {
    while ((most.at(-1) ?? 0) < amount) {
      const entry = this.#list.at(most.length);
      if (entry === undefined) return most.length;
      most.push(Math.max(most.at(-1) ?? 0, this.freeOf(entry)[dimension] ?? 0));
    }
    let [low, high] = [0, most.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((most[middle] ?? 0) < amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
