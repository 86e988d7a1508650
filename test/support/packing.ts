import type { Contents, NodeRule, Packing, PackingProblem } from "../../shared/provisioning/packing/problem.ts";

interface Setup {
  /** Pods by kind: CPU, memory, how many. */
  readonly items: readonly (readonly [cpu: number, memory: number, count: number])[];
  /** Nodes that one can buy: CPU, memory, price. */
  readonly columns: readonly (readonly [cpu: number, memory: number, priceUsdPerHour: number])[];
  readonly rules?: readonly NodeRule[];
  /** How many nodes the one NodePool may still add. */
  readonly nodesLeft?: number;
  /** By item, the zones it may be in; one zone by default. */
  readonly zoneMasks?: readonly number[];
  readonly zones?: readonly string[];
}

/** A packing problem of one NodePool whose nodes take every pod, at the same price in every zone. */
export function packingProblem({
  items,
  columns,
  rules = [],
  nodesLeft,
  zoneMasks,
  zones = ["a"],
}: Setup): PackingProblem {
  return {
    dimensions: ["cpu", "memory"],
    zones,
    items: items.map(([cpu, memory, count], index) => ({
      requests: Float64Array.of(cpu, memory),
      count,
      zoneMask: zoneMasks?.[index] ?? 1,
      accepts: Uint8Array.from(columns, () => 1),
    })),
    columns: columns.map(([cpu, memory, priceUsdPerHour]) => ({
      name: `${cpu}x${memory}`,
      pool: 0,
      capacity: Float64Array.of(cpu, memory),
      zonePrices: Float64Array.from(zones, () => priceUsdPerHour),
      limitUse: Float64Array.from(nodesLeft === undefined ? [] : [1]),
    })),
    rules,
    pools: [{ name: "pool", headroom: Float64Array.from(nodesLeft === undefined ? [] : [nodesLeft]) }],
    limitDimensions: nodesLeft === undefined ? [] : ["nodes"],
  };
}

/** Nobody shares a node with another of these items. */
export function apart(items: readonly number[], count: number): NodeRule {
  const chosen = Array.from({ length: count }, (_, item) => Number(items.includes(item)));
  return { kind: "anti-affinity", owns: Uint8Array.from(chosen), matches: Int32Array.from(chosen) };
}

/** Nodes as `name: units of each item`, sorted. */
export function nodesOf(problem: PackingProblem, { nodes }: Packing): readonly string[] {
  return nodes
    .map(({ column, contents }) => `${problem.columns[column]?.name}: ${unitsOf(problem, contents).join(" ")}`)
    .sort();
}

/** By item. */
export function unitsOf({ items }: PackingProblem, contents: Contents): readonly number[] {
  return items.map((_, item) => contents.counts[contents.items.indexOf(item)] ?? 0);
}

/** Of units by item. */
export function contentsOf(units: readonly number[]): Contents {
  const items = Int32Array.from(units.keys()).filter((item) => (units[item] ?? 0) > 0);
  return { items, counts: items.map((item) => units[item] ?? 0) };
}

/** A packing as it is written down in a test: by node the column, and the units of each item. */
export function packingOf(problem: PackingProblem, nodes: readonly (readonly [number, readonly number[]])[]): Packing {
  const packed = nodes.map(([column, units]) => ({
    column,
    zone: 0,
    contents: contentsOf(units),
    priceUsdPerHour: problem.columns[column]?.zonePrices[0] ?? Number.NaN,
  }));
  return {
    nodes: packed,
    unplaced: new Int32Array(problem.items.length),
    priceUsdPerHour: packed.reduce((sum, node) => sum + node.priceUsdPerHour, 0),
  };
}
