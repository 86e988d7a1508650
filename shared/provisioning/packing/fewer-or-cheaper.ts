import { AlignedFilling } from "./aligned-filling.ts";
import type { Headroom } from "./headroom.ts";
import { fillLargestFirst, openNode, packedNode } from "./node-filling.ts";
import { cheapestSets, mostNodesOfSet, type SizedOffer, type ToBeat } from "./offer-sets.ts";
import type { Offer } from "./offers.ts";
import { demandOf, isAtLeast, type PackedNode, type PackingProblem } from "./problem.ts";

/**
 * One, two or three nodes that hold these units and beat a price; undefined when none were found. `offers` come by price. They are capped
 * at what the units ask for, and those that another then dominates are left out; sets that have enough of everything in sum are tried
 * out by price.
 */
export function cheaperNodes(
  problem: PackingProblem,
  units: Int32Array,
  offers: readonly Offer[],
  headroom: Headroom,
  toBeat: ToBeat,
): readonly PackedNode[] | undefined {
  const demand = demandOf(problem, units);
  const affordable = offers.filter(({ price }) => price <= toBeat.priceUsdPerHour);
  const sized = sizedOffers(problem, units, demand, affordable, headroom);
  for (const chosen of cheapestSets(sized, demand, toBeat, setsTried(problem))) {
    const nodes = headroom.hasRoomFor(chosen) ? holding(problem, units, chosen) : undefined;
    if (nodes !== undefined) return nodes;
  }
  return undefined;
}

/** With many items fewer, as each takes longer to fill. */
function setsTried({ items }: PackingProblem): number {
  return Math.min(mostSetsTried, Math.max(leastSetsTried, Math.floor(itemsLookedAt / items.length)));
}

const mostSetsTried = 12;
const leastSetsTried = 6;
const itemsLookedAt = 2000;

function sizedOffers(
  problem: PackingProblem,
  units: Int32Array,
  demand: Float64Array,
  offers: readonly Offer[],
  headroom: Headroom,
): readonly SizedOffer[] {
  const items = problem.items.filter((_, index) => (units[index] ?? 0) > 0);
  const zones = items.reduce((mask, { zoneMask }) => mask | zoneMask, 0);
  const kept: (SizedOffer & { readonly dominates: boolean })[] = [];
  for (const offer of offers) {
    const { column, columnIndex, zone } = offer;
    if ((zones & (1 << zone)) === 0) continue;
    const takers = items.filter(
      ({ accepts, zoneMask }) => accepts[columnIndex] === 1 && (zoneMask & (1 << zone)) !== 0,
    );
    if (takers.length === 0) continue;
    const usable = column.capacity.map((amount, dimension) => Math.min(amount, demand[dimension] ?? 0));
    if (kept.some((other) => other.dominates && isAtLeast(other.usable, usable))) continue;
    const room = headroom.isLimited ? headroom.nodesLeft(column, zone) : mostNodesOfSet;
    if (room < 1) continue;
    // What takes all and is there as often as a set could want it makes dearer offers needless that have no more.
    kept.push({ offer, usable, dominates: takers.length === items.length && room >= mostNodesOfSet });
  }
  return kept;
}

/** These offers with all units on them, if a way is found. Each order of filling leaves its slack on the last node. */
function holding(
  problem: PackingProblem,
  units: Int32Array,
  offers: readonly Offer[],
): readonly PackedNode[] | undefined {
  for (const order of offers.length === 1 ? [offers] : [offers, offers.toReversed()]) {
    const left = Int32Array.from(units);
    const nodes = order.map(({ columnIndex, zone }) => openNode(problem, columnIndex, zone));
    for (const [index, node] of nodes.entries()) {
      if (index < nodes.length - 1) new AlignedFilling(problem).fill(node, left);
      else {
        fillLargestFirst(problem, node, left);
        if (left.every((count, item) => count === (node.units.get(item) ?? 0))) return nodes.map(packedNode);
      }
    }
  }
  return undefined;
}
