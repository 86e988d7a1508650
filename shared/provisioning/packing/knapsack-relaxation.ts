/** Things to choose from for one node: at most `most[i]` units of thing i, each worth `values[i]`. */
export interface Knapsack {
  readonly capacity: Float64Array;
  /** By thing and dimension, in one array. */
  readonly sizes: Float64Array;
  readonly values: Float64Array;
  readonly most: Float64Array;
}

const tolerance = 1e-9;
const mostPivots = 200;

/**
 * What one unit of each dimension of a knapsack's capacity is worth in its linear relaxation: the simplex method with bounded
 * variables, whose basis has one row for each dimension. Never negative, whatever the arithmetic did.
 */
export function capacityWorths(knapsack: Knapsack): Float64Array {
  const relaxation = new Relaxation(knapsack);
  for (let pivot = 0; pivot < mostPivots && relaxation.improve(); pivot++);
  return relaxation.worths();
}

/**
 * No contents are worth more than this, whatever the worths are, as long as none is negative: what the capacity is worth, and by how
 * much units are worth more than the capacity they take.
 */
export function mostWorth({ capacity, sizes, values, most }: Knapsack, worths: Float64Array): number {
  const dimensions = capacity.length;
  let sum = 0;
  for (let dimension = 0; dimension < dimensions; dimension++) {
    sum += (worths[dimension] ?? 0) * (capacity[dimension] ?? 0);
  }
  for (let thing = 0; thing < values.length; thing++) {
    let gain = values[thing] ?? 0;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      gain -= (worths[dimension] ?? 0) * (sizes[thing * dimensions + dimension] ?? 0);
    }
    if (gain > 0) sum += gain * (most[thing] ?? 0);
  }
  return sum;
}

/** Variables are the things, then what is left of each dimension. */
class Relaxation {
  readonly #knapsack: Knapsack;
  readonly #dimensions: number;
  readonly #things: number;
  readonly #basis: Int32Array;
  readonly #isBasic: Uint8Array;
  readonly #isAtMost: Uint8Array;
  readonly #inverse: Float64Array;
  readonly #levels: Float64Array;
  readonly #worths: Float64Array;
  readonly #direction: Float64Array;

  constructor(knapsack: Knapsack) {
    const dimensions = knapsack.capacity.length;
    const things = knapsack.values.length;
    this.#knapsack = knapsack;
    this.#dimensions = dimensions;
    this.#things = things;
    this.#basis = Int32Array.from({ length: dimensions }, (_, row) => things + row);
    this.#isBasic = new Uint8Array(things + dimensions).fill(1, things);
    this.#isAtMost = new Uint8Array(things + dimensions);
    this.#inverse = new Float64Array(dimensions * dimensions);
    for (let row = 0; row < dimensions; row++) this.#inverse[row * dimensions + row] = 1;
    this.#levels = Float64Array.from(knapsack.capacity);
    this.#worths = new Float64Array(dimensions);
    this.#direction = new Float64Array(dimensions);
  }

  worths(): Float64Array {
    return this.#worths.map((worth) => Math.max(0, worth));
  }

  /** One step; false when none is left to take. */
  improve(): boolean {
    this.#price();
    const entering = this.#mostPromising();
    if (entering === -1) return false;
    const sign = this.#isAtMost[entering] === 1 ? -1 : 1;
    this.#turnTo(entering);
    let step = this.#mostOf(entering);
    let leaving = -1;
    for (let row = 0; row < this.#dimensions; row++) {
      const slope = sign * (this.#direction[row] ?? 0);
      const level = this.#levels[row] ?? 0;
      const room =
        slope > tolerance
          ? level / slope
          : slope < -tolerance
            ? (level - this.#mostOf(this.#basis[row] ?? 0)) / slope
            : Number.POSITIVE_INFINITY;
      if (room < step) {
        step = Math.max(0, room);
        leaving = row;
      }
    }
    if (step === Number.POSITIVE_INFINITY) return false;
    for (let row = 0; row < this.#dimensions; row++) {
      this.#levels[row] = (this.#levels[row] ?? 0) - sign * step * (this.#direction[row] ?? 0);
    }
    if (leaving === -1) this.#isAtMost[entering] = 1 - (this.#isAtMost[entering] ?? 0);
    else this.#exchange(entering, leaving, sign, step);
    return true;
  }

  #exchange(entering: number, leaving: number, sign: number, step: number): void {
    const left = this.#basis[leaving] ?? 0;
    this.#isBasic[left] = 0;
    this.#isAtMost[left] = sign * (this.#direction[leaving] ?? 0) < 0 ? 1 : 0;
    this.#levels[leaving] = this.#isAtMost[entering] === 1 ? this.#mostOf(entering) - step : step;
    this.#isBasic[entering] = 1;
    this.#basis[leaving] = entering;
    const size = this.#dimensions;
    const pivot = this.#direction[leaving] ?? 1;
    for (let index = 0; index < size; index++) {
      this.#inverse[leaving * size + index] = (this.#inverse[leaving * size + index] ?? 0) / pivot;
    }
    for (let row = 0; row < size; row++) {
      const factor = this.#direction[row] ?? 0;
      if (row === leaving || factor === 0) continue;
      for (let index = 0; index < size; index++) {
        const value = this.#inverse[leaving * size + index] ?? 0;
        this.#inverse[row * size + index] = (this.#inverse[row * size + index] ?? 0) - factor * value;
      }
    }
  }

  #price(): void {
    const size = this.#dimensions;
    this.#worths.fill(0);
    for (let row = 0; row < size; row++) {
      const value = this.#knapsack.values[this.#basis[row] ?? 0] ?? 0;
      for (let index = 0; index < size; index++) {
        this.#worths[index] = (this.#worths[index] ?? 0) + value * (this.#inverse[row * size + index] ?? 0);
      }
    }
  }

  /** The variable whose move to its other end would gain most, if nothing stopped it. */
  #mostPromising(): number {
    const { values, sizes, most } = this.#knapsack;
    let best = -1;
    let bestGain = 0;
    for (let thing = 0; thing < this.#things; thing++) {
      if (this.#isBasic[thing] === 1) continue;
      const value = values[thing] ?? 0;
      let gain = value;
      for (let dimension = 0; dimension < this.#dimensions; dimension++) {
        gain -= (this.#worths[dimension] ?? 0) * (sizes[thing * this.#dimensions + dimension] ?? 0);
      }
      if (this.#isAtMost[thing] === 1) gain = -gain;
      if (gain > tolerance * value && gain * (most[thing] ?? 0) > bestGain) {
        bestGain = gain * (most[thing] ?? 0);
        best = thing;
      }
    }
    if (best !== -1) return best;
    const row = this.#worths.findIndex((worth) => worth < -1e-15);
    return row === -1 ? -1 : this.#things + row;
  }

  #turnTo(variable: number): void {
    const size = this.#dimensions;
    this.#direction.fill(0);
    for (let index = 0; index < size; index++) {
      const amount =
        variable < this.#things
          ? (this.#knapsack.sizes[variable * size + index] ?? 0)
          : Number(index === variable - this.#things);
      if (amount === 0) continue;
      for (let row = 0; row < size; row++) {
        this.#direction[row] = (this.#direction[row] ?? 0) + amount * (this.#inverse[row * size + index] ?? 0);
      }
    }
  }

  #mostOf(variable: number): number {
    return variable < this.#things ? (this.#knapsack.most[variable] ?? 0) : Number.POSITIVE_INFINITY;
  }
}
