import { Headroom } from "./headroom.ts";
import { addUnits, openNode } from "./node-filling.ts";
import type { PackedNode, Packing, PackingProblem } from "./problem.ts";

/** Replaces each node by the cheapest column and zone that holds the same contents. */
export function rightSize(problem: PackingProblem, packing: Packing): Packing {
  const headroom = new Headroom(problem);
  for (const node of packing.nodes) {
    const column = problem.columns[node.column];
    if (column !== undefined) headroom.take(column, 1);
  }
  const holders = new Map<string, readonly PackedNode[]>();
  const nodes = packing.nodes.map((node) => {
    const key = `${node.column}/${node.zone}/${node.units.join()}`;
    const cheaper = holders.get(key) ?? cheaperHolders(problem, node);
    holders.set(key, cheaper);
    return exchange(problem, node, cheaper, headroom);
  });
  return { ...packing, nodes, priceUsdPerHour: nodes.reduce((sum, node) => sum + node.priceUsdPerHour, 0) };
}

/** Nodes that hold the same contents for less, cheapest first. */
function cheaperHolders(problem: PackingProblem, node: PackedNode): readonly PackedNode[] {
  const cheaper: PackedNode[] = [];
  for (const [columnIndex, column] of problem.columns.entries()) {
    for (const [zone, price] of column.zonePrices.entries()) {
      if (price < node.priceUsdPerHour && holds(problem, columnIndex, zone, node.units)) {
        cheaper.push({ column: columnIndex, zone, units: node.units, priceUsdPerHour: price });
      }
    }
  }
  return cheaper.sort((a, b) => a.priceUsdPerHour - b.priceUsdPerHour || a.column - b.column || a.zone - b.zone);
}

/** The first of the cheaper nodes that its pool's limits admit in the place of this one. */
function exchange(
  problem: PackingProblem,
  node: PackedNode,
  cheaper: readonly PackedNode[],
  headroom: Headroom,
): PackedNode {
  const present = problem.columns[node.column];
  if (present === undefined) return node;
  headroom.take(present, -1);
  const chosen = cheaper.find((other) => {
    const column = problem.columns[other.column];
    return column !== undefined && headroom.nodesLeft(column) > 0;
  });
  headroom.take(problem.columns[chosen?.column ?? node.column] ?? present, 1);
  return chosen ?? node;
}

/** Whether one node of this column in this zone could hold these contents. */
export function holds(problem: PackingProblem, columnIndex: number, zone: number, units: Int32Array): boolean {
  const node = openNode(problem, columnIndex, zone);
  return units.every((wanted, item) => wanted === 0 || addUnits(problem, node, item, wanted) === wanted);
}
