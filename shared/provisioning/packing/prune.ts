import { cheapestZone, type PackingColumn, type PackingProblem } from "./problem.ts";

/**
 * Indexes of the columns that no other column dominates: same or more of everything, admitting the same or more items, in every
 * zone for the same or less money, and with no fewer nodes to be had. Of equal columns the first stays.
 */
export function undominatedColumns(problem: PackingProblem): readonly number[] {
  const order = [...problem.columns.keys()].sort((a, b) => lowestPrice(problem, a) - lowestPrice(problem, b) || a - b);
  const kept: number[] = [];
  for (const index of order) {
    if (!kept.some((other) => dominates(problem, other, index))) kept.push(index);
  }
  return kept.sort((a, b) => a - b);
}

/** The same problem with only these columns. */
export function withColumns(problem: PackingProblem, kept: readonly number[]): PackingProblem {
  return {
    ...problem,
    columns: kept.flatMap((index) => problem.columns[index] ?? []),
    items: problem.items.map((item) => ({
      ...item,
      accepts: Uint8Array.from(kept, (index) => item.accepts[index] ?? 0),
    })),
  };
}

function dominates(problem: PackingProblem, better: number, worse: number): boolean {
  const a = problem.columns[better];
  const b = problem.columns[worse];
  return (
    a !== undefined &&
    b !== undefined &&
    a.pool === b.pool &&
    (a.reservation === undefined || a.reservation === b.reservation) &&
    atLeast(a.capacity, b.capacity) &&
    atLeast(b.zonePrices, a.zonePrices) &&
    usesNoMore(problem, a, b) &&
    problem.items.every((item) => (item.accepts[better] ?? 0) >= (item.accepts[worse] ?? 0))
  );
}

function usesNoMore(problem: PackingProblem, a: PackingColumn, b: PackingColumn): boolean {
  const headroom = problem.pools[a.pool]?.headroom ?? new Float64Array();
  return headroom.every(
    (left, dimension) =>
      left === Number.POSITIVE_INFINITY || (a.limitUse[dimension] ?? 0) <= (b.limitUse[dimension] ?? 0),
  );
}

function atLeast(a: Float64Array, b: Float64Array): boolean {
  for (let index = 0; index < b.length; index++) if ((a[index] ?? 0) < (b[index] ?? 0)) return false;
  return true;
}

function lowestPrice(problem: PackingProblem, index: number): number {
  const column = problem.columns[index];
  const zone = column === undefined ? undefined : cheapestZone(column, -1);
  return zone === undefined ? Number.POSITIVE_INFINITY : (column?.zonePrices[zone] ?? Number.POSITIVE_INFINITY);
}
