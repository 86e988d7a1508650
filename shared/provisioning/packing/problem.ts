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
  /** How many nodes certain offerings may have, by cap; see {@link PackingColumn.capsByZone}. */
  readonly offeringCaps?: OfferingCaps;
  /** For a lower bound, which leaves open which zones pods go to: how topology rules share them out. */
  readonly zoneShares?: readonly ZoneShares[];
}

/** How many units a topology rule has each zone get: within one of several ranges. */
export interface ZoneShares {
  /** By item: 1 when the rule is about its units, of which each counts one. */
  readonly items: Uint8Array;
  /** How many units there are of these items. */
  readonly units: number;
  readonly ranges: readonly ZoneRange[];
}

/** Numbers of units by zone, both ends included. */
export interface ZoneRange {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

export interface OfferingCaps {
  /** By cap. */
  readonly nodes: Float64Array;
  /** So many capped offerings always have room for a node among them: a column that so many others dominate is not needed. */
  readonly enough: number;
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
  /** USD per hour by zone, of the instance and all that comes with a node; `Infinity` where it is not to be had. */
  readonly zonePrices: Float64Array;
  /** What a node counts against its pool's limits, by limit dimension. */
  readonly limitUse: Float64Array;
  /** The reservation that its nodes take a place of. */
  readonly reservation?: number;
  /** Whether its nodes are spot nodes, which want other spot offerings that hold the same. */
  readonly isSpot?: boolean;
  /** By zone, the caps that a node there counts against. Absent: none. */
  readonly capsByZone?: readonly (readonly number[])[];
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
  /**
   * A NodePool's `minValues`: options that hold all on a node must offer so many distinct values, or zones. Or the nodes that
   * spot may take back: so many spot offerings must hold all on one.
   */
  | {
      readonly kind: "min-values";
      readonly pool: number;
      /** The node keeps to the least of its items' numbers. */
      readonly leastOfItem: Float64Array;
      /** By item, the number of the list of options that it accepts; -1 where it accepts none. */
      readonly listOfItem: Int32Array;
      readonly holders: readonly OptionHolder[];
      readonly counts: "values" | "zones" | "spot offerings";
    };

/** An option of a pool, pruned from the columns or not. */
export interface OptionHolder {
  readonly capacity: Float64Array;
  readonly zoneMask: number;
  /** By list of options, 1 when it is in it. */
  readonly accepts: Uint8Array;
  /** Numbers that stand for values. */
  readonly values: readonly number[];
  /** What a column must count against its pool's limits, at least, for its nodes to become this option; absent: nothing. */
  readonly limitUse?: Float64Array;
}

/** Units of the few items that one node has any of. */
export interface Contents {
  /** In ascending order. */
  readonly items: Int32Array;
  /** By position in `items`. */
  readonly counts: Int32Array;
}

/** A node with its contents. Nodes of the same contents may share these, but are objects of their own. */
export interface PackedNode {
  readonly column: number;
  readonly zone: number;
  readonly contents: Contents;
  readonly priceUsdPerHour: number;
}

export interface Packing {
  readonly nodes: readonly PackedNode[];
  /** Units by item that found no place. */
  readonly unplaced: Int32Array;
  readonly priceUsdPerHour: number;
}

/** A packing of these nodes, which leaves these units over. */
export function packingOf(nodes: readonly PackedNode[], unplaced: Int32Array): Packing {
  return { nodes, unplaced, priceUsdPerHour: nodes.reduce((sum, node) => sum + node.priceUsdPerHour, 0) };
}

/** Whether there is the same or more of everything: amounts by dimension, prices by zone. */
export function isAtLeast(a: Float64Array, b: Float64Array): boolean {
  for (let index = 0; index < b.length; index++) if ((a[index] ?? 0) < (b[index] ?? 0)) return false;
  return true;
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

/** Adds a node's units, so many times, to units by item. */
export function addContents(units: Int32Array, { items, counts }: Contents, times = 1): void {
  for (let position = 0; position < items.length; position++) {
    const item = items[position] ?? 0;
    units[item] = (units[item] ?? 0) + times * (counts[position] ?? 0);
  }
}

/** What a node's contents ask for together, by dimension. */
export function demandOfContents(problem: PackingProblem, { items, counts }: Contents): Float64Array {
  const demand = new Float64Array(problem.dimensions.length);
  for (let position = 0; position < items.length; position++) {
    const requests = problem.items[items[position] ?? -1]?.requests ?? new Float64Array();
    for (let dimension = 0; dimension < demand.length; dimension++) {
      demand[dimension] = (demand[dimension] ?? 0) + (counts[position] ?? 0) * (requests[dimension] ?? 0);
    }
  }
  return demand;
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
