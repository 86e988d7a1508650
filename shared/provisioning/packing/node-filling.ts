import { reachesMinValues } from "./min-values.ts";
import { countBits, type NodeRule, type PackingColumn, type PackingProblem } from "./problem.ts";

/** One node being filled. Mutable, and private to the packer. */
export interface OpenNode {
  readonly column: PackingColumn;
  readonly columnIndex: number;
  readonly zone: number;
  readonly free: Float64Array;
  readonly units: Int32Array;
}

/** An empty node of a column in a zone. */
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
  for (const rule of rulesOf(problem, itemIndex)) {
    if (units <= 0) return 0;
    units =
      rule.kind === "min-values"
        ? mostUnitsReaching(problem, rule, node, itemIndex, units)
        : Math.min(units, unitsAllowed(rule, node, itemIndex, item.requests));
  }
  if (units <= 0) return 0;
  node.units[itemIndex] = (node.units[itemIndex] ?? 0) + units;
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    node.free[dimension] = (node.free[dimension] ?? 0) - units * (item.requests[dimension] ?? 0);
  }
  return units;
}

/** How many units of this size fit, by resources alone. */
function unitsThatFit(requests: Float64Array, free: Float64Array): number {
  let units = Number.MAX_SAFE_INTEGER;
  for (let dimension = 0; dimension < requests.length; dimension++) {
    const request = requests[dimension] ?? 0;
    if (request > 0) units = Math.min(units, Math.floor((free[dimension] ?? 0) / request));
  }
  return units;
}

/** The rules that say something about an item: most say nothing about most. */
function rulesOf(problem: PackingProblem, itemIndex: number): readonly NodeRule[] {
  let byItem = rulesByItem.get(problem.rules);
  if (byItem === undefined) {
    byItem = problem.items.map((_, item) => problem.rules.filter((rule) => concerns(rule, item)));
    rulesByItem.set(problem.rules, byItem);
  }
  return byItem[itemIndex] ?? [];
}

const rulesByItem = new WeakMap<readonly NodeRule[], readonly (readonly NodeRule[])[]>();

function concerns(rule: NodeRule, item: number): boolean {
  if (rule.kind !== "spread" && rule.kind !== "anti-affinity") return true;
  return (rule.matches[item] ?? 0) > 0 || rule.owns[item] === 1;
}

/** How many more units of an item a rule lets onto a node with these contents. */
function unitsAllowed(
  rule: Exclude<NodeRule, { kind: "min-values" }>,
  node: OpenNode,
  itemIndex: number,
  requests: Float64Array,
): number {
  const { units, column } = node;
  switch (rule.kind) {
    case "attachments":
      return attachmentsAllow(rule, node, itemIndex, requests);
    case "label":
      return labelAllows(rule, units, column.pool, itemIndex) ? Number.MAX_SAFE_INTEGER : 0;
    case "spread":
      return spreadAllows(rule, units, itemIndex);
    case "anti-affinity":
      return antiAffinityAllows(rule, units, itemIndex);
  }
}

/** The more units, the fewer options hold them all. */
function mostUnitsReaching(
  problem: PackingProblem,
  rule: Extract<NodeRule, { kind: "min-values" }>,
  node: OpenNode,
  itemIndex: number,
  most: number,
): number {
  if (node.column.pool !== rule.pool) return most;
  const requests = problem.items[itemIndex]?.requests ?? new Float64Array();
  const units = Int32Array.from(node.units);
  const present = units[itemIndex] ?? 0;
  const used = Float64Array.from(node.column.capacity, (amount, index) => amount - (node.free[index] ?? 0));
  const reaches = (added: number) => {
    units[itemIndex] = present + added;
    const demand = used.map((amount, dimension) => amount + added * (requests[dimension] ?? 0));
    return reachesMinValues(problem, rule, units, demand);
  };
  if (reaches(most)) return most;
  let [low, high] = [0, most - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (reaches(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The shared volumes take their part of a dimension of which `free` knows the others'. */
function attachmentsAllow(
  { dimension, volumesOfItem }: Extract<NodeRule, { kind: "attachments" }>,
  { units, free }: OpenNode,
  itemIndex: number,
  requests: Float64Array,
): number {
  const own = requests[dimension] ?? 0;
  let shared = volumesOfItem[itemIndex] ?? 0n;
  if (own === 0 && shared === 0n) return Number.MAX_SAFE_INTEGER;
  for (let other = 0; other < units.length; other++) if ((units[other] ?? 0) > 0) shared |= volumesOfItem[other] ?? 0n;
  const left = (free[dimension] ?? 0) - countBits(shared);
  if (left < 0) return 0;
  return own === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(left / own);
}

/** Whether some value of the label suits the pool, all that is present and the item. */
function labelAllows(
  rule: Extract<NodeRule, { kind: "label" }>,
  present: Int32Array,
  pool: number,
  itemIndex: number,
): boolean {
  let common = (rule.valuesOfPool[pool] ?? 0n) & (rule.valuesOfItem[itemIndex] ?? 0n);
  for (let other = 0; other < present.length && common !== 0n; other++) {
    if ((present[other] ?? 0) > 0) common &= rule.valuesOfItem[other] ?? 0n;
  }
  return common !== 0n;
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

/** The items that a node of this column in this zone may take at all, in the order of {@link itemsBySize}. */
export function itemsFor(problem: PackingProblem, node: OpenNode): readonly number[] {
  const byZone = takers.get(node.column) ?? new Map<number, readonly number[]>();
  takers.set(node.column, byZone);
  const known = byZone.get(node.zone);
  if (known !== undefined) return known;
  const items = itemsBySize(problem, node.column).filter((index) => {
    const item = problem.items[index];
    return item !== undefined && item.accepts[node.columnIndex] === 1 && (item.zoneMask & (1 << node.zone)) !== 0;
  });
  byZone.set(node.zone, items);
  return items;
}

const takers = new WeakMap<PackingColumn, Map<number, readonly number[]>>();

/** Item indexes by the largest share of this column's capacity that one unit takes in any dimension, largest first. */
export function itemsBySize(problem: PackingProblem, column: PackingColumn): readonly number[] {
  const known = orders.get(column);
  if (known !== undefined) return known;
  const sizes = problem.items.map((item) => {
    let size = 0;
    for (let dimension = 0; dimension < column.capacity.length; dimension++) {
      const available = column.capacity[dimension] ?? 0;
      if (available > 0) size = Math.max(size, (item.requests[dimension] ?? 0) / available);
    }
    return size;
  });
  const order = [...sizes.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  orders.set(column, order);
  return order;
}

/** A column belongs to one problem, and its order is asked for at every node. */
const orders = new WeakMap<PackingColumn, readonly number[]>();
