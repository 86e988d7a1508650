import { type Packing, type PackingProblem, packingOf } from "./problem.ts";
import type { RightSizer } from "./right-size.ts";

/** The cheapest of these, each right-sized; nothing packed where there are none. One after another, so that no more than two are held at a time. */
export function cheapestOf(problem: PackingProblem, sizer: RightSizer, candidates: Iterable<Packing>): Packing {
  let best = emptyPacking(problem);
  for (const candidate of candidates) best = better(best, sizer.fit(candidate));
  return best;
}

export function emptyPacking(problem: PackingProblem): Packing {
  return packingOf([], allUnits(problem));
}

/** All that is to be packed, by item. */
export function allUnits({ items }: PackingProblem): Int32Array {
  return Int32Array.from(items, ({ count }) => count);
}

export function isComplete({ unplaced }: Packing): boolean {
  return unplaced.every((units) => units === 0);
}

const priceToleranceUsdPerHour = 1e-9;

/** The one that places more, then the one that costs less, then the one of fewer nodes; of equal ones the first. */
export function better(a: Packing, b: Packing): Packing {
  const unplaced = total(b.unplaced) - total(a.unplaced);
  if (unplaced !== 0) return unplaced < 0 ? b : a;
  const price = b.priceUsdPerHour - a.priceUsdPerHour;
  if (Math.abs(price) > priceToleranceUsdPerHour) return price < 0 ? b : a;
  return b.nodes.length < a.nodes.length ? b : a;
}

function total(units: Int32Array): number {
  return units.reduce((sum, count) => sum + count, 0);
}
