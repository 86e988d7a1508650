import type { Knapsack } from "./knapsack-relaxation.ts";

/** What a search found out about a knapsack. */
export interface KnapsackAnswer {
  /** No contents are worth more. */
  readonly upper: number;
  /** Worth of `units`. */
  readonly value: number;
  /** By thing; undefined when nothing worth more than was asked for has been found. */
  readonly units: Float64Array | undefined;
}

/** Amounts are sums of many terms: what is too large by rounding alone is not. */
const roundingShare = 1e-9;

/**
 * The contents worth most, if worth more than `target`: depth first, the best value for its share of the capacity first, with the
 * fractional fill of the capacity as a whole (a surrogate, in which each dimension counts as much as it is worth) as the limit to what
 * a branch may still bring. After `mostNodes` steps no branch is followed any more, and each counts for its limit.
 */
export class KnapsackSearch {
  /** Steps taken by all searches so far. */
  nodes = 0;
  readonly #dimensions: number;
  readonly #order: readonly number[];
  readonly #sizes: Float64Array;
  readonly #shares: Float64Array;
  readonly #values: Float64Array;
  readonly #most: Float64Array;
  /** By depth: what is left of each dimension. */
  readonly #free: Float64Array;
  readonly #units: Float64Array;
  readonly #share: number;
  readonly #mostNodes: number;
  #best: Float64Array | undefined;
  #incumbent: number;
  #upper: number;

  constructor(knapsack: Knapsack, worths: Float64Array, target: number, mostNodes: number) {
    const { capacity, values, most } = knapsack;
    const dimensions = capacity.length;
    this.#dimensions = dimensions;
    const shares = sharesOf(knapsack, worths);
    const rate = (thing: number) => (values[thing] ?? 0) / ((shares[thing] ?? 0) + 1e-300);
    this.#order = [...values.keys()].sort((a, b) => rate(b) - rate(a) || a - b);
    this.#sizes = new Float64Array(values.length * dimensions);
    this.#order.forEach((thing, depth) => {
      for (let dimension = 0; dimension < dimensions; dimension++) {
        this.#sizes[depth * dimensions + dimension] = knapsack.sizes[thing * dimensions + dimension] ?? 0;
      }
    });
    this.#shares = Float64Array.from(this.#order, (thing) => shares[thing] ?? 0);
    this.#values = Float64Array.from(this.#order, (thing) => values[thing] ?? 0);
    this.#most = Float64Array.from(this.#order, (thing) => most[thing] ?? 0);
    this.#free = new Float64Array((values.length + 1) * dimensions);
    let share = 0;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const amount = (capacity[dimension] ?? 0) * (1 + roundingShare);
      this.#free[dimension] = amount;
      share += amount * (worths[dimension] ?? 0);
    }
    this.#share = share;
    this.#units = new Float64Array(values.length);
    this.#incumbent = target;
    this.#upper = target;
    this.#mostNodes = mostNodes;
  }

  run(): KnapsackAnswer {
    this.#visit(0, 0, this.#share);
    const upper = Math.max(this.#upper, this.#incumbent);
    if (this.#best === undefined) return { upper, value: 0, units: undefined };
    const units = new Float64Array(this.#order.length);
    this.#order.forEach((thing, depth) => {
      units[thing] = this.#best?.[depth] ?? 0;
    });
    return { upper, value: this.#incumbent, units };
  }

  #visit(depth: number, value: number, share: number): void {
    if (depth === this.#values.length) {
      if (value > this.#incumbent) {
        this.#incumbent = value;
        this.#best = Float64Array.from(this.#units);
      }
      return;
    }
    const unitValue = this.#values[depth] ?? 0;
    const unitShare = this.#shares[depth] ?? 0;
    for (let units = this.#mostThatFit(depth); units >= 0; units--) {
      const newValue = value + units * unitValue;
      const newShare = share - units * unitShare;
      const limit = newValue + this.#mostFrom(depth + 1, newShare);
      // Fewer units of what is best for its share bring less still.
      if (limit <= this.#incumbent) return;
      if (this.nodes >= this.#mostNodes) {
        this.#upper = Math.max(this.#upper, limit);
        return;
      }
      this.nodes++;
      this.#take(depth, units);
      this.#visit(depth + 1, newValue, newShare);
    }
    this.#units[depth] = 0;
  }

  #mostThatFit(depth: number): number {
    const [size, free, sizes] = [this.#dimensions, this.#free, this.#sizes];
    let most = this.#most[depth] ?? 0;
    for (let dimension = 0; dimension < size; dimension++) {
      const each = sizes[depth * size + dimension] ?? 0;
      if (each > 0) most = Math.min(most, Math.floor((free[depth * size + dimension] ?? 0) / each));
    }
    return Math.max(0, most);
  }

  #take(depth: number, units: number): void {
    const [size, free, sizes] = [this.#dimensions, this.#free, this.#sizes];
    this.#units[depth] = units;
    for (let dimension = 0; dimension < size; dimension++) {
      const index = depth * size + dimension;
      free[index + size] = (free[index] ?? 0) - units * (sizes[index] ?? 0);
    }
  }

  /** The fractional fill of what is left of the capacity as a whole. */
  #mostFrom(depth: number, share: number): number {
    const [values, shares, most] = [this.#values, this.#shares, this.#most];
    let value = 0;
    let left = share;
    for (let index = depth; index < values.length; index++) {
      const units = most[index] ?? 0;
      const size = shares[index] ?? 0;
      if (size * units > left) return value + (Math.max(0, left) / size) * (values[index] ?? 0);
      left -= size * units;
      value += units * (values[index] ?? 0);
    }
    return value;
  }
}

function sharesOf({ capacity, sizes, values }: Knapsack, worths: Float64Array): Float64Array {
  const dimensions = capacity.length;
  return values.map((_, thing) => {
    let share = 0;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      share += (worths[dimension] ?? 0) * (sizes[thing * dimensions + dimension] ?? 0);
    }
    return share;
  });
}
