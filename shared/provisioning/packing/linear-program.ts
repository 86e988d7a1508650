/** A way to cover demand: what one unit of it gives, and what it costs. */
export interface CoverColumn {
  readonly amounts: Float64Array;
  readonly price: number;
}

export interface CoverSolution {
  /** Worth of one unit of each dimension. Dual feasible: no column is worth more than it costs. */
  readonly duals: Float64Array;
  /** `duals` times demand: no fractional cover costs less. */
  readonly bound: number;
}

/**
 * The cheapest fractional cover: minimise price·x subject to amounts·x >= demand, x >= 0. Revised simplex with a dense basis
 * inverse: there are a handful of rows (resources) and hundreds of columns (offerings). The duals are scaled down at the end until
 * they satisfy every column exactly, so that `bound` is valid whatever the arithmetic did on the way.
 */
export function cheapestCover(columns: readonly CoverColumn[], demand: Float64Array): CoverSolution {
  const rows = [...demand.keys()].filter((row) => (demand[row] ?? 0) > 0);
  const duals = new Float64Array(demand.length);
  if (rows.length === 0 || columns.length === 0) return { duals, bound: 0 };
  const scaled = columns.map((column) => rows.map((row) => (column.amounts[row] ?? 0) / (demand[row] ?? 1)));
  const prices = columns.map((column) => column.price);
  const found = simplexDuals(scaled, prices, rows.length);
  rows.forEach((row, index) => {
    duals[row] = (found[index] ?? 0) / (demand[row] ?? 1);
  });
  return scaleToFeasible(duals, columns, demand);
}

function scaleToFeasible(duals: Float64Array, columns: readonly CoverColumn[], demand: Float64Array): CoverSolution {
  let worst = 0;
  for (const column of columns) {
    const worth = dot(duals, column.amounts);
    if (worth > 0) worst = Math.max(worst, column.price > 0 ? worth / column.price : Number.POSITIVE_INFINITY);
  }
  if (worst > 1) for (let row = 0; row < duals.length; row++) duals[row] = (duals[row] ?? 0) / worst;
  return { duals, bound: dot(duals, demand) };
}

/**
 * Duals of min p·x, A·x >= 1. The first basis is artificial: one column for each row, hardly dearer than the cheapest real way to
 * cover that row alone, which is as much as the row's dual can be. So it never pays in the end, and no number grows out of scale.
 */
function simplexDuals(
  matrix: readonly (readonly number[])[],
  prices: readonly number[],
  rowCount: number,
): readonly number[] {
  const inverse = Array.from({ length: rowCount }, (_, i) =>
    Array.from({ length: rowCount }, (_, j) => (i === j ? 1 : 0)),
  );
  const basisPrices = Array.from({ length: rowCount }, (_, row) => 1.000001 * cheapestAlone(matrix, prices, row));
  // Slightly unequal demands: ties between rows would let the search go round in circles.
  const levels = Array.from({ length: rowCount }, (_, row) => 1 + 1e-7 * (row + 1));
  let duals: readonly number[] = [];
  for (let iteration = 0; iteration < 60 * rowCount; iteration++) {
    duals = dualsOf(basisPrices, inverse);
    const entering = mostViolated(matrix, prices, duals);
    if (entering === undefined) break;
    const direction = inverse.map((row) => dotLists(row, entering.amounts));
    const leaving = leavingRow(levels, direction);
    if (leaving === undefined) break;
    pivot(inverse, levels, direction, leaving);
    basisPrices[leaving] = entering.price;
  }
  return duals.map((dual) => Math.max(0, dual));
}

/** The least price of one unit of a row; 0 where no column has any of it, so that it is worth nothing. */
function cheapestAlone(matrix: readonly (readonly number[])[], prices: readonly number[], row: number): number {
  let least = Number.POSITIVE_INFINITY;
  matrix.forEach((amounts, column) => {
    const amount = amounts[row] ?? 0;
    if (amount > 0) least = Math.min(least, (prices[column] ?? 0) / amount);
  });
  return Number.isFinite(least) ? least : 0;
}

interface Entering {
  readonly amounts: readonly number[];
  readonly price: number;
}

/** The column with the best reduced cost per unit, or a surplus column of a dual that has gone negative. */
function mostViolated(
  matrix: readonly (readonly number[])[],
  prices: readonly number[],
  duals: readonly number[],
): Entering | undefined {
  let best: Entering | undefined;
  let bestGain = 0;
  for (let index = 0; index < matrix.length; index++) {
    const amounts = matrix[index] ?? [];
    const price = prices[index] ?? 0;
    const worth = dotLists(duals, amounts);
    const gain = (worth - price) / (price + 1e-12);
    // A column of the basis is worth its price but for rounding, which grows with the terms of the sum.
    if (gain > bestGain && worth - price > 1e-10 * (price + sumOfMagnitudes(duals, amounts))) {
      bestGain = gain;
      best = { amounts, price };
    }
  }
  if (best !== undefined) return best;
  const row = duals.findIndex((dual) => dual < -1e-12);
  return row === -1 ? undefined : { amounts: duals.map((_, index) => (index === row ? -1 : 0)), price: 0 };
}

function leavingRow(levels: readonly number[], direction: readonly number[]): number | undefined {
  let best: number | undefined;
  let bestRatio = Number.POSITIVE_INFINITY;
  direction.forEach((slope, row) => {
    const ratio = slope > 1e-12 ? (levels[row] ?? 0) / slope : Number.POSITIVE_INFINITY;
    if (ratio < bestRatio) {
      bestRatio = ratio;
      best = row;
    }
  });
  return best;
}

function pivot(inverse: number[][], levels: number[], direction: readonly number[], leaving: number): void {
  const slope = direction[leaving] ?? 1;
  const pivotRow = (inverse[leaving] ?? []).map((value) => value / slope);
  const level = (levels[leaving] ?? 0) / slope;
  direction.forEach((factor, row) => {
    if (row === leaving) return;
    inverse[row] = (inverse[row] ?? []).map((value, index) => value - factor * (pivotRow[index] ?? 0));
    levels[row] = Math.max(0, (levels[row] ?? 0) - factor * level);
  });
  inverse[leaving] = pivotRow;
  levels[leaving] = level;
}

function dualsOf(basisPrices: readonly number[], inverse: readonly (readonly number[])[]): readonly number[] {
  return basisPrices.map((_, column) =>
    inverse.reduce((sum, row, index) => sum + (basisPrices[index] ?? 0) * (row[column] ?? 0), 0),
  );
}

function sumOfMagnitudes(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += Math.abs((a[index] ?? 0) * (b[index] ?? 0));
  return sum;
}

function dotLists(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** The sum of products: what amounts are worth at these duals. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
