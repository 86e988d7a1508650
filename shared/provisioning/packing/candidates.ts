import { allUnits, better, cheapestOf, emptyPacking, isComplete } from "./better-packing.ts";
import { planningBudget, solveConfigurations } from "./configuration-lp.ts";
import { configuredPackings } from "./configured-packings.ts";
import { coverAndFill } from "./cover-and-fill.ts";
import { evenPackings } from "./even-packings.ts";
import { firstFitPackings } from "./first-fit.ts";
import { Headroom } from "./headroom.ts";
import type { Packing, PackingProblem } from "./problem.ts";
import { remainder, together } from "./remainder.ts";
import type { RightSizer } from "./right-size.ts";
import { roomyPackings } from "./roomy-packings.ts";
import { valuePerDollarPackings } from "./value-per-dollar.ts";
import { type Worths, worthsOf } from "./worths.ts";

/** Packings to choose from, and what was learnt on the way. */
export interface Candidates {
  /** The best of each kind, right-sized. */
  readonly found: readonly Packing[];
  readonly best: Packing;
  readonly worths: Worths;
  /** USD per hour that no packing of all items can go below, as far as it was worked out. */
  readonly boundUsdPerHour: number;
}

/** As many times the bound is good enough. */
export const enough = 1.002;

/** Some kinds of candidates find what others do not. With many items not all are tried where one is good enough. */
export function candidatesFor(problem: PackingProblem, sizer: RightSizer): Candidates {
  const headroom = new Headroom(problem);
  const worths = worthsOf(problem, allUnits(problem), headroom);
  const found = plainCandidates(problem, sizer, worths.bound);
  const best = found.reduce(better, emptyPacking(problem));
  const worthwhile = (headroom.isLimited ? worthwhileUnderLimits : enough) * worths.bound;
  if (!isComplete(best) || best.priceUsdPerHour <= worthwhile) {
    return { found, best, worths, boundUsdPerHour: worths.bound };
  }
  const configurations = solveConfigurations(problem, planningBudget);
  const boundUsdPerHour = Math.max(worths.bound, configurations?.boundUsdPerHour ?? 0);
  if (best.priceUsdPerHour <= enough * boundUsdPerHour) return { found, best, worths, boundUsdPerHour };
  const moreKinds = configurations === undefined ? roomyKinds(problem) : [configuredPackings(problem, configurations)];
  const more = moreKinds.map((candidates) => cheapestOf(problem, sizer, candidates));
  return { found: [...found, ...more], best: more.reduce(better, best), worths, boundUsdPerHour };
}

/** Under limits and caps packings follow one another, each of a problem of its own: only for a wide gap the configuration LP is solved. */
const worthwhileUnderLimits = 1.03;

/** In place of the configuration LP's where it would take too long. */
function roomyKinds(problem: PackingProblem): readonly Iterable<Packing>[] {
  const covered = roomyPackings(problem, coveredPackings);
  return problem.items.length > itemsOfLargeProblem
    ? [covered]
    : [covered, roomyPackings(problem, valuePerDollarPackings)];
}

function plainCandidates(problem: PackingProblem, sizer: RightSizer, bound: number): readonly Packing[] {
  const isLarge = problem.items.length > itemsOfLargeProblem;
  const isEnough = (packing: Packing, times: number) =>
    isLarge && isComplete(packing) && packing.priceUsdPerHour <= times * bound;
  const bestOf = (candidates: Iterable<Packing>) => cheapestOf(problem, sizer, candidates);
  const even = bestOf(evenPackings(problem));
  if (isEnough(even, enoughOfEvenPacking)) return [even];
  const covered = bestOf(coveredPackings(problem));
  if (isEnough(covered, enough)) return [even, covered];
  if (isLarge) return [even, covered, bestOf(firstFitPackings(problem, columnsTriedInLarge))];
  const valued = bestOf(valuePerDollarPackings(problem));
  return [even, covered, valued, bestOf(firstFitPackings(problem, columnsTried))];
}

const columnsTried = 12;

/** With more items than this a step of value per dollar takes too long to pack all in such steps. */
const itemsOfLargeProblem = 400;
const columnsTriedInLarge = 2;

/** Rules that force many nodes leave a gap to the bound that other candidates hardly narrow. */
const enoughOfEvenPacking = 1.15;

/** What the cover's whole nodes leave over is packed by value per dollar. */
function* coveredPackings(problem: PackingProblem): Generator<Packing> {
  const covered = coverAndFill(problem);
  if (isComplete(covered)) yield covered;
  else for (const packing of valuePerDollarPackings(remainder(problem, covered))) yield together(covered, packing);
}

/**
 * What to improve: a few nodes at a time lead to different ends from different starts. In a small problem all that are near the best are
 * tried; in others the best alone.
 */
export function startsOf({ found, best, boundUsdPerHour }: Candidates): readonly Packing[] {
  if (best.nodes.length > nodesOfSmallPacking || best.priceUsdPerHour <= enough * boundUsdPerHour) return [best];
  const near = found.filter((one) => isComplete(one) && one.priceUsdPerHour <= nearBest * best.priceUsdPerHour);
  const distinct = new Map(near.map((one) => [`${one.priceUsdPerHour.toFixed(6)} ${one.nodes.length}`, one]));
  return [...distinct.values()];
}

const nodesOfSmallPacking = 60;
const nearBest = 1.1;
