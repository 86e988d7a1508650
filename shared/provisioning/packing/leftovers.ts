import { AlignedFilling } from "./aligned-filling.ts";
import { allUnits, better, isComplete } from "./better-packing.ts";
import { type OpenNode, openNode, packedNode, putContents } from "./node-filling.ts";
import { type Packing, type PackingProblem, packingOf } from "./problem.ts";
import { remainder, together } from "./remainder.ts";

/** Packs a problem, maybe not all of it. */
type Packer = (problem: PackingProblem) => Packing;

/**
 * Where limits or reservations leave something over: on nodes that are there already, on nodes of its own in the room that is left, and,
 * where that is not enough, by packing first what was left over and then the others, which may have taken places that only it can use.
 */
export function withLeftovers(problem: PackingProblem, first: Packing, packOnce: Packer): Packing {
  let best = completed(problem, first, packOnce);
  let urgent = leftOver(best);
  for (let round = 0; round < roundsFor(problem) && !isComplete(best); round++) {
    const found = completed(problem, urgentFirst(problem, urgent, packOnce), packOnce);
    best = better(best, found);
    const more = urgent.union(leftOver(found));
    if (more.size === urgent.size) break;
    urgent = more;
  }
  return best;
}

/** What is urgent grows from round to round: few items are tied by the same limits. With many items each round takes long. */
function roundsFor({ items }: PackingProblem): number {
  return Math.min(mostRounds, Math.floor(itemsPacked / items.length));
}

const mostRounds = 4;
const itemsPacked = 400;

function leftOver({ unplaced }: Packing): ReadonlySet<number> {
  return new Set([...unplaced.keys()].filter((item) => (unplaced[item] ?? 0) > 0));
}

/** Right-sizing may leave room in a limit that a packing had used up: what is left over is packed until nothing more finds a place. */
function completed(problem: PackingProblem, first: Packing, packOnce: Packer): Packing {
  let packing = filledUp(problem, first);
  while (!isComplete(packing)) {
    const rest = packOnce(remainder(problem, packing));
    if (rest.nodes.length === 0) break;
    packing = filledUp(problem, together(packing, rest));
  }
  return packing;
}

/** The nodes of a packing, with what it left over of what they have room for. */
function filledUp(problem: PackingProblem, packing: Packing): Packing {
  if (isComplete(packing)) return packing;
  const left = Int32Array.from(packing.unplaced);
  const filling = new AlignedFilling(problem);
  const nodes = packing.nodes.map((packed) => {
    const node = openNode(problem, packed.column, packed.zone);
    putContents(problem, node, packed.contents);
    const before = unitsOn(node);
    filling.fill(node, left);
    return unitsOn(node) === before ? packed : packedNode(node);
  });
  return packingOf(nodes, left);
}

/** These items alone; the others are left over. */
function urgentFirst(problem: PackingProblem, urgent: ReadonlySet<number>, packOnce: Packer): Packing {
  const items = problem.items.map((item, index) => (urgent.has(index) ? item : { ...item, count: 0 }));
  const { nodes, unplaced } = packOnce({ ...problem, items });
  const all = allUnits(problem);
  return packingOf(
    nodes,
    unplaced.map((units, item) => (urgent.has(item) ? units : (all[item] ?? 0))),
  );
}

function unitsOn({ units }: OpenNode): number {
  return [...units.values()].reduce((sum, count) => sum + count, 0);
}
