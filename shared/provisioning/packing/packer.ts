import { coverAndFill } from "./cover-and-fill.ts";
import { evenPackings } from "./even-packings.ts";
import { firstFitPackings } from "./first-fit.ts";
import { Headroom } from "./headroom.ts";
import { improved } from "./improvement.ts";
import { independentParts, type ProblemPart } from "./parts.ts";
import { type Contents, type Packing, type PackingProblem, packingOf } from "./problem.ts";
import { remainder, together } from "./remainder.ts";
import { RightSizer } from "./right-size.ts";
import { valuePerDollarPackings } from "./value-per-dollar.ts";
import { type Worths, worthsOf } from "./worths.ts";

/**
 * Packs all items at the lowest price found (design §5): the cheapest of several candidates, each right-sized, is improved by a few
 * nodes at a time. Where limits leave something over, nodes of every size are tried, because the cheapest may be too small for a limit
 * on nodes. Items that share no column, zone, limit or reservation are packed apart. Deterministic: the order of `items` and `columns`
 * decides ties.
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
  const units = Int32Array.from(problem.items, ({ count }) => count);
  const worths = worthsOf(problem, units, new Headroom(problem));
  const found = bestOfEach(problem, sizer, worths.bound);
  const best = found.reduce((known, one) => (isBetter(one, known) ? one : known), emptyPacking(problem));
  if (total(best.unplaced) > 0) return cheapestOf(sizer, best, firstFitPackings(problem, columnsTriedUnderLimits));
  const starts = startsOf(found, best, worths.bound);
  return starts
    .map((packing) => improvedPacking(problem, sizer, packing, worths))
    .reduce((known, one) => (isBetter(one, known) ? one : known));
}

/** The best of each kind of candidate: some find what others do not. With many items not all are tried where one is good enough. */
function bestOfEach(problem: PackingProblem, sizer: RightSizer, bound: number): readonly Packing[] {
  const isLarge = problem.items.length > itemsOfLargeProblem;
  const isEnough = (packing: Packing, times: number) =>
    isLarge && total(packing.unplaced) === 0 && packing.priceUsdPerHour <= times * bound;
  const bestOf = (candidates: Iterable<Packing>) => cheapestOf(sizer, emptyPacking(problem), candidates);
  const even = bestOf(evenPackings(problem));
  if (isEnough(even, enoughOfEvenPacking)) return [even];
  const covered = bestOf(coveredPackings(problem));
  if (isEnough(covered, enough)) return [even, covered];
  if (isLarge) return [even, covered, bestOf(firstFitPackings(problem, columnsTriedInLarge))];
  const valued = bestOf(valuePerDollarPackings(problem));
  return [even, covered, valued, bestOf(firstFitPackings(problem, columnsTried))];
}

/**
 * What to improve: a few nodes at a time lead to different ends from different starts. In a small problem all that are near the best are
 * tried; in others the best alone.
 */
function startsOf(found: readonly Packing[], best: Packing, bound: number): readonly Packing[] {
  if (best.nodes.length > nodesOfSmallPacking || best.priceUsdPerHour <= enough * bound) return [best];
  const near = found.filter(
    (one) => total(one.unplaced) === 0 && one.priceUsdPerHour <= nearBest * best.priceUsdPerHour,
  );
  const distinct = new Map(near.map((one) => [`${one.priceUsdPerHour.toFixed(6)} ${one.nodes.length}`, one]));
  return [...distinct.values()];
}

const nodesOfSmallPacking = 60;
const nearBest = 1.1;

/** With more items than this a step of value per dollar takes too long to pack all in such steps. */
const itemsOfLargeProblem = 400;
const columnsTriedInLarge = 2;

/** Rules that force many nodes leave a gap to the bound that other candidates hardly narrow. */
const enoughOfEvenPacking = 1.15;

/** What the cover's whole nodes leave over is packed by value per dollar. */
function* coveredPackings(problem: PackingProblem): Generator<Packing> {
  const covered = coverAndFill(problem);
  if (total(covered.unplaced) === 0) yield covered;
  else for (const packing of valuePerDollarPackings(remainder(problem, covered))) yield together(covered, packing);
}

function improvedPacking(
  problem: PackingProblem,
  sizer: RightSizer,
  packing: Packing,
  { ofItem, bound }: Worths,
): Packing {
  const affordable = Math.floor(itemsLookedAtToImprove / problem.items.length);
  const attempts = Math.min(mostAttempts, Math.max(leastAttempts, affordable));
  const budget = { attempts, enoughUsdPerHour: enough * bound };
  return sizer.fit(improved(problem, packing, ofItem, budget));
}

/** Groups of nodes looked at; with many items fewer, as each takes longer. */
const mostAttempts = 600;
const leastAttempts = 60;
const itemsLookedAtToImprove = 100_000;
/** As many times the bound is good enough. */
const enough = 1.002;

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
      contents: inWhole(part, node.contents),
    }));
  });
  return packingOf(nodes, unplaced);
}

function inWhole({ items }: ProblemPart, contents: Contents): Contents {
  return { ...contents, items: contents.items.map((item) => items[item] ?? -1) };
}

const columnsTried = 12;
const columnsTriedUnderLimits = 200;

/** One after another, so that no more than two are held at a time. */
function cheapestOf(sizer: RightSizer, known: Packing, candidates: Iterable<Packing>): Packing {
  let best = known;
  for (const candidate of candidates) {
    const fitted = sizer.fit(candidate);
    if (isBetter(fitted, best)) best = fitted;
  }
  return best;
}

function emptyPacking(problem: PackingProblem): Packing {
  return packingOf(
    [],
    Int32Array.from(problem.items, (item) => item.count),
  );
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
