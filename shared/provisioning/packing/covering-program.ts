/** One unit of it gives so much of some rows, at this price. */
export interface ProgramColumn {
  readonly price: number;
  readonly rows: Int32Array;
  /** By entry of `rows`; negative where it takes. */
  readonly amounts: Float64Array;
}

interface Entering {
  /** A column's index, or `-1 - row` for a surplus. */
  readonly column: number;
  readonly price: number;
  readonly sign: number;
  /** What one unit of it saves. */
  readonly gain: number;
}

const pivotsBetweenInversions = 120;
const tolerance = 1e-9;

/**
 * The linear program min price·x subject to A·x >= demand, x >= 0, which columns are added to while it is solved: each `solve` goes on
 * from the basis of the last. Revised primal simplex with a dense inverse in typed arrays, inverted anew now and then. It starts from
 * made-up columns, one for each row, at the prices given; rows of negative demand start with their surplus.
 */
export class CoveringProgram {
  readonly #rowCount: number;
  readonly #demand: Float64Array;
  readonly #columns: ProgramColumn[] = [];
  /** By row of the basis: a column's index, or `-1 - row` for a made-up column or a surplus. */
  readonly #basis: Int32Array;
  readonly #basisPrices: Float64Array;
  /** Of made-up columns 1, of surpluses -1, by row of the basis. */
  readonly #signs: Float64Array;
  readonly #inverse: Float64Array;
  readonly #levels: Float64Array;
  readonly #duals: Float64Array;
  readonly #direction: Float64Array;
  #pivots = 0;
  #isInverted = false;

  constructor(demand: Float64Array, startPrices: Float64Array) {
    const rowCount = demand.length;
    this.#rowCount = rowCount;
    // Slightly unequal demands: ties between rows would let the search go round in circles.
    this.#demand = demand.map((amount, row) => amount + 1e-7 * (1 + ((row * 0.618034) % 1)) * Math.max(1, amount));
    this.#basis = Int32Array.from(demand, (_, row) => -1 - row);
    this.#signs = Float64Array.from(demand, (amount) => (amount < 0 ? -1 : 1));
    this.#basisPrices = Float64Array.from(demand, (amount, row) => (amount < 0 ? 0 : (startPrices[row] ?? 0)));
    this.#inverse = new Float64Array(rowCount * rowCount);
    this.#levels = new Float64Array(rowCount);
    this.#duals = new Float64Array(rowCount);
    this.#direction = new Float64Array(rowCount);
  }

  add(column: ProgramColumn): void {
    this.#columns.push(column);
  }

  /** Starts from this column in a row's place, before anything is solved: together with the others it must cover all demand. */
  startWith(column: ProgramColumn, row: number): void {
    this.#basis[row] = this.#columns.push(column) - 1;
    this.#basisPrices[row] = column.price;
    this.#isInverted = false;
  }

  /** Returns whether it ended at an optimum for the columns there are. */
  solve(mostPivots: number): boolean {
    if (!this.#isInverted) this.#invert();
    for (let pivot = 0; pivot < mostPivots; pivot++) if (!this.#enterBest()) return true;
    return false;
  }

  /** Worth of one unit of each row, never negative. */
  duals(): Float64Array {
    return this.#duals.map((dual) => Math.max(0, dual));
  }

  /** How much of each column the solution takes, in the order in which they were added. */
  uses(): Float64Array {
    const uses = new Float64Array(this.#columns.length);
    this.#basis.forEach((column, row) => {
      if (column >= 0) uses[column] = Math.max(0, this.#levels[row] ?? 0);
    });
    return uses;
  }

  #priceRows(): void {
    const [size, duals, inverse] = [this.#rowCount, this.#duals, this.#inverse];
    duals.fill(0);
    for (let row = 0; row < size; row++) {
      const price = this.#basisPrices[row] ?? 0;
      if (price === 0) continue;
      for (let index = 0; index < size; index++) {
        duals[index] = (duals[index] ?? 0) + price * (inverse[row * size + index] ?? 0);
      }
    }
  }

  /** The column or surplus that gains most for its size; false when none gains. */
  #enterBest(): boolean {
    let best = -1;
    let bestGain = tolerance;
    for (let index = 0; index < this.#columns.length; index++) {
      const gain = this.#relativeGain(this.#columns[index]);
      if (gain > bestGain) {
        bestGain = gain;
        best = index;
      }
    }
    const entering = this.#columns[best];
    this.#direction.fill(0);
    if (entering !== undefined) {
      let worth = 0;
      entering.rows.forEach((row, index) => {
        const amount = entering.amounts[index] ?? 0;
        worth += amount * (this.#duals[row] ?? 0);
        this.#addToDirection(row, amount);
      });
      return this.#pivot({ column: best, price: entering.price, sign: 0, gain: worth - entering.price });
    }
    const row = this.#duals.findIndex((dual) => dual < -tolerance);
    if (row === -1) return false;
    this.#addToDirection(row, -1);
    return this.#pivot({ column: -1 - row, price: 0, sign: -1, gain: -(this.#duals[row] ?? 0) });
  }

  /** For the size of the terms of its sum, with which rounding grows. */
  #relativeGain(column: ProgramColumn | undefined): number {
    if (column === undefined) return 0;
    const [duals, { price, rows, amounts }] = [this.#duals, column];
    let worth = 0;
    let size = price;
    for (let index = 0; index < rows.length; index++) {
      const term = (duals[rows[index] ?? 0] ?? 0) * (amounts[index] ?? 0);
      worth += term;
      size += Math.abs(term);
    }
    return worth <= price ? 0 : (worth - price) / size;
  }

  #addToDirection(row: number, amount: number): void {
    const [size, direction, inverse] = [this.#rowCount, this.#direction, this.#inverse];
    for (let index = 0; index < size; index++) {
      direction[index] = (direction[index] ?? 0) + amount * (inverse[index * size + row] ?? 0);
    }
  }

  #pivot({ column, price, sign, gain }: Entering): boolean {
    const leaving = this.#leavingRow();
    if (leaving === -1) return false;
    this.#basis[leaving] = column;
    this.#basisPrices[leaving] = price;
    this.#signs[leaving] = sign;
    this.#pivots++;
    if (this.#pivots % pivotsBetweenInversions === 0) this.#invert();
    else this.#update(leaving, gain);
    return true;
  }

  /** Of rows that are exhausted at once the one with the largest pivot. */
  #leavingRow(): number {
    let best = -1;
    let bestRatio = Number.POSITIVE_INFINITY;
    for (let row = 0; row < this.#rowCount; row++) {
      const slope = this.#direction[row] ?? 0;
      if (slope <= tolerance) continue;
      const ratio = Math.max(0, this.#levels[row] ?? 0) / slope;
      const isTie = ratio < bestRatio + 1e-12 && slope > (this.#direction[best] ?? 0);
      if (ratio < bestRatio - 1e-12 || isTie) {
        bestRatio = Math.min(bestRatio, ratio);
        best = row;
      }
    }
    return best;
  }

  #update(leaving: number, gain: number): void {
    const [size, inverse, levels, direction] = [this.#rowCount, this.#inverse, this.#levels, this.#direction];
    const duals = this.#duals;
    const pivot = direction[leaving] ?? 1;
    const level = (levels[leaving] ?? 0) / pivot;
    for (let index = 0; index < size; index++) {
      const value = (inverse[leaving * size + index] ?? 0) / pivot;
      inverse[leaving * size + index] = value;
      duals[index] = (duals[index] ?? 0) - gain * value;
    }
    for (let row = 0; row < size; row++) {
      const factor = direction[row] ?? 0;
      if (row === leaving || factor === 0) continue;
      subtractRow(inverse, size, row, leaving, factor);
      levels[row] = (levels[row] ?? 0) - factor * level;
    }
    levels[leaving] = level;
  }

  /** Inverts the basis, so that rounding does not add up; levels follow from it. */
  #invert(): void {
    const size = this.#rowCount;
    this.#isInverted = true;
    invertInto(this.#basisMatrix(), this.#inverse, size);
    for (let row = 0; row < size; row++) {
      let level = 0;
      for (let index = 0; index < size; index++) {
        level += (this.#inverse[row * size + index] ?? 0) * (this.#demand[index] ?? 0);
      }
      this.#levels[row] = Math.max(0, level);
    }
    this.#priceRows();
  }

  #basisMatrix(): Float64Array {
    const size = this.#rowCount;
    const matrix = new Float64Array(size * size);
    this.#basis.forEach((index, position) => {
      const column = this.#columns[index];
      if (column === undefined) matrix[(-1 - index) * size + position] = this.#signs[position] ?? 1;
      else
        column.rows.forEach((row, entry) => {
          matrix[row * size + position] = column.amounts[entry] ?? 0;
        });
    });
    return matrix;
  }
}

/** Gauss and Jordan with partial pivoting; spoils `matrix`. */
function invertInto(matrix: Float64Array, inverse: Float64Array, size: number): void {
  inverse.fill(0);
  for (let row = 0; row < size; row++) inverse[row * size + row] = 1;
  for (let column = 0; column < size; column++) {
    let largest = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(matrix[row * size + column] ?? 0) > Math.abs(matrix[largest * size + column] ?? 0)) largest = row;
    }
    const pivot = matrix[largest * size + column] ?? 0;
    for (const array of [matrix, inverse]) {
      if (largest !== column) swapRows(array, size, largest, column);
      for (let index = 0; index < size; index++) {
        array[column * size + index] = (array[column * size + index] ?? 0) / (pivot === 0 ? 1 : pivot);
      }
    }
    for (let row = 0; row < size; row++) {
      const factor = matrix[row * size + column] ?? 0;
      if (row === column || factor === 0) continue;
      for (const array of [matrix, inverse]) subtractRow(array, size, row, column, factor);
    }
  }
}

function swapRows(array: Float64Array, size: number, a: number, b: number): void {
  for (let index = 0; index < size; index++) {
    const value = array[a * size + index] ?? 0;
    array[a * size + index] = array[b * size + index] ?? 0;
    array[b * size + index] = value;
  }
}

function subtractRow(array: Float64Array, size: number, row: number, other: number, factor: number): void {
  for (let index = 0; index < size; index++) {
    const value = array[other * size + index] ?? 0;
    if (value !== 0) array[row * size + index] = (array[row * size + index] ?? 0) - factor * value;
  }
}
