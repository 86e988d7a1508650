import { Headroom } from "./headroom.ts";
import { addUnits, itemsBySize, type OpenNode, openNode, packedNode } from "./node-filling.ts";
import { cheapestZone, type Packing, type PackingProblem, packingOf } from "./problem.ts";

/** First-fit decreasing onto one column at a time, for the columns with the cheapest capacity: a candidate among others. */
export function* firstFitPackings(problem: PackingProblem, mostColumns: number): Generator<Packing> {
  for (const column of columnsByUnitPrice(problem).slice(0, mostColumns)) yield firstFit(problem, column);
}

function firstFit(problem: PackingProblem, preferred: number): Packing {
  const column = problem.columns[preferred];
  const headroom = new Headroom(problem);
  const nodes: OpenNode[] = [];
  const unplaced = new Int32Array(problem.items.length);
  for (const item of column === undefined ? [] : itemsBySize(problem, column)) {
    let left = problem.items[item]?.count ?? 0;
    for (const node of nodes) {
      if (left === 0) break;
      left -= addUnits(problem, node, item, left);
    }
    left = openNodes(problem, preferred, item, left, headroom, nodes);
    unplaced[item] = left;
  }
  return packingOf(nodes.map(packedNode), unplaced);
}

/** Opens nodes for what is left of an item; returns how many units no node took. */
function openNodes(
  problem: PackingProblem,
  columnIndex: number,
  item: number,
  wanted: number,
  headroom: Headroom,
  nodes: OpenNode[],
): number {
  const column = problem.columns[columnIndex];
  let left = wanted;
  while (left > 0 && column !== undefined) {
    const zone = cheapestZone(column, headroom.zonesLeft(column, problem.items[item]?.zoneMask ?? 0));
    if (zone === undefined) break;
    const node = openNode(problem, columnIndex, zone);
    const placed = addUnits(problem, node, item, left);
    if (placed === 0) break;
    left -= placed;
    nodes.push(node);
    headroom.take(column, zone, 1);
  }
  return left;
}

/** Columns by the price of the demand's own mix of resources, cheapest first; the few places of reservations come last. */
function columnsByUnitPrice(problem: PackingProblem): readonly number[] {
  const demand = problem.dimensions.map((_, dimension) =>
    problem.items.reduce((sum, item) => sum + item.count * (item.requests[dimension] ?? 0), 0),
  );
  const prices = problem.columns.map((column) => {
    const zone = cheapestZone(column, -1);
    const price = zone === undefined ? Number.POSITIVE_INFINITY : (column.zonePrices[zone] ?? Number.POSITIVE_INFINITY);
    // What a column has nothing of, it is not bought for.
    const nodesNeeded = demand.reduce((most, amount, dimension) => {
      const capacity = column.capacity[dimension] ?? 0;
      return capacity > 0 ? Math.max(most, amount / capacity) : most;
    }, 0);
    return price * nodesNeeded;
  });
  return [...prices.keys()]
    .filter((column) => Number.isFinite(prices[column]))
    .sort((a, b) => isReserved(problem, a) - isReserved(problem, b) || (prices[a] ?? 0) - (prices[b] ?? 0) || a - b);
}

function isReserved(problem: PackingProblem, column: number): number {
  return Number(problem.columns[column]?.reservation !== undefined);
}
