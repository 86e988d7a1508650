import { AlignedFilling } from "./aligned-filling.ts";
import type { ConfigurationPattern, ConfigurationSolution } from "./configuration-lp.ts";
import { Headroom } from "./headroom.ts";
import { addUnits, type OpenNode, openNode, packedNode } from "./node-filling.ts";
import { type PackedNode, type Packing, type PackingProblem, packingOf } from "./problem.ts";
import { remainder, together } from "./remainder.ts";
import { valuePerDollarPackings } from "./value-per-dollar.ts";

/**
 * Buys the nodes of the configuration LP's patterns, as often as they are used when rounded (Gilmore and Gomory 1961), those used most
 * first; what that leaves over is packed by value per dollar. Several packings, which end differently.
 */
export function* configuredPackings(problem: PackingProblem, { patterns }: ConfigurationSolution): Generator<Packing> {
  const bought = roundedPacking(problem, patterns);
  if (bought.unplaced.every((units) => units === 0)) yield bought;
  else for (const rest of valuePerDollarPackings(remainder(problem, bought))) yield together(bought, rest);
}

function roundedPacking(problem: PackingProblem, patterns: readonly ConfigurationPattern[]): Packing {
  const headroom = new Headroom(problem);
  const filling = new AlignedFilling(problem);
  const left = Int32Array.from(problem.items, ({ count }) => count);
  const nodes: PackedNode[] = [];
  for (const pattern of patterns.toSorted((a, b) => b.uses - a.uses)) {
    const column = problem.columns[pattern.column];
    if (column === undefined) continue;
    const times = Math.min(Math.round(pattern.uses), headroom.nodesLeft(column, pattern.zone));
    for (let time = 0; time < times; time++) {
      const node = nodeOf(problem, pattern, left);
      if (node === undefined) break;
      filling.fill(node, left);
      headroom.take(column, pattern.zone, 1);
      nodes.push(packedNode(node));
    }
  }
  return packingOf(nodes, left);
}

/** A node with what is left of a pattern's contents, which is taken; undefined where too little is left of them. */
function nodeOf(
  problem: PackingProblem,
  { column, zone, units }: ConfigurationPattern,
  left: Int32Array,
): OpenNode | undefined {
  let wanted = 0;
  let had = 0;
  for (const [item, count] of units.entries()) {
    wanted += count;
    had += Math.min(count, left[item] ?? 0);
  }
  if (had === 0 || had < leastShare * wanted) return undefined;
  const node = openNode(problem, column, zone);
  for (const [item, count] of units.entries()) {
    if (count > 0) left[item] = (left[item] ?? 0) - addUnits(problem, node, item, Math.min(count, left[item] ?? 0));
  }
  return node;
}

/** A node of which less is left is not what the pattern was worth its price for. */
const leastShare = 0.7;
