import { allUnits, better, cheapestOf, emptyPacking, isComplete } from "./better-packing.ts";
import { type Candidates, candidatesFor, enough, startsOf } from "./candidates.ts";
import { firstFitPackings } from "./first-fit.ts";
import { Headroom } from "./headroom.ts";
import { improved } from "./improvement.ts";
import { withLeftovers } from "./leftovers.ts";
import { independentParts, type ProblemPart } from "./parts.ts";
import { type Contents, type Packing, type PackingProblem, packingOf } from "./problem.ts";
import { RightSizer } from "./right-size.ts";
import { worthsOf } from "./worths.ts";

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

function packWhole(problem: PackingProblem): Packing {
  const first = packOnce(problem);
  if (isComplete(first)) return first;
  const packing = withLeftovers(problem, first, packOnce);
  if (!isComplete(packing)) return packing;
  const worths = worthsOf(problem, allUnits(problem), new Headroom(problem));
  return improvedPacking(problem, new RightSizer(problem), packing, { worths, boundUsdPerHour: worths.bound });
}

function packOnce(problem: PackingProblem): Packing {
  const sizer = new RightSizer(problem);
  const candidates = candidatesFor(problem, sizer);
  const { best } = candidates;
  if (!isComplete(best)) {
    return better(best, cheapestOf(problem, sizer, firstFitPackings(problem, columnsTriedUnderLimits)));
  }
  return startsOf(candidates)
    .map((packing) => improvedPacking(problem, sizer, packing, candidates))
    .reduce(better);
}

const columnsTriedUnderLimits = 200;

function improvedPacking(
  problem: PackingProblem,
  sizer: RightSizer,
  packing: Packing,
  { worths, boundUsdPerHour }: Pick<Candidates, "worths" | "boundUsdPerHour">,
): Packing {
  const affordable = Math.floor(itemsLookedAtToImprove / problem.items.length);
  const attempts = Math.min(mostAttempts, Math.max(leastAttempts, affordable));
  const budget = { attempts, enoughUsdPerHour: enough * boundUsdPerHour };
  return sizer.fit(improved(problem, packing, worths.ofItem, budget));
}

/** Groups of nodes looked at; with many items fewer, as each takes longer. */
const mostAttempts = 600;
const leastAttempts = 150;
const itemsLookedAtToImprove = 100_000;

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
