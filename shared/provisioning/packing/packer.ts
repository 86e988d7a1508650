import { firstFitPackings } from "./first-fit.ts";
import { independentParts, type ProblemPart } from "./parts.ts";
import type { Packing, PackingProblem } from "./problem.ts";
import { remainder, together } from "./remainder.ts";
import { RightSizer } from "./right-size.ts";
import { valuePerDollarPackings } from "./value-per-dollar.ts";

/**
 * Packs all items at the lowest price found (design §5): value per dollar with a comparison of the tail against one node, beside
 * plain first-fit decreasing, each right-sized. Where limits leave something over, nodes of every size are tried, because the
 * cheapest may be too small for a limit on nodes. Items that share no column, limit or reservation are packed apart. Deterministic:
 * the order of `items` and `columns` decides ties.
 */
export function pack(problem: PackingProblem): Packing {
  const [part, ...others] = independentParts(problem, "columns and headroom");
  if (part === undefined) return emptyPacking(problem);
  if (others.length === 0) return packWhole(problem);
  return joined(problem, [part, ...others]);
}

/** Right-sizing may leave room in a limit that the packing had used up: what is left over is packed again. */
function packWhole(problem: PackingProblem): Packing {
  let packing = packOnce(problem);
  while (total(packing.unplaced) > 0) {
    const rest = packOnce(remainder(problem, packing));
    if (rest.nodes.length === 0) break;
    packing = together(packing, rest);
  }
  return packing;
}

function packOnce(problem: PackingProblem): Packing {
  const sizer = new RightSizer(problem);
  const best = bestOf(problem, sizer, [...valuePerDollarPackings(problem), ...firstFitPackings(problem, columnsTried)]);
  if (total(best.unplaced) === 0) return best;
  return bestOf(problem, sizer, [best, ...firstFitPackings(problem, columnsTriedUnderLimits)]);
}

/** The packings of the parts, in terms of the whole. */
function joined(problem: PackingProblem, parts: readonly ProblemPart[]): Packing {
  const unplaced = new Int32Array(problem.items.length);
  const nodes = parts.flatMap((part) => {
    const packing = packWhole(part.problem);
    part.items.forEach((item, index) => {
      unplaced[item] = packing.unplaced[index] ?? 0;
    });
    return packing.nodes.map((node) => ({
      ...node,
      column: part.columns[node.column] ?? -1,
      units: inWhole(problem, part, node.units),
    }));
  });
  return { nodes, unplaced, priceUsdPerHour: nodes.reduce((sum, node) => sum + node.priceUsdPerHour, 0) };
}

function inWhole({ items }: PackingProblem, part: ProblemPart, units: Int32Array): Int32Array {
  const whole = new Int32Array(items.length);
  part.items.forEach((item, index) => {
    whole[item] = units[index] ?? 0;
  });
  return whole;
}

const columnsTried = 12;
const columnsTriedUnderLimits = 200;

function bestOf(problem: PackingProblem, sizer: RightSizer, candidates: readonly Packing[]): Packing {
  return candidates
    .map((candidate) => sizer.fit(candidate))
    .reduce((best, candidate) => (isBetter(candidate, best) ? candidate : best), emptyPacking(problem));
}

function emptyPacking(problem: PackingProblem): Packing {
  return { nodes: [], unplaced: Int32Array.from(problem.items, (item) => item.count), priceUsdPerHour: 0 };
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
