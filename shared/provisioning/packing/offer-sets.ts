import { cheapestCover } from "./linear-program.ts";
import type { Offer } from "./offers.ts";

/** So many nodes a set may have. */
export const mostNodesOfSet = 3;

/** What a replacement must beat: a lower price, or the same with fewer nodes. */
export interface ToBeat {
  readonly priceUsdPerHour: number;
  readonly nodes: number;
}

/** An offer with what is of use of its capacity, by dimension: no more than is asked for. */
export interface SizedOffer {
  readonly offer: Offer;
  readonly usable: Float64Array;
}

const priceToleranceUsdPerHour = 1e-9;

/** The `most` cheapest sets of up to three offers, given by price, whose capacities add up to the demand. One offer may be taken again. */
export function cheapestSets(
  offers: readonly SizedOffer[],
  demand: Float64Array,
  toBeat: ToBeat,
  most: number,
): readonly (readonly Offer[])[] {
  const { duals, bound } = cheapestCover(
    offers.map(({ offer: { price }, usable }) => ({ amounts: usable, price })),
    demand,
  );
  // Most demands have no cheaper cover even in parts of nodes.
  if (bound > ceilingOf(toBeat)) return [];
  const search = new SetSearch(offers, duals, toBeat, most);
  search.extend(0, 0, demand);
  return cheapest(search.found, most).map(({ offers: chosen }) => chosen);
}

function ceilingOf({ priceUsdPerHour }: ToBeat): number {
  return priceUsdPerHour + priceToleranceUsdPerHour;
}

interface OfferSet {
  readonly offers: readonly Offer[];
  readonly price: number;
  /** In which it was found: decides ties. */
  readonly order: number;
}

class SetSearch {
  found: OfferSet[] = [];
  readonly #offers: readonly SizedOffer[];
  readonly #prices: Float64Array;
  /** By offer and dimension: the most that it or a cheaper one has. */
  readonly #most: Float64Array;
  readonly #dimensions: number;
  /** By dimension: no offer's capacity is worth more than it costs. */
  readonly #worths: Float64Array;
  readonly #toBeat: ToBeat;
  /** By depth: what is still to be covered. */
  readonly #missing: readonly Float64Array[];
  readonly #chosen: Offer[] = [];
  readonly #kept: number;
  #ceiling: number;
  #order = 0;

  constructor(offers: readonly SizedOffer[], worths: Float64Array, toBeat: ToBeat, most: number) {
    this.#worths = worths;
    this.#kept = most;
    this.#offers = offers;
    this.#toBeat = toBeat;
    this.#ceiling = ceilingOf(toBeat);
    this.#dimensions = worths.length;
    this.#prices = Float64Array.from(offers, ({ offer }) => offer.price);
    this.#missing = Array.from({ length: mostNodesOfSet }, () => new Float64Array(worths.length));
    this.#most = new Float64Array(offers.length * worths.length);
    for (const [index, { usable }] of offers.entries()) {
      for (let dimension = 0; dimension < worths.length; dimension++) {
        const before = index === 0 ? 0 : (this.#most[(index - 1) * worths.length + dimension] ?? 0);
        this.#most[index * worths.length + dimension] = Math.max(before, usable[dimension] ?? 0);
      }
    }
  }

  /** Adds each offer from this one on to those chosen, which cost so much and leave so much missing. */
  extend(from: number, price: number, missing: Float64Array): void {
    const depth = this.#chosen.length;
    const rest = this.#missing[depth] ?? new Float64Array();
    const more = mostNodesOfSet - depth - 1;
    for (let index = from; index < this.#offers.length; index++) {
      const next = this.#offers[index];
      if (next === undefined) return;
      const total = price + next.offer.price;
      if (!this.#mayCost(total, depth + 1)) return;
      let isEnough = true;
      let least = total;
      for (let dimension = 0; dimension < this.#dimensions; dimension++) {
        const left = (missing[dimension] ?? 0) - (next.usable[dimension] ?? 0);
        rest[dimension] = left;
        if (left <= 0) continue;
        isEnough = false;
        least += left * (this.#worths[dimension] ?? 0);
      }
      if (least > this.#ceiling) continue;
      if (!isEnough && !this.#couldCover(rest, more, next.offer.price, total)) continue;
      this.#chosen.push(next.offer);
      if (isEnough) this.#note(total);
      else this.extend(index, total, rest);
      this.#chosen.pop();
    }
  }

  #mayCost(total: number, nodes: number): boolean {
    if (total > this.#ceiling) return false;
    const { priceUsdPerHour, nodes: before } = this.#toBeat;
    return nodes < before || total < priceUsdPerHour - priceToleranceUsdPerHour;
  }

  /** Whether up to so many more offers, none cheaper than this price, could have what is missing for the money that is left. */
  #couldCover(missing: Float64Array, more: number, least: number, spent: number): boolean {
    for (let count = 1; count <= more; count++) {
      const dearest = this.#lastWithin(this.#ceiling - spent - (count - 1) * least);
      if (dearest < 0) return false;
      if (this.#isWithin(missing, count, dearest)) return true;
    }
    return false;
  }

  /** Whether so many of the largest among the offers up to this one have what is missing. */
  #isWithin(missing: Float64Array, count: number, dearest: number): boolean {
    for (let dimension = 0; dimension < this.#dimensions; dimension++) {
      const most = this.#most[dearest * this.#dimensions + dimension] ?? 0;
      if ((missing[dimension] ?? 0) > count * most) return false;
    }
    return true;
  }

  /** The last offer that costs no more, or -1. */
  #lastWithin(price: number): number {
    let [low, high] = [0, this.#prices.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#prices[middle] ?? 0) <= price) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #note(price: number): void {
    this.found.push({ offers: [...this.#chosen], price, order: this.#order++ });
    if (this.found.length < 2 * this.#kept) return;
    this.found = cheapest(this.found, this.#kept);
    this.#ceiling = this.found.at(-1)?.price ?? this.#ceiling;
  }
}

function cheapest(sets: readonly OfferSet[], most: number): OfferSet[] {
  return sets
    .toSorted((a, b) => a.price - b.price || a.offers.length - b.offers.length || a.order - b.order)
    .slice(0, most);
}
