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
  const wanted = problem.items.filter((_, index) => (units[index] ?? 0) > 0);
  const masks = new Set(wanted.map((item) => item.zoneMask));
  const union = [...masks].reduce((all, mask) => all | mask, 0);
  const accepted = new Uint8Array(problem.columns.length);
  for (const { accepts } of wanted) {
    for (let column = 0; column < accepted.length; column++) if (accepts[column] === 1) accepted[column] = 1;
  }
  const offers: Offer[] = [];
  for (const [columnIndex, column] of problem.columns.entries()) {
    if (accepted[columnIndex] !== 1) continue;
    const zones = headroom.zonesLeft(column, union);
    if (zones === 0) continue;
    for (const zone of zonesToTry(column, zones, masks.size > 1)) {
      offers.push({ columnIndex, column, zone, price: column.zonePrices[zone] ?? Number.POSITIVE_INFINITY });
    }
  }
  return offers;
}

function zonesToTry(column: PackingColumn, mask: number, every: boolean): readonly number[] {
  const sold = [...column.zonePrices.keys()].filter(
    (zone) => (mask & (1 << zone)) !== 0 && column.zonePrices[zone] !== Number.POSITIVE_INFINITY,
  );
  if (every || sold.length === 0) return sold;
  const priceOf = (zone: number) => column.zonePrices[zone] ?? Number.POSITIVE_INFINITY;
  return [sold.reduce((cheapest, zone) => (priceOf(zone) < priceOf(cheapest) ? zone : cheapest))];
}

/** All that is sold, cheapest first. */
export function offersByPrice({ columns }: PackingProblem): readonly Offer[] {
  return getOrMake(sorted, columns, () =>
    columns
      .flatMap((column, columnIndex) =>
        [...column.zonePrices].map((price, zone): Offer => ({ columnIndex, column, zone, price })),
      )
      .filter(({ price }) => Number.isFinite(price))
      .sort((a, b) => a.price - b.price || a.columnIndex - b.columnIndex || a.zone - b.zone),
  );
}

/** Problems that differ in their items alone share their columns. */
const sorted = new WeakMap<PackingProblem["columns"], readonly Offer[]>();
