import type { Headroom } from "./headroom.ts";
import { addUnits, fillLargestFirst, itemsFor, type OpenNode, openNode, packedNode } from "./node-filling.ts";
import { type Offer, offersFor } from "./offers.ts";
import { scarcestPlaces } from "./places.ts";
import { demandOf, type PackedNode, type PackingColumn, type PackingProblem } from "./problem.ts";
import type { Worths } from "./worths.ts";

/** Offers filled in most steps: those that were worth most when all were. With many items fewer, as each takes longer. */
const mostOffersTried = 200;
const leastOffersTried = 12;
const itemsLookedAtPerStep = 20_000;
const leastOffersRated = 64;
const shareOfFullSearch = 20;
/** Every so many steps all offers are filled again, because what was worth little may now be worth more. */
const stepsBetweenFullSearches = 16;
/** Offers that are also filled in proportion: those worth most when filled the largest first. */
const offersFilledInProportion = 64;

/** Searches pattern after pattern for one packing. */
export class PatternSearch {
  readonly #problem: PackingProblem;
  readonly #headroom: Headroom;
  readonly #offersTried: number;
  readonly #offersRated: number;
  /** Those worth most per dollar in the last full search, best first. */
  #shortlist: readonly Offer[] = [];
  #steps = 0;

  constructor(problem: PackingProblem, headroom: Headroom) {
    this.#problem = problem;
    this.#headroom = headroom;
    const affordable = Math.floor(itemsLookedAtPerStep / Math.max(1, problem.items.length));
    this.#offersRated = Math.max(leastOffersRated, shareOfFullSearch * affordable);
    this.#offersTried = Math.min(mostOffersTried, Math.max(leastOffersTried, affordable));
  }

  /** The node worth most per dollar; undefined when no column takes any remaining item. */
  best(remaining: Int32Array, worths: Worths): PackedNode | undefined {
    const isFull = this.#steps++ % stepsBetweenFullSearches === 0;
    const found = isFull ? undefined : this.#bestOf(this.#shortlist, remaining, worths);
    if (found !== undefined) return packedNode(found.node);
    const all = offersFor(this.#problem, remaining, this.#headroom);
    const best = this.#bestOf(all, remaining, worths, true);
    return best && packedNode(best.node);
  }

  #bestOf(offers: readonly Offer[], remaining: Int32Array, worths: Worths, isFull = false): Filled | undefined {
    const filled: Filled[] = [];
    let bestWorth = 0;
    const rated = ratedOffers(this.#problem, offers, remaining, worths);
    for (const { offer, most } of rated.slice(0, this.#offersRated)) {
      if (most < bestWorth || this.#headroom.nodesLeft(offer.column, offer.zone) < 1) continue;
      const result = this.#fill(offer, fillLargestFirst, remaining, worths);
      filled.push(result);
      bestWorth = Math.max(bestWorth, result.worthPerUsd);
    }
    filled.sort((a, b) => b.worthPerUsd - a.worthPerUsd);
    if (isFull) this.#shortlist = filled.slice(0, this.#offersTried).map(({ offer }) => offer);
    const promising = filled.slice(0, Math.min(offersFilledInProportion, this.#offersTried));
    const inProportion = promising.map(({ offer }) => this.#fill(offer, fillInProportion, remaining, worths));
    return mostWorth([...promising, ...inProportion]);
  }

  #fill(offer: Offer, fill: Filling, remaining: Int32Array, worths: Worths): Filled {
    const node = openNode(this.#problem, offer.columnIndex, offer.zone);
    fill(this.#problem, node, remaining);
    return { offer, node, worthPerUsd: worthOf(node, worths) / offer.price };
  }
}

interface Filled {
  readonly offer: Offer;
  readonly node: OpenNode;
  readonly worthPerUsd: number;
}

/** Of equal worth the larger node: fewer of them. */
function mostWorth(candidates: readonly Filled[]): Filled | undefined {
  let best: Filled | undefined;
  for (const candidate of candidates) {
    if (candidate.worthPerUsd <= 0) continue;
    const gain = best === undefined ? Number.POSITIVE_INFINITY : candidate.worthPerUsd - best.worthPerUsd;
    if (gain > 1e-12 || (gain > -1e-12 && candidate.offer.price > (best?.offer.price ?? 0))) best = candidate;
  }
  return best;
}

/** Everything that remains on the cheapest single node that holds it; undefined when there is none. */
export function closingPattern(
  problem: PackingProblem,
  remaining: Int32Array,
  headroom: Headroom,
): PackedNode | undefined {
  const demand = demandOf(problem, remaining);
  const isEnough = ({ capacity }: PackingColumn) =>
    demand.every((amount, dimension) => amount <= (capacity[dimension] ?? 0));
  if (!problem.columns.some(isEnough) || remaining.every((units) => units === 0)) return undefined;
  if (scarcestPlaces(problem, remaining).length > 0) return undefined;
  const large = offersFor(problem, remaining, headroom).filter(({ column }) => isEnough(column));
  for (const { columnIndex, zone } of large.sort((a, b) => a.price - b.price)) {
    const node = openNode(problem, columnIndex, zone);
    if (remaining.every((units, item) => addUnits(problem, node, item, units) === units)) return packedNode(node);
  }
  return undefined;
}

interface RatedOffer {
  readonly offer: Offer;
  /** No contents are worth more per dollar. */
  readonly most: number;
}

/** Offers by the most they could be worth per dollar when full, best first: the search passes over those that cannot win. */
function ratedOffers(
  problem: PackingProblem,
  offers: readonly Offer[],
  remaining: Int32Array,
  { ofDimension, ofPlaces }: Worths,
): readonly RatedOffer[] {
  const demand = demandOf(problem, remaining);
  return offers
    .map((offer) => {
      let worth = ofPlaces;
      for (let dimension = 0; dimension < demand.length; dimension++) {
        const usable = Math.min(offer.column.capacity[dimension] ?? 0, demand[dimension] ?? 0);
        worth += (ofDimension[dimension] ?? 0) * usable;
      }
      return { offer, most: worth / offer.price };
    })
    .sort((a, b) => b.most - a.most || b.offer.price - a.offer.price || a.offer.columnIndex - b.offer.columnIndex);
}

function worthOf({ present, units }: OpenNode, { ofItem }: Worths): number {
  let worth = 0;
  for (const item of present) worth += (units.get(item) ?? 0) * (ofItem[item] ?? 0);
  return worth;
}

type Filling = (problem: PackingProblem, node: OpenNode, remaining: Int32Array) => void;

/** All in proportion to what remains, so that no shape is left over. */
function fillInProportion(problem: PackingProblem, node: OpenNode, remaining: Int32Array): void {
  const share = proportionThatFits(problem, node, remaining);
  for (const item of itemsFor(problem, node)) {
    const units = Math.floor((remaining[item] ?? 0) * share);
    if (units > 0) addUnits(problem, node, item, units);
  }
  fillLargestFirst(problem, node, remaining);
}

/** The share of all that remains which this node could hold, by resources. */
function proportionThatFits(problem: PackingProblem, node: OpenNode, remaining: Int32Array): number {
  const demand = new Float64Array(node.free.length);
  for (const item of itemsFor(problem, node)) {
    const units = remaining[item] ?? 0;
    const requests = units > 0 ? problem.items[item]?.requests : undefined;
    if (requests === undefined) continue;
    for (let dimension = 0; dimension < demand.length; dimension++) {
      demand[dimension] = (demand[dimension] ?? 0) + units * (requests[dimension] ?? 0);
    }
  }
  return demand.reduce(
    (share, amount, dimension) => (amount > 0 ? Math.min(share, (node.free[dimension] ?? 0) / amount) : share),
    1,
  );
}
