import { Headroom } from "./headroom.ts";
import { reachesMinValues } from "./min-values.ts";
import {
  countBits,
  demandOf,
  type NodeRule,
  type PackedNode,
  type Packing,
  type PackingColumn,
  type PackingProblem,
} from "./problem.ts";

/** Replaces nodes by the cheapest column and zone that holds the same contents. Remembers what it found for contents it has met. */
export class RightSizer {
  readonly #problem: PackingProblem;
  /** By the array of units: patterns that are used many times share it. */
  readonly #cheaper = new WeakMap<Int32Array, readonly PackedNode[]>();

  /** Only limits and reservations can forbid the cheapest. */
  readonly #most: number;

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    const isLimited =
      (problem.reservations ?? []).length > 0 || problem.pools.some(({ headroom }) => headroom.some(Number.isFinite));
    this.#most = isLimited ? Number.POSITIVE_INFINITY : 1;
  }

  fit(packing: Packing): Packing {
    const headroom = new Headroom(this.#problem);
    for (const node of packing.nodes) this.#take(headroom, node, 1);
    const nodes = packing.nodes.map((node) => this.#exchange(node, headroom));
    return { ...packing, nodes, priceUsdPerHour: nodes.reduce((sum, node) => sum + node.priceUsdPerHour, 0) };
  }

  /** The first of the cheaper nodes that its pool's limits admit in the place of this one. */
  #exchange(node: PackedNode, headroom: Headroom): PackedNode {
    const cheaper = this.#cheaper.get(node.units) ?? cheaperHolders(this.#problem, node, this.#most);
    this.#cheaper.set(node.units, cheaper);
    this.#take(headroom, node, -1);
    const chosen =
      cheaper.find((other) => {
        const column = this.#problem.columns[other.column];
        return column !== undefined && headroom.nodesLeft(column) > 0;
      }) ?? node;
    this.#take(headroom, chosen, 1);
    return chosen;
  }

  #take(headroom: Headroom, node: PackedNode, nodes: number): void {
    const column = this.#problem.columns[node.column];
    if (column !== undefined) headroom.take(column, nodes);
  }
}

/** The `most` cheapest nodes, of any pool, that hold the same contents for less. */
function cheaperHolders(problem: PackingProblem, node: PackedNode, most: number): readonly PackedNode[] {
  const contents = contentsOf(problem, node.units);
  const cheaper: PackedNode[] = [];
  for (const { column, zone, price } of pricesOf(problem)) {
    if (price >= node.priceUsdPerHour || cheaper.length >= most) break;
    if (couldHold(problem, contents, column, zone)) {
      cheaper.push({ column, zone, units: node.units, priceUsdPerHour: price });
    }
  }
  return cheaper;
}

interface Price {
  readonly column: number;
  readonly zone: number;
  readonly price: number;
}

/** All that is sold, cheapest first. */
function pricesOf({ columns }: PackingProblem): readonly Price[] {
  const known = pricesByColumns.get(columns);
  if (known !== undefined) return known;
  const prices = columns
    .flatMap((column, index) => [...column.zonePrices].map((price, zone) => ({ column: index, zone, price })))
    .filter(({ price }) => Number.isFinite(price))
    .sort((a, b) => a.price - b.price || a.column - b.column || a.zone - b.zone);
  pricesByColumns.set(columns, prices);
  return prices;
}

/** Problems that differ in their items alone share their columns. */
const pricesByColumns = new WeakMap<PackingProblem["columns"], readonly Price[]>();

/** What any node that is to hold certain units must offer. */
interface Contents {
  readonly units: Int32Array;
  readonly items: readonly number[];
  readonly demand: Float64Array;
  readonly zoneMask: number;
}

function contentsOf(problem: PackingProblem, units: Int32Array): Contents {
  const items = [...units.keys()].filter((item) => (units[item] ?? 0) > 0);
  return {
    units,
    items,
    demand: demandOf(problem, units),
    zoneMask: items.reduce((mask, item) => mask & (problem.items[item]?.zoneMask ?? 0), -1),
  };
}

/** Units that share a node already keep the rules among themselves: only what differs from column to column is asked. */
function couldHold(problem: PackingProblem, contents: Contents, columnIndex: number, zone: number): boolean {
  const column = problem.columns[columnIndex];
  if (column === undefined || (contents.zoneMask & (1 << zone)) === 0) return false;
  for (let dimension = 0; dimension < contents.demand.length; dimension++) {
    if ((contents.demand[dimension] ?? 0) > (column.capacity[dimension] ?? 0)) return false;
  }
  if (!contents.items.every((item) => problem.items[item]?.accepts[columnIndex] === 1)) return false;
  return problem.rules.every((rule) => suits(problem, rule, contents, column));
}

function suits(
  problem: PackingProblem,
  rule: NodeRule,
  { items, demand, units }: Contents,
  { pool, capacity }: PackingColumn,
): boolean {
  switch (rule.kind) {
    case "min-values":
      return rule.pool !== pool || reachesMinValues(problem, rule, units, demand);
    case "label": {
      const ofPool = rule.valuesOfPool[pool] ?? 0n;
      return items.reduce((common, item) => common & (rule.valuesOfItem[item] ?? 0n), ofPool) !== 0n;
    }
    case "attachments": {
      const shared = items.reduce((volumes, item) => volumes | (rule.volumesOfItem[item] ?? 0n), 0n);
      return (demand[rule.dimension] ?? 0) + countBits(shared) <= (capacity[rule.dimension] ?? 0);
    }
    case "spread":
    case "anti-affinity":
      return true;
  }
}

/**
 * USD per hour of the cheapest node that holds these units; undefined when none does. Rules about which items may share a node are
 * not asked: the answer is right for units that may, and too low for others.
 */
export function cheapestHolder(problem: PackingProblem, units: Int32Array): number | undefined {
  const nothing: PackedNode = { column: -1, zone: -1, units, priceUsdPerHour: Number.POSITIVE_INFINITY };
  return cheaperHolders(problem, nothing, 1)[0]?.priceUsdPerHour;
}
