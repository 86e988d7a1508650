import { AlignedFilling } from "./aligned-filling.ts";
import { Headroom } from "./headroom.ts";
import { openNode, packedNode } from "./node-filling.ts";
import { type Offer, offersFor } from "./offers.ts";
import { type Places, scarcestPlaces, takePlaces } from "./places.ts";
import { demandOf, type PackedNode, type Packing, type PackingProblem, packingOf } from "./problem.ts";

/**
 * Where sharing rules force many nodes, each had better do its part: nodes of one size, about what there is for each, are filled with
 * the units that must be apart and what suits them. One packing for each size tried; none where no rule forces nodes.
 */
export function* evenPackings(problem: PackingProblem): Generator<Packing> {
  const all = Int32Array.from(problem.items, ({ count }) => count);
  const [scarcest] = scarcestPlaces(problem, all);
  if (scarcest === undefined) return;
  const demand = demandOf(problem, all);
  const offers = offersFor(problem, all, new Headroom(problem)).toSorted((a, b) => a.price - b.price);
  const tried = new Set<number>();
  for (const share of sharesTried) {
    const least = demand.map((amount) => (share * amount) / forcedNodes(scarcest));
    const offer = offers.find(({ column: { capacity } }) =>
      capacity.every((amount, dimension) => amount >= (least[dimension] ?? 0)),
    );
    if (offer === undefined || tried.has(offer.columnIndex)) continue;
    tried.add(offer.columnIndex);
    yield evenPacking(problem, offer, scarcest);
  }
}

/** Of what there is for each of the forced nodes. */
const sharesTried = [0.9, 1, 1.15, 1.4];

/** How many nodes a rule forces. */
function forcedNodes({ wanted, perNode }: Places): number {
  return Math.ceil(wanted / perNode);
}

function evenPacking(problem: PackingProblem, { column, columnIndex }: Offer, scarcest: Places): Packing {
  const headroom = new Headroom(problem);
  const filling = new AlignedFilling(problem);
  const left = Int32Array.from(problem.items, ({ count }) => count);
  const nodes: PackedNode[] = [];
  const zones = [...column.zonePrices.keys()].filter((zone) => Number.isFinite(column.zonePrices[zone]));
  for (;;) {
    // By turns, because some units may only be in one of the zones.
    const filled = zones.flatMap((zone) => {
      if (headroom.nodesLeft(column, zone) < 1) return [];
      const node = openNode(problem, columnIndex, zone);
      takePlaces(problem, node, scarcest, left);
      filling.fill(node, left);
      if (node.present.length > 0) headroom.take(column, zone, 1);
      return node.present.length > 0 ? [packedNode(node)] : [];
    });
    if (filled.length === 0) break;
    nodes.push(...filled);
  }
  return packingOf(nodes, left);
}
