import { reachesMinValues } from "./min-values.ts";
import {
  type Contents,
  countBits,
  type NodeRule,
  type PackedNode,
  type PackingColumn,
  type PackingProblem,
} from "./problem.ts";

/** One node being filled. Mutable, and private to the packer. */
export interface OpenNode {
  readonly column: PackingColumn;
  readonly columnIndex: number;
  readonly zone: number;
  readonly free: Float64Array;
  readonly units: Int32Array;
  /** The items with units on it. */
  readonly present: number[];
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
    present: [],
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
  if (node.units[itemIndex] === 0) node.present.push(itemIndex);
  node.units[itemIndex] = (node.units[itemIndex] ?? 0) + units;
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    node.free[dimension] = (node.free[dimension] ?? 0) - units * (item.requests[dimension] ?? 0);
  }
  return units;
}

/** A node as it was filled, at its price. */
export function packedNode(node: OpenNode): PackedNode {
  const { column, columnIndex, zone } = node;
  const priceUsdPerHour = column.zonePrices[zone] ?? Number.POSITIVE_INFINITY;
  return { column: columnIndex, zone, contents: contentsOf(node), priceUsdPerHour };
}

function contentsOf({ present, units }: OpenNode): Contents {
  const items = Int32Array.from(present).sort();
  return { items, counts: items.map((item) => units[item] ?? 0) };
}

/** Fills a node, the largest first, with up to as many units of each item as there are in `available`. */
export function fillLargestFirst(problem: PackingProblem, node: OpenNode, available: Int32Array): void {
  const { items, least } = takersOf(problem, node);
  for (const item of items) {
    const wanted = (available[item] ?? 0) - (node.units[item] ?? 0);
    if (wanted <= 0) continue;
    if (addUnits(problem, node, item, wanted) > 0 && isFull(node, least)) return;
  }
}

function isFull({ free }: OpenNode, least: Float64Array): boolean {
  for (let dimension = 0; dimension < least.length; dimension++) {
    if ((free[dimension] ?? 0) < (least[dimension] ?? 0)) return true;
  }
  return false;
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
  switch (rule.kind) {
    case "attachments":
      return attachmentsAllow(rule, node, itemIndex, requests);
    case "label":
      return labelAllows(rule, node, itemIndex) ? Number.MAX_SAFE_INTEGER : 0;
    case "spread":
      return spreadAllows(rule, node, itemIndex);
    case "anti-affinity":
      return antiAffinityAllows(rule, node, itemIndex);
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
  const items = node.present.includes(itemIndex) ? node.present : [...node.present, itemIndex];
  const used = Float64Array.from(node.column.capacity, (amount, index) => amount - (node.free[index] ?? 0));
  const reaches = (added: number) => {
    const demand = used.map((amount, dimension) => amount + added * (requests[dimension] ?? 0));
    return reachesMinValues(problem, rule, node.column, items, demand);
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
  { present, free }: OpenNode,
  itemIndex: number,
  requests: Float64Array,
): number {
  const own = requests[dimension] ?? 0;
  let shared = volumesOfItem[itemIndex] ?? 0n;
  if (own === 0 && shared === 0n) return Number.MAX_SAFE_INTEGER;
  for (const other of present) shared |= volumesOfItem[other] ?? 0n;
  const left = (free[dimension] ?? 0) - countBits(shared);
  if (left < 0) return 0;
  return own === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(left / own);
}

/** Whether some value of the label suits the pool, all that is present and the item. */
function labelAllows(
  rule: Extract<NodeRule, { kind: "label" }>,
  { present, column }: OpenNode,
  itemIndex: number,
): boolean {
  let common = (rule.valuesOfPool[column.pool] ?? 0n) & (rule.valuesOfItem[itemIndex] ?? 0n);
  for (const other of present) common &= rule.valuesOfItem[other] ?? 0n;
  return common !== 0n;
}

type CountingRule = Extract<NodeRule, { kind: "spread" | "anti-affinity" }>;

function spreadAllows(rule: Extract<NodeRule, { kind: "spread" }>, node: OpenNode, itemIndex: number): number {
  const matches = rule.matches[itemIndex] ?? 0;
  const owns = rule.owns[itemIndex] === 1;
  if (!owns && matches === 0) return Number.MAX_SAFE_INTEGER;
  const { matching, owners } = countPresent(rule, node);
  if (!owns && owners === 0) return Number.MAX_SAFE_INTEGER;
  if (matches === 0) return matching <= rule.max ? Number.MAX_SAFE_INTEGER : 0;
  return Math.floor((rule.max - matching) / matches);
}

function antiAffinityAllows(
  rule: Extract<NodeRule, { kind: "anti-affinity" }>,
  node: OpenNode,
  itemIndex: number,
): number {
  const matches = rule.matches[itemIndex] ?? 0;
  const owns = rule.owns[itemIndex] === 1;
  if (!owns && matches === 0) return Number.MAX_SAFE_INTEGER;
  const { matching, owners } = countPresent(rule, node);
  if (owns && matching > 0) return 0;
  if (matches > 0 && owners > 0) return 0;
  return owns && matches > 0 ? 1 : Number.MAX_SAFE_INTEGER;
}

function countPresent(rule: CountingRule, { present, units: unitsOf }: OpenNode): { matching: number; owners: number } {
  let matching = 0;
  let owners = 0;
  for (const other of present) {
    const units = unitsOf[other] ?? 0;
    matching += units * (rule.matches[other] ?? 0);
    owners += units * (rule.owns[other] ?? 0);
  }
  return { matching, owners };
}

/** The items that a node of this column in this zone may take at all, in the order of {@link itemsBySize}. */
export function itemsFor(problem: PackingProblem, node: OpenNode): Int32Array {
  return takersOf(problem, node).items;
}

interface Takers {
  readonly items: Int32Array;
  /** By dimension, the least that any of them asks for. */
  readonly least: Float64Array;
}

function takersOf(problem: PackingProblem, { column, columnIndex, zone }: OpenNode): Takers {
  const byZone = takers.get(column) ?? new Map<number, Takers>();
  takers.set(column, byZone);
  const known = byZone.get(zone);
  if (known !== undefined) return known;
  const items = itemsBySize(problem, column).filter((index) => {
    const item = problem.items[index];
    return item !== undefined && item.accepts[columnIndex] === 1 && (item.zoneMask & (1 << zone)) !== 0;
  });
  const least = column.capacity.map((_, dimension) =>
    items.reduce(
      (lowest, item) => Math.min(lowest, problem.items[item]?.requests[dimension] ?? 0),
      Number.POSITIVE_INFINITY,
    ),
  );
  const made = { items, least };
  byZone.set(zone, made);
  return made;
}

const takers = new WeakMap<PackingColumn, Map<number, Takers>>();

/** Item indexes by the largest share of this column's capacity that one unit takes in any dimension, largest first. */
export function itemsBySize(problem: PackingProblem, column: PackingColumn): Int32Array {
  const known = orders.get(column);
  if (known !== undefined) return known;
  const sizes = Float64Array.from(problem.items, ({ requests }) => {
    let size = 0;
    for (let dimension = 0; dimension < column.capacity.length; dimension++) {
      const available = column.capacity[dimension] ?? 0;
      if (available > 0) size = Math.max(size, (requests[dimension] ?? 0) / available);
    }
    return size;
  });
  const order = Int32Array.from(sizes.keys()).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  orders.set(column, order);
  return order;
}

/** A column belongs to one problem, and its order is asked for at every node. */
const orders = new WeakMap<PackingColumn, Int32Array>();
