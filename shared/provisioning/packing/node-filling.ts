import { getOrMake } from "../get-or-make.ts";
import type { MinValuesRule } from "./holder-table.ts";
import { LiveHolders } from "./min-values.ts";
import {
  type Contents,
  countBits,
  type NodeRule,
  type PackedNode,
  type PackingColumn,
  type PackingProblem,
} from "./problem.ts";
import { rulesOf } from "./rule-members.ts";
import { shapesOf } from "./shapes.ts";

/** One node being filled. Mutable, and private to the packer. */
export interface OpenNode {
  readonly column: PackingColumn;
  readonly columnIndex: number;
  readonly zone: number;
  readonly free: Float64Array;
  /** Of the items present: there are few of them, and many nodes. */
  readonly units: Map<number, number>;
  /** The items with units on it. */
  readonly present: number[];
  /** Under the rules that some of its items are under. */
  readonly counts: Map<NodeRule, RuleCount>;
  /** Of its pool's rules about what else could hold its units, as far as they were asked. */
  readonly holders: LiveHolders[];
}

/** An empty node of a column in a zone. */
export function openNode(problem: PackingProblem, columnIndex: number, zone: number): OpenNode {
  const column = problem.columns[columnIndex];
  if (column === undefined) throw new RangeError(`no column ${columnIndex}`);
  const free = Float64Array.from(column.capacity);
  return { column, columnIndex, zone, free, units: new Map(), present: [], counts: new Map(), holders: [] };
}

/** Units of each item on a node. */
export function unitsByItem({ items }: PackingProblem, { units }: OpenNode): Int32Array {
  const all = new Int32Array(items.length);
  for (const [item, count] of units) all[item] = count;
  return all;
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
        ? rule.pool === node.column.pool
          ? holdersOf(node, rule).mostUnits(problem, node, itemIndex, units)
          : units
        : Math.min(units, unitsAllowed(rule, node, itemIndex, item.requests));
  }
  if (units <= 0) return 0;
  put(problem, node, itemIndex, units);
  return units;
}

/** Puts contents on an empty node, which its rules are known to allow. */
export function putContents(problem: PackingProblem, node: OpenNode, { items, counts }: Contents): void {
  for (const [position, item] of items.entries()) put(problem, node, item, counts[position] ?? 0);
}

/** A node as it was filled, at its price. */
export function packedNode(node: OpenNode): PackedNode {
  const { column, columnIndex, zone } = node;
  const priceUsdPerHour = column.zonePrices[zone] ?? Number.POSITIVE_INFINITY;
  return { column: columnIndex, zone, contents: contentsOf(node), priceUsdPerHour };
}

function contentsOf({ present, units }: OpenNode): Contents {
  const items = Int32Array.from(present).sort();
  return { items, counts: items.map((item) => units.get(item) ?? 0) };
}

/** Fills a node, the largest first, with up to as many units of each item as there are in `available`. */
export function fillLargestFirst(problem: PackingProblem, node: OpenNode, available: Int32Array): void {
  const { items, least } = takersOf(problem, node);
  const shapes = shapesOf(problem);
  const isEmpty = node.present.length === 0;
  shapes.beginNode();
  for (let index = 0; index < items.length; index++) {
    const item = items[index] ?? -1;
    const count = available[item] ?? 0;
    if (count <= 0 || !shapes.mayFit(item, node.free)) continue;
    const wanted = isEmpty ? count : count - (node.units.get(item) ?? 0);
    if (wanted > 0 && addUnits(problem, node, item, wanted) > 0 && isFull(node, least)) return;
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

/** What else of its NodePool could hold a node's units, which it keeps open. */
function holdersOf(node: OpenNode, rule: MinValuesRule): LiveHolders {
  const known = node.holders.find((holders) => holders.rule === rule);
  if (known !== undefined) return known;
  const made = new LiveHolders(rule, node);
  node.holders.push(made);
  return made;
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

function spreadAllows(rule: Extract<NodeRule, { kind: "spread" }>, node: OpenNode, itemIndex: number): number {
  const matches = rule.matches[itemIndex] ?? 0;
  const owns = rule.owns[itemIndex] === 1;
  if (!owns && matches === 0) return Number.MAX_SAFE_INTEGER;
  const { matching, owners } = node.counts.get(rule) ?? noneCounted;
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
  const { matching, owners } = node.counts.get(rule) ?? noneCounted;
  if (owns && matching > 0) return 0;
  if (matches > 0 && owners > 0) return 0;
  return owns && matches > 0 ? 1 : Number.MAX_SAFE_INTEGER;
}

/** Pods on a node under one rule. */
interface RuleCount {
  matching: number;
  owners: number;
}

const noneCounted: RuleCount = { matching: 0, owners: 0 };

/** Puts units on a node that has room for them. */
function put(problem: PackingProblem, node: OpenNode, item: number, units: number): void {
  const before = node.units.get(item);
  if (before === undefined) node.present.push(item);
  node.units.set(item, (before ?? 0) + units);
  const requests = problem.items[item]?.requests ?? new Float64Array();
  for (let dimension = 0; dimension < node.free.length; dimension++) {
    node.free[dimension] = (node.free[dimension] ?? 0) - units * (requests[dimension] ?? 0);
  }
  for (const rule of rulesOf(problem, item)) {
    if (!("matches" in rule)) continue;
    const count = getOrMake(node.counts, rule, () => ({ matching: 0, owners: 0 }));
    count.matching += units * (rule.matches[item] ?? 0);
    count.owners += units * (rule.owns[item] ?? 0);
  }
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
