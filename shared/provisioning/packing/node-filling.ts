import type { NodeRule, PackingColumn, PackingProblem } from "./problem.ts";

/** One node being filled. Mutable, and private to the packer. */
export interface OpenNode {
  readonly column: PackingColumn;
  readonly columnIndex: number;
  readonly zone: number;
  readonly free: Float64Array;
  readonly units: Int32Array;
}

export function openNode(problem: PackingProblem, columnIndex: number, zone: number): OpenNode {
  const column = problem.columns[columnIndex];
  if (column === undefined) throw new RangeError(`no column ${columnIndex}`);
  return {
    column,
    columnIndex,
    zone,
    free: Float64Array.from(column.capacity),
    units: new Int32Array(problem.items.length),
  };
}

/** Adds up to `wanted` units of an item; returns how many fitted. */
export function addUnits(problem: PackingProblem, node: OpenNode, itemIndex: number, wanted: number): number {
  const item = problem.items[itemIndex];
  if (item === undefined || wanted <= 0 || item.accepts[node.columnIndex] !== 1) return 0;
  if ((item.zoneMask & (1 << node.zone)) === 0) return 0;
  let units = Math.min(wanted, unitsThatFit(item.requests, node.free));
  for (const rule of problem.rules) {
    if (units <= 0) return 0;
    units = Math.min(units, unitsAllowed(rule, node.units, itemIndex));
  }
  if (units <= 0) return 0;
  node.units[itemIndex] = (node.units[itemIndex] ?? 0) + units;
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    node.free[dimension] = (node.free[dimension] ?? 0) - units * (item.requests[dimension] ?? 0);
  }
  return units;
}

/** How many units of this size fit, by resources alone. */
export function unitsThatFit(requests: Float64Array, free: Float64Array): number {
  let units = Number.MAX_SAFE_INTEGER;
  for (let dimension = 0; dimension < requests.length; dimension++) {
    const request = requests[dimension] ?? 0;
    if (request > 0) units = Math.min(units, Math.floor((free[dimension] ?? 0) / request));
  }
  return units;
}

/** How many more units of an item a rule lets onto a node with these contents. */
function unitsAllowed(rule: NodeRule, present: Int32Array, itemIndex: number): number {
  switch (rule.kind) {
    case "exclusive":
      return colourAllows(rule.colours, present, itemIndex) ? Number.MAX_SAFE_INTEGER : 0;
    case "spread":
      return spreadAllows(rule, present, itemIndex);
    case "anti-affinity":
      return antiAffinityAllows(rule, present, itemIndex);
  }
}

function colourAllows(colours: Int32Array, present: Int32Array, itemIndex: number): boolean {
  const own = colours[itemIndex] ?? 0;
  if (own === 0) return true;
  for (let other = 0; other < present.length; other++) {
    const colour = colours[other] ?? 0;
    if ((present[other] ?? 0) > 0 && colour !== 0 && colour !== own) return false;
  }
  return true;
}

type CountingRule = Extract<NodeRule, { kind: "spread" | "anti-affinity" }>;

function spreadAllows(rule: Extract<NodeRule, { kind: "spread" }>, present: Int32Array, itemIndex: number): number {
  const matches = rule.matches[itemIndex] ?? 0;
  const owns = rule.owns[itemIndex] === 1;
  if (!owns && matches === 0) return Number.MAX_SAFE_INTEGER;
  const { matching, owners } = countPresent(rule, present);
  if (!owns && owners === 0) return Number.MAX_SAFE_INTEGER;
  if (matches === 0) return matching <= rule.max ? Number.MAX_SAFE_INTEGER : 0;
  return Math.floor((rule.max - matching) / matches);
}

function antiAffinityAllows(
  rule: Extract<NodeRule, { kind: "anti-affinity" }>,
  present: Int32Array,
  itemIndex: number,
): number {
  const matches = rule.matches[itemIndex] ?? 0;
  const owns = rule.owns[itemIndex] === 1;
  if (!owns && matches === 0) return Number.MAX_SAFE_INTEGER;
  const { matching, owners } = countPresent(rule, present);
  if (owns && matching > 0) return 0;
  if (matches > 0 && owners > 0) return 0;
  return owns && matches > 0 ? 1 : Number.MAX_SAFE_INTEGER;
}

function countPresent(rule: CountingRule, present: Int32Array): { matching: number; owners: number } {
  let matching = 0;
  let owners = 0;
  for (let other = 0; other < present.length; other++) {
    const units = present[other] ?? 0;
    if (units === 0) continue;
    matching += units * (rule.matches[other] ?? 0);
    owners += units * (rule.owns[other] ?? 0);
  }
  return { matching, owners };
}

/** Item indexes by the largest share of a node of this capacity that one unit takes in any dimension, largest first. */
export function itemsBySize(problem: PackingProblem, capacity: Float64Array): readonly number[] {
  const sizes = problem.items.map((item) => {
    let size = 0;
    for (let dimension = 0; dimension < capacity.length; dimension++) {
      const available = capacity[dimension] ?? 0;
      if (available > 0) size = Math.max(size, (item.requests[dimension] ?? 0) / available);
    }
    return size;
  });
  return [...sizes.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
}
