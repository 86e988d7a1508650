import type { PackingItem, PackingProblem } from "./problem.ts";
import { cheapestHolder } from "./right-size.ts";

/** USD per hour of the cheapest node that holds one unit, by item; 0 where there is none to hold or no node for it. */
export type NodePrices = ReadonlyMap<number, number>;

/** With more items the rules that depend on a node's type are not asked: the answer may be too low then. */
const mostAsked = 300;

export function nodePricesOf(problem: PackingProblem, items: readonly number[]): NodePrices {
  const offers = offersOf(problem);
  const isAsked = items.length <= mostAsked && problem.rules.some((rule) => !("matches" in rule));
  return new Map(
    items.map((item) => {
      const one = problem.items[item];
      if (one === undefined || one.count === 0) return [item, 0] as const;
      return [item, (isAsked ? askedPrice(problem, item) : firstPrice(problem, one, offers)) ?? 0] as const;
    }),
  );
}

interface Offer {
  readonly column: number;
  readonly zone: number;
  readonly price: number;
}

/** Cheapest first. */
function offersOf({ columns }: PackingProblem): readonly Offer[] {
  return columns
    .flatMap(({ zonePrices }, column) => [...zonePrices].map((price, zone) => ({ column, zone, price })))
    .filter(({ price }) => Number.isFinite(price))
    .sort((a, b) => a.price - b.price);
}

function firstPrice(problem: PackingProblem, item: PackingItem, offers: readonly Offer[]): number | undefined {
  const { accepts, zoneMask, requests } = item;
  const found = offers.find(({ column, zone }) => {
    if (accepts[column] !== 1 || (zoneMask & (1 << zone)) === 0) return false;
    const capacity = problem.columns[column]?.capacity;
    return requests.every((amount, dimension) => amount <= (capacity?.[dimension] ?? 0));
  });
  return found?.price;
}

function askedPrice(problem: PackingProblem, item: number): number | undefined {
  return cheapestHolder(problem, { items: Int32Array.of(item), counts: Int32Array.of(1) });
}
