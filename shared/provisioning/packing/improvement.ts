import { getOrMake } from "../get-or-make.ts";
import { cheaperNodes } from "./fewer-or-cheaper.ts";
import { Headroom } from "./headroom.ts";
import { mostNodesOfSet } from "./offer-sets.ts";
import type { Offer } from "./offers.ts";
import {
  addContents,
  type Contents,
  type PackedNode,
  type Packing,
  type PackingProblem,
  packingOf,
} from "./problem.ts";
import { undominatedOffers } from "./prune.ts";

/** How much may be tried: counted, never timed, so that equal problems have equal answers. */
export interface ImprovementBudget {
  /** Groups of nodes looked at. */
  readonly attempts: number;
  /** A packing that costs no more is not improved further. */
  readonly enoughUsdPerHour: number;
}

/** Nodes looked at with one another in every way; of the others only some. */
const worstNodes = 14;
const othersTried = 10;
const worstInThrees = 7;

/** With fewer attempts than this twos go first: they gain more for each. */
const scarceAttempts = 200;

/**
 * Takes one, two or three nodes at a time, those first whose contents are worth least for their price, and buys one, two or three cheaper
 * ones for the same contents: so nodes are merged, split, and change their types, as long as it pays.
 */
export function improved(
  problem: PackingProblem,
  packing: Packing,
  worthOfItem: Float64Array,
  budget: ImprovementBudget,
): Packing {
  return new Improvement(problem, packing, worthOfItem, budget).run();
}

interface RatedNode {
  readonly node: PackedNode;
  /** The same for nodes of the same offer and contents. */
  readonly kind: number;
  /** USD per hour of the price that the contents are not worth. */
  readonly waste: number;
}

class Improvement {
  readonly #problem: PackingProblem;
  readonly #headroom: Headroom;
  readonly #offers: readonly Offer[];
  readonly #worth: Float64Array;
  readonly #budget: ImprovementBudget;
  readonly #unplaced: Int32Array;
  /** By contents and offer: patterns that are used many times share their contents. */
  readonly #kinds = new Map<Contents, Map<string, number>>();
  #kindCount = 0;
  readonly #failed = new Set<string>();
  #nodes: RatedNode[];
  #price: number;
  #attempts = 0;

  constructor(problem: PackingProblem, packing: Packing, worthOfItem: Float64Array, budget: ImprovementBudget) {
    this.#problem = problem;
    this.#budget = budget;
    this.#headroom = new Headroom(problem);
    this.#offers = undominatedOffers(problem, mostNodesOfSet);
    this.#worth = worthOfItem;
    this.#unplaced = packing.unplaced;
    this.#price = packing.priceUsdPerHour;
    for (const node of packing.nodes) this.#count(node, 1);
    this.#nodes = packing.nodes.map((node) => this.#rated(node));
    this.#sort();
  }

  run(): Packing {
    while (this.#isOpen() && this.#improveOnce()) this.#sort();
    const nodes = this.#nodes.map(({ node }) => node);
    return packingOf(nodes, this.#unplaced);
  }

  #isOpen(): boolean {
    return this.#attempts < this.#budget.attempts && this.#price > this.#budget.enoughUsdPerHour;
  }

  #improveOnce(): boolean {
    for (const group of this.#groups()) {
      if (!this.#isOpen()) return false;
      if (this.#replace(group)) return true;
    }
    return false;
  }

  /** Positions of nodes, the most wasteful first: one by one, two and three at a time. */
  *#groups(): Generator<readonly number[]> {
    const count = this.#nodes.length;
    const worst = Math.min(count, worstNodes);
    const isScarce = this.#budget.attempts < scarceAttempts;
    if (!isScarce) for (let a = 0; a < worst; a++) yield [a];
    for (let b = 1; b < worst; b++) for (let a = 0; a < b; a++) yield [a, b];
    if (isScarce) for (let a = 0; a < worst; a++) yield [a];
    const step = Math.max(1, Math.floor((count - worst) / othersTried));
    for (let a = 0; a < worst; a++) for (let b = worst; b < count; b += step) yield [a, b];
    const inThrees = Math.min(count, worstInThrees);
    for (let c = 2; c < inThrees; c++) for (let b = 1; b < c; b++) for (let a = 0; a < b; a++) yield [a, b, c];
    for (let a = 1; a < inThrees; a++) for (let b = inThrees; b < count; b += step) yield [0, a, b];
  }

  #replace(group: readonly number[]): boolean {
    const old = group.flatMap((position) => this.#nodes[position] ?? []);
    const key = old
      .map(({ kind }) => kind)
      .sort((a, b) => a - b)
      .join();
    if (this.#failed.has(key)) return false;
    this.#attempts++;
    const units = new Int32Array(this.#problem.items.length);
    let price = 0;
    for (const { node } of old) {
      price += node.priceUsdPerHour;
      addContents(units, node.contents);
      this.#count(node, -1);
    }
    const toBeat = { priceUsdPerHour: price, nodes: old.length };
    const better = cheaperNodes(this.#problem, units, this.#offers, this.#headroom, toBeat);
    for (const node of better ?? old.map((one) => one.node)) this.#count(node, 1);
    if (better === undefined) {
      this.#failed.add(key);
      return false;
    }
    const rest = this.#nodes.filter((_, position) => !group.includes(position));
    this.#nodes = [...rest, ...better.map((node) => this.#rated(node))];
    this.#price += better.reduce((sum, node) => sum + node.priceUsdPerHour, -price);
    return true;
  }

  #rated(node: PackedNode): RatedNode {
    const byOffer = getOrMake(this.#kinds, node.contents, () => new Map());
    const kind = getOrMake(byOffer, `${node.column}:${node.zone}`, () => this.#kindCount++);
    let worth = 0;
    const { items, counts } = node.contents;
    for (const [position, item] of items.entries()) worth += (counts[position] ?? 0) * (this.#worth[item] ?? 0);
    return { node, kind, waste: node.priceUsdPerHour - worth };
  }

  #sort(): void {
    this.#nodes.sort((a, b) => b.waste - a.waste || a.kind - b.kind);
  }

  #count({ column, zone }: PackedNode, nodes: number): void {
    const bought = this.#problem.columns[column];
    if (bought !== undefined) this.#headroom.take(bought, zone, nodes);
  }
}
