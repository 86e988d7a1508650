import { firstFitPackings } from "./first-fit.ts";
import type { Packing, PackingProblem } from "./problem.ts";
import { rightSize } from "./right-size.ts";
import { valuePerDollarPackings } from "./value-per-dollar.ts";

/**
 * Packs all items at the lowest price found (design §5): value per dollar with a comparison of the tail against one node, beside
 * plain first-fit decreasing, each right-sized. Deterministic: the order of `items` and `columns` decides ties.
 */
export function pack(problem: PackingProblem): Packing {
  const candidates = [...valuePerDollarPackings(problem), ...firstFitPackings(problem)];
  const sized = candidates.map((candidate) => rightSize(problem, candidate));
  return sized.reduce((best, candidate) => (isBetter(candidate, best) ? candidate : best));
}

const priceToleranceUsdPerHour = 1e-9;

/** More pods placed first, then less money, then fewer nodes. */
function isBetter(a: Packing, b: Packing): boolean {
  const unplaced = total(a.unplaced) - total(b.unplaced);
  if (unplaced !== 0) return unplaced < 0;
  const price = a.priceUsdPerHour - b.priceUsdPerHour;
  if (Math.abs(price) > priceToleranceUsdPerHour) return price < 0;
  return a.nodes.length < b.nodes.length;
}

function total(units: Int32Array): number {
  return units.reduce((sum, count) => sum + count, 0);
}
