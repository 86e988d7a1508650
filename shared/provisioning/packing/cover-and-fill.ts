import { AlignedFilling } from "./aligned-filling.ts";
import { CoveringProgram } from "./covering-program.ts";
import { Headroom } from "./headroom.ts";
import { openNode, packedNode } from "./node-filling.ts";
import { type Offer, offersFor } from "./offers.ts";
import { type Places, scarcestPlaces, takePlaces } from "./places.ts";
import { demandOf, type PackedNode, type Packing, type PackingProblem, packingOf } from "./problem.ts";

/**
 * Buys what the cheapest fractional cover of the remaining resources buys whole nodes of, fills these nodes, and goes on with what is
 * left over, until less than a node is left. A problem of many sizes, none of them large, is packed so almost without loss.
 */
export function coverAndFill(problem: PackingProblem): Packing {
  const headroom = new Headroom(problem);
  const left = Int32Array.from(problem.items, ({ count }) => count);
  const nodes: PackedNode[] = [];
  const filling = new AlignedFilling(problem);
  for (let round = 0; round < mostRounds; round++) {
    const places = scarcestPlaces(problem, left);
    const filled = wholeNodesOfCover(problem, left, places, headroom).flatMap((offer) =>
      filledNode(problem, offer, places[0], left, headroom, filling),
    );
    nodes.push(...filled);
    if (filled.length === 0) break;
  }
  return packingOf(nodes, left);
}

/** Each round leaves a small part of what it found. */
const mostRounds = 6;

function filledNode(
  problem: PackingProblem,
  { columnIndex, column, zone }: Offer,
  scarcest: Places | undefined,
  left: Int32Array,
  headroom: Headroom,
  filling: AlignedFilling,
): readonly PackedNode[] {
  if (headroom.nodesLeft(column, zone) < 1) return [];
  const node = openNode(problem, columnIndex, zone);
  if (scarcest !== undefined) takePlaces(problem, node, scarcest, left);
  filling.fill(node, left);
  if (node.present.length === 0) return [];
  headroom.take(column, zone, 1);
  return [packedNode(node)];
}

/** Whole parts of the resource LP's solution; see `worthsOf` for its rows. */
function wholeNodesOfCover(
  problem: PackingProblem,
  units: Int32Array,
  places: readonly Places[],
  headroom: Headroom,
): readonly Offer[] {
  const offers = offersFor(problem, units, headroom);
  const demand = [...demandOf(problem, units), ...places.map(({ wanted }) => wanted)];
  const rows = [...demand.keys()].filter((row) => (demand[row] ?? 0) > 0);
  if (rows.length === 0 || offers.length === 0) return [];
  const dimensions = problem.dimensions.length;
  const amounts = offers.map(({ column: { capacity } }) =>
    Float64Array.from(rows, (row) => {
      const amount = row < dimensions ? capacity[row] : places[row - dimensions]?.perNode;
      return (amount ?? 0) / (demand[row] ?? 1);
    }),
  );
  const cheapestOfRow = rows.map((_, row) =>
    offers.reduce((least, { price }, offer) => {
      const amount = amounts[offer]?.[row] ?? 0;
      return amount > 0 ? Math.min(least, price / amount) : least;
    }, Number.POSITIVE_INFINITY),
  );
  const program = new CoveringProgram(
    Float64Array.from(cheapestOfRow, (price) => (Number.isFinite(price) ? 1 : 0)),
    Float64Array.from(cheapestOfRow, (price) => (Number.isFinite(price) ? 1.001 * price : 0)),
  );
  const all = Int32Array.from(rows.keys());
  for (const [index, { price }] of offers.entries()) {
    program.add({ price, rows: all, amounts: amounts[index] ?? new Float64Array() });
  }
  program.solve(pivotsPerRow * rows.length);
  const uses = program.uses();
  return offers.flatMap((offer, index) => Array.from({ length: Math.floor(uses[index] ?? 0) }, () => offer));
}

const pivotsPerRow = 60;
