import { type Offer, offersByPrice } from "./offers.ts";
import { isAtLeast, type PackingItem, type PackingProblem } from "./problem.ts";
import { cheapestHolder } from "./right-size.ts";

/** USD per hour of the cheapest node that holds one unit, by item; 0 where there is none to hold or no node for it. */
export type NodePrices = ReadonlyMap<number, number>;

/** With more items the rules that depend on a node's type are not asked: the answer may be too low then. */
const mostAsked = 300;

export function nodePricesOf(problem: PackingProblem, items: readonly number[]): NodePrices {
  const offers = offersByPrice(problem);
  const isAsked = items.length <= mostAsked && problem.rules.some((rule) => !("matches" in rule));
  return new Map(
    items.map((item) => {
      const one = problem.items[item];
      if (one === undefined || one.count === 0) return [item, 0] as const;
      return [item, (isAsked ? askedPrice(problem, item) : firstPrice(one, offers)) ?? 0] as const;
    }),
  );
}

function firstPrice(item: PackingItem, offers: readonly Offer[]): number | undefined {
  const { accepts, zoneMask, requests } = item;
  const found = offers.find(
    ({ column, columnIndex, zone }) =>
      accepts[columnIndex] === 1 && (zoneMask & (1 << zone)) !== 0 && isAtLeast(column.capacity, requests),
  );
  return found?.price;
}

function askedPrice(problem: PackingProblem, item: number): number | undefined {
  return cheapestHolder(problem, { items: Int32Array.of(item), counts: Int32Array.of(1) });
}
