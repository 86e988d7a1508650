/**
 * The packing problem, stripped of Kubernetes: items with amounts per resource dimension go into columns, which cost money.
 * Everything is an index into an array, so that the inner loops touch numbers only.
 */
export interface PackingProblem {
  /** Names of the resource dimensions; amounts are in the units of `Resources`. */
  readonly dimensions: readonly string[];
  readonly zones: readonly string[];
  readonly items: readonly PackingItem[];
  readonly columns: readonly PackingColumn[];
  readonly rules: readonly NodeRule[];
  /** What each NodePool may still add, by limit dimension; `Infinity` where it has no limit. */
  readonly pools: readonly { readonly name: string; readonly headroom: Float64Array }[];
  readonly limitDimensions: readonly string[];
  /** Capacity reservations: how many nodes each still has room for, whichever pools they are of. */
  readonly reservations?: readonly { readonly name: string; readonly nodes: number }[];
}

/** A number of equal units, each a pod or a bundle of pods that must share a node. */
export interface PackingItem {
  readonly requests: Float64Array;
  readonly count: number;
  /** Bit z is set when zone z is allowed. */
  readonly zoneMask: number;
  /** By column: 1 when the column admits the item. */
  readonly accepts: Uint8Array;
}

/** A node one could buy: an instance type in a NodePool with a capacity type, in any of its zones. */
export interface PackingColumn {
  readonly name: string;
  readonly pool: number;
  /** Allocatable less DaemonSet overhead, by dimension. */
  readonly capacity: Float64Array;
  /** USD per hour by zone; `Infinity` where it is not to be had. */
  readonly zonePrices: Float64Array;
  /** What a node counts against its pool's limits, by limit dimension. */
  readonly limitUse: Float64Array;
  /** The reservation that its nodes take a place of. */
  readonly reservation?: number;
}

/** A rule about which items may share a node. Arrays are by item. */
export type NodeRule =
  /** Hostname spread: where an owner is present, at most `max` pods that match. */
  | { readonly kind: "spread"; readonly max: number; readonly matches: Int32Array; readonly owns: Uint8Array }
  /** Hostname anti-affinity: an owner shares its node with no other pod that matches. */
  | { readonly kind: "anti-affinity"; readonly matches: Int32Array; readonly owns: Uint8Array }
  /** A label that the node's type leaves open: bit v is set where value v suits. The node takes one that suits all on it. */
  | { readonly kind: "label"; readonly valuesOfItem: readonly bigint[]; readonly valuesOfPool: readonly bigint[] }
  /** Volumes that several items use: a node attaches each once, beside what a dimension counts already. One bit for each volume. */
  | { readonly kind: "attachments"; readonly dimension: number; readonly volumesOfItem: readonly bigint[] }
  /** A NodePool's `minValues`: options that hold all on a node must offer so many distinct values (where `isZone`, zones). */
  | {
      readonly kind: "min-values";
      readonly pool: number;
      /** The node keeps to the least of its items' numbers. */
      readonly leastOfItem: Float64Array;
      readonly holders: readonly OptionHolder[];
      readonly isZone: boolean;
    };

/** An option of a pool, pruned from the columns or not. */
export interface OptionHolder {
  readonly capacity: Float64Array;
  readonly zoneMask: number;
  /** By item. */
  readonly accepts: Uint8Array;
  /** Numbers that stand for values. */
  readonly values: readonly number[];
}

/** A node with its contents. */
export interface PackedNode {
  readonly column: number;
  readonly zone: number;
  /** Units by item. */
  readonly units: Int32Array;
  readonly priceUsdPerHour: number;
}

export interface Packing {
  readonly nodes: readonly PackedNode[];
  /** Units by item that found no place. */
  readonly unplaced: Int32Array;
  readonly priceUsdPerHour: number;
}

/** The cheapest zone of a column among the allowed ones; undefined when it is sold in none of them. */
export function cheapestZone(column: PackingColumn, zoneMask: number): number | undefined {
  let best: number | undefined;
  let bestPrice = Number.POSITIVE_INFINITY;
  for (let zone = 0; zone < column.zonePrices.length; zone++) {
    const price = column.zonePrices[zone] ?? Number.POSITIVE_INFINITY;
    if ((zoneMask & (1 << zone)) !== 0 && price < bestPrice) {
      best = zone;
      bestPrice = price;
    }
  }
  return best;
}

/** How many of these volumes there are. */
export function countBits(bits: bigint): number {
  let count = 0;
  for (let rest = bits; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

/** What these units by item ask for together, by dimension. */
export function demandOf(problem: PackingProblem, units: Int32Array): Float64Array {
  const demand = new Float64Array(problem.dimensions.length);
  for (let item = 0; item < units.length; item++) {
    const count = units[item] ?? 0;
    const requests = count === 0 ? undefined : problem.items[item]?.requests;
    if (requests === undefined) continue;
    for (let dimension = 0; dimension < demand.length; dimension++) {
      demand[dimension] = (demand[dimension] ?? 0) + count * (requests[dimension] ?? 0);
    }
  }
  return demand;
}

/** What all units of these items ask for together, by dimension. */
export function demandOfItems(problem: PackingProblem, items: readonly number[]): Float64Array {
  const units = new Int32Array(problem.items.length);
  for (const item of items) units[item] = problem.items[item]?.count ?? 0;
  return demandOf(problem, units);
}
