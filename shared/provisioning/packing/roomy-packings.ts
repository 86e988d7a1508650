import { isComplete } from "./better-packing.ts";
import { isAtLeast, type Packing, type PackingColumn, type PackingProblem } from "./problem.ts";
import { remainder, together } from "./remainder.ts";

/**
 * Packings of the columns alone that hold most of the units, each by itself. Among many small columns the one worth most per dollar is
 * often one that suits a few units by chance, and what it leaves over fits badly. What the large columns leave over goes anywhere.
 */
export function* roomyPackings(
  problem: PackingProblem,
  packingsOf: (problem: PackingProblem) => Iterable<Packing>,
): Generator<Packing> {
  let last = problem.columns.length;
  for (const share of sharesHeld) {
    const least = quantiles(problem, share);
    const isRoomy = ({ capacity }: PackingColumn) => isAtLeast(capacity, least);
    const count = problem.columns.filter(isRoomy).length;
    if (count === last || count === 0) continue;
    last = count;
    for (const packing of packingsOf(withColumns(problem, isRoomy))) {
      if (isComplete(packing)) yield packing;
      else for (const rest of packingsOf(remainder(problem, packing))) yield together(packing, rest);
    }
  }
}

/** Shares of the units that a column must be large enough for. */
const sharesHeld = [0.5, 0.7, 0.9];

/** By dimension, what so many of the units ask for at most. */
function quantiles({ items, dimensions }: PackingProblem, share: number): Float64Array {
  const units = items.reduce((sum, { count }) => sum + count, 0);
  return Float64Array.from(dimensions, (_, dimension) => {
    const ascending = items.toSorted((a, b) => (a.requests[dimension] ?? 0) - (b.requests[dimension] ?? 0));
    let seen = 0;
    const found = ascending.find(({ count }) => {
      seen += count;
      return seen >= share * units;
    });
    return found?.requests[dimension] ?? 0;
  });
}

/** The same columns at the same places, of which the others are not for sale. */
function withColumns(problem: PackingProblem, isKept: (column: PackingColumn) => boolean): PackingProblem {
  const columns = problem.columns.map((column) =>
    isKept(column) ? column : { ...column, zonePrices: column.zonePrices.map(() => Number.POSITIVE_INFINITY) },
  );
  return { ...problem, columns };
}
