import { getOrMake } from "../get-or-make.ts";
import { Headroom } from "./headroom.ts";
import { reachesMinValues } from "./min-values.ts";
import { type Offer, offersByPrice } from "./offers.ts";
import {
  type Contents,
  countBits,
  demandOfContents,
  type NodeRule,
  type PackedNode,
  type Packing,
  type PackingColumn,
  type PackingProblem,
  packingOf,
} from "./problem.ts";
import { undominatedOffers } from "./prune.ts";

/** Replaces nodes by the cheapest column and zone that holds the same contents. Remembers what it found for contents it has met. */
export class RightSizer {
  readonly #problem: PackingProblem;
  /** Patterns that are used many times share their contents. */
  readonly #cheaper = new WeakMap<Contents, CheaperHolders>();
  /** Only limits, reservations and caps can forbid the cheapest. */
  readonly #isLimited: boolean;
  readonly #offers: readonly Offer[];

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#isLimited = new Headroom(problem).isLimited;
    this.#offers = this.#isLimited ? offersByPrice(problem) : undominatedOffers(problem);
  }

  fit(packing: Packing): Packing {
    const headroom = new Headroom(this.#problem);
    for (const node of packing.nodes) this.#take(headroom, node, 1);
    const nodes = packing.nodes.map((node) => this.#exchange(node, headroom));
    return packingOf(nodes, packing.unplaced);
  }

  /** The first of the cheaper nodes that its pool's limits admit in the place of this one. */
  #exchange(node: PackedNode, headroom: Headroom): PackedNode {
    const cheaper = getOrMake(
      this.#cheaper,
      node.contents,
      () => new CheaperHolders(this.#problem, this.#offers, node.contents),
    );
    this.#take(headroom, node, -1);
    const chosen = this.#firstAdmitted(cheaper, node, headroom) ?? node;
    this.#take(headroom, chosen, 1);
    return chosen;
  }

  #firstAdmitted(holders: CheaperHolders, node: PackedNode, headroom: Headroom): PackedNode | undefined {
    for (let index = 0; ; index++) {
      const offer = holders.at(index);
      if (offer === undefined || offer.price >= node.priceUsdPerHour) return undefined;
      const { column, columnIndex, zone, price } = offer;
      if (headroom.nodesLeft(column, zone) > 0) return { ...node, column: columnIndex, zone, priceUsdPerHour: price };
      if (!this.#isLimited) return undefined;
    }
  }

  #take(headroom: Headroom, node: PackedNode, nodes: number): void {
    const column = this.#problem.columns[node.column];
    if (column !== undefined) headroom.take(column, node.zone, nodes);
  }
}

/** The offers, of any pool, that hold certain contents, cheapest first; found as far as they are asked for. */
class CheaperHolders {
  readonly #problem: PackingProblem;
  readonly #offers: readonly Offer[];
  readonly #wanted: Wanted;
  readonly #found: Offer[] = [];
  /** Among the offers, where the search goes on. */
  #next = 0;

  constructor(problem: PackingProblem, offers: readonly Offer[], contents: Contents) {
    this.#problem = problem;
    this.#offers = offers;
    this.#wanted = wantedBy(problem, contents);
  }

  at(place: number): Offer | undefined {
    const table = tableOf(this.#offers);
    while (this.#found.length <= place && this.#next < this.#offers.length) {
      const index = table.next(this.#wanted, this.#next);
      this.#next = index + 1;
      const offer = this.#offers[index];
      if (offer !== undefined && couldHold(this.#problem, this.#wanted, offer)) this.#found.push(offer);
    }
    return this.#found[place];
  }
}

function tableOf(offers: readonly Offer[]): OfferTable {
  return getOrMake(tables, offers, () => new OfferTable(offers));
}

const tables = new WeakMap<readonly Offer[], OfferTable>();

/** The sizes of offers side by side: most are too small for most contents, and they are passed over by the million. */
class OfferTable {
  readonly #count: number;
  readonly #dimensions: number;
  readonly #capacities: Float64Array;
  readonly #zoneBits: Int32Array;

  constructor(offers: readonly Offer[]) {
    this.#count = offers.length;
    this.#dimensions = offers[0]?.column.capacity.length ?? 0;
    this.#capacities = Float64Array.from(offers.flatMap(({ column }) => [...column.capacity]));
    this.#zoneBits = Int32Array.from(offers, ({ zone }) => 1 << zone);
  }

  /** The first offer from this one on that is large enough in one of the zones. */
  next({ demand, zoneMask }: Wanted, from: number): number {
    for (let offer = from; offer < this.#count; offer++) {
      if ((zoneMask & (this.#zoneBits[offer] ?? 0)) !== 0 && this.#holds(demand, offer)) return offer;
    }
    return this.#count;
  }

  #holds(demand: Float64Array, offer: number): boolean {
    const start = offer * this.#dimensions;
    for (let dimension = 0; dimension < demand.length; dimension++) {
      if ((demand[dimension] ?? 0) > (this.#capacities[start + dimension] ?? 0)) return false;
    }
    return true;
  }
}

/** What any node that is to hold certain units must offer. */
interface Wanted {
  readonly items: Int32Array;
  readonly demand: Float64Array;
  readonly zoneMask: number;
}

function wantedBy(problem: PackingProblem, contents: Contents): Wanted {
  const { items } = contents;
  return {
    items,
    demand: demandOfContents(problem, contents),
    zoneMask: items.reduce((mask, item) => mask & (problem.items[item]?.zoneMask ?? 0), -1),
  };
}

/** Units that share a node already keep the rules among themselves: only what differs from column to column is asked. */
function couldHold(problem: PackingProblem, wanted: Wanted, { column, columnIndex }: Offer): boolean {
  if (!wanted.items.every((item) => problem.items[item]?.accepts[columnIndex] === 1)) return false;
  return problem.rules.every((rule) => suits(problem, rule, wanted, column));
}

function suits(problem: PackingProblem, rule: NodeRule, { items, demand }: Wanted, column: PackingColumn): boolean {
  const { pool, capacity } = column;
  switch (rule.kind) {
    case "min-values":
      return rule.pool !== pool || reachesMinValues(problem, rule, column, items, demand);
    case "label": {
      const ofPool = rule.valuesOfPool[pool] ?? 0n;
      return commonValues(rule.valuesOfItem, items, ofPool) !== 0n;
    }
    case "attachments": {
      let shared = 0n;
      for (const item of items) shared |= rule.volumesOfItem[item] ?? 0n;
      return (demand[rule.dimension] ?? 0) + countBits(shared) <= (capacity[rule.dimension] ?? 0);
    }
    case "spread":
    case "anti-affinity":
      return true;
  }
}

function commonValues(valuesOfItem: readonly bigint[], items: Int32Array, ofPool: bigint): bigint {
  let common = ofPool;
  for (const item of items) common &= valuesOfItem[item] ?? 0n;
  return common;
}

/**
 * USD per hour of the cheapest node that holds these contents; undefined when none does. Rules about which items may share a node are
 * not asked: the answer is right for units that may, and too low for others.
 */
export function cheapestHolder(problem: PackingProblem, contents: Contents): number | undefined {
  return new CheaperHolders(problem, undominatedOffers(problem), contents).at(0)?.price;
}
