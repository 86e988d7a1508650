import { Headroom } from "./headroom.ts";
import { closingPattern, PatternSearch } from "./patterns.ts";
import { addContents, type PackedNode, type Packing, type PackingProblem, packingOf } from "./problem.ts";
import { type Worths, worthsOf } from "./worths.ts";

/**
 * Builds a packing node by node: each time the (column, contents) pair whose contents are worth most per dollar, where worth comes from
 * the duals of the cheapest fractional cover of what remains. A pattern is used for half of what it could cover, then worth is priced
 * anew. Before every step the rest is also tried on one single node; every such ending is a candidate.
 */
export function* valuePerDollarPackings(problem: PackingProblem): Generator<Packing> {
  const headroom = new Headroom(problem);
  const remaining = Int32Array.from(problem.items, (item) => item.count);
  const nodes: PackedNode[] = [];
  const search = new PatternSearch(problem, headroom);
  let worths = worthsOf(problem, remaining, headroom);
  let worthWhenPriced = worthOfAll(remaining, worths);
  for (;;) {
    const closing = closingPattern(problem, remaining, headroom);
    if (closing !== undefined) {
      yield packingOf([...nodes, closing], new Int32Array(remaining.length));
    }
    const pattern = search.best(remaining, worths);
    if (pattern === undefined) break;
    const times = timesToUse(pattern, remaining, headroom, problem);
    for (let index = 0; index < times; index++) nodes.push({ ...pattern });
    addContents(remaining, pattern.contents, -times);
    const column = problem.columns[pattern.column];
    if (column !== undefined) headroom.take(column, pattern.zone, times);
    if (worthOfAll(remaining, worths) < pricedAgainBelow * worthWhenPriced) {
      worths = worthsOf(problem, remaining, headroom);
      worthWhenPriced = worthOfAll(remaining, worths);
    }
  }
  yield packingOf(nodes, remaining);
}

/** A small part placed changes no price worth mentioning. */
const pricedAgainBelow = 0.99;

function worthOfAll(units: Int32Array, { ofItem }: Worths): number {
  let worth = 0;
  for (let item = 0; item < units.length; item++) worth += (units[item] ?? 0) * (ofItem[item] ?? 0);
  return worth;
}

/** Half of the uses that the remaining items allow, at least one: the rest is priced again. */
function timesToUse(pattern: PackedNode, remaining: Int32Array, headroom: Headroom, problem: PackingProblem): number {
  const column = problem.columns[pattern.column];
  let times = column === undefined ? 1 : headroom.nodesLeft(column, pattern.zone);
  for (const [position, item] of pattern.contents.items.entries()) {
    times = Math.min(times, Math.floor((remaining[item] ?? 0) / (pattern.contents.counts[position] ?? 1)));
  }
  return Math.max(1, Math.ceil(times / 2));
}
