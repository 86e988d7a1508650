import { getOrMake } from "../get-or-make.ts";
import type { Headroom } from "./headroom.ts";
import type { PackingColumn, PackingProblem } from "./problem.ts";

/** One node that can be bought: a column in a zone. */
export interface Offer {
  readonly columnIndex: number;
  readonly column: PackingColumn;
  readonly zone: number;
  /** USD per hour. */
  readonly price: number;
}

/**
 * What could hold some of these units: every column that accepts one of them and has room, in its cheapest zone where all units agree
 * on the zones, in every zone where they do not.
 */
export function offersFor(problem: PackingProblem, units: Int32Array, headroom: Headroom): readonly Offer[] {
  const sold = offersByColumn(problem.columns);
  const zonesOfLists = zonesByAcceptance(problem, units);
  const masks = new Set<number>();
  for (let item = 0; item < units.length; item++) {
    if ((units[item] ?? 0) > 0) masks.add(problem.items[item]?.zoneMask ?? 0);
  }
  const union = [...masks].reduce((all, mask) => all | mask, 0);
  const lists = [...zonesOfLists.keys()];
  const offers: Offer[] = [];
  for (const [columnIndex, column] of problem.columns.entries()) {
    if (!lists.some((accepts) => accepts[columnIndex] === 1)) continue;
    const zones = headroom.zonesLeft(column, union);
    if (zones === 0) continue;
    let cheapest: Offer | undefined;
    for (const offer of sold[columnIndex] ?? []) {
      if ((zones & (1 << offer.zone)) === 0) continue;
      if (masks.size > 1) offers.push(offer);
      else if (cheapest === undefined || offer.price < cheapest.price) cheapest = offer;
    }
    if (cheapest !== undefined) offers.push(cheapest);
  }
  return offers;
}

/** Which columns take some of these units, and the zones in which they do: items share the arrays of what they accept. */
export function zonesByAcceptance({ items }: PackingProblem, units: Int32Array): ReadonlyMap<Uint8Array, number> {
  const zones = new Map<Uint8Array, number>();
  for (let index = 0; index < units.length; index++) {
    const item = items[index];
    if (item === undefined || (units[index] ?? 0) <= 0) continue;
    zones.set(item.accepts, (zones.get(item.accepts) ?? 0) | item.zoneMask);
  }
  return zones;
}

/** What is sold of each column, by zone. */
function offersByColumn(columns: PackingProblem["columns"]): readonly (readonly Offer[])[] {
  return getOrMake(ofColumns, columns, () =>
    columns.map((column, columnIndex) =>
      [...column.zonePrices]
        .map((price, zone): Offer => ({ columnIndex, column, zone, price }))
        .filter(({ price }) => price !== Number.POSITIVE_INFINITY),
    ),
  );
}

/** Problems that differ in their items alone share their columns. */
const ofColumns = new WeakMap<PackingProblem["columns"], readonly (readonly Offer[])[]>();

/** All that is sold, cheapest first. */
export function offersByPrice({ columns }: PackingProblem): readonly Offer[] {
  return getOrMake(sorted, columns, () =>
    offersByColumn(columns)
      .flat()
      .sort((a, b) => a.price - b.price || a.columnIndex - b.columnIndex || a.zone - b.zone),
  );
}

const sorted = new WeakMap<PackingProblem["columns"], readonly Offer[]>();
