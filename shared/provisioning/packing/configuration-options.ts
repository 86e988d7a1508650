import { type CountingRule, comparedVectors, type MergedItem, mostOnNode } from "./configuration-items.ts";
import type { PackingProblem } from "./problem.ts";

/** A node that can be bought in one zone. */
export interface ConfigurationOption {
  readonly column: number;
  readonly zone: number;
  readonly kind: number;
  readonly price: number;
  /** By the dimensions of the items' sizes; no more than all that it may take asks for. */
  readonly capacity: Float64Array;
  /** Rows of the demand that it may serve, ascending. */
  readonly rows: Int32Array;
}

/** The options that no other one dominates: no dearer, as large, for the same items, in the same kind of zone. Cheapest first. */
export function optionsOf(
  problem: PackingProblem,
  items: readonly MergedItem[],
  kindOfZone: Int32Array,
  shared: readonly CountingRule[],
): readonly ConfigurationOption[] {
  const isApart = poolsMatter(problem);
  const kept: ConfigurationOption[] = [];
  for (const option of allOptions(problem, items, kindOfZone, shared)) {
    if (!kept.some((other) => dominates(problem, other, option, isApart))) kept.push(option);
  }
  return kept;
}

/** Whether a node of one pool may be refused what one of another is allowed. */
function poolsMatter(problem: PackingProblem): boolean {
  const isLimited = problem.pools.some(({ headroom }) => headroom.some(Number.isFinite));
  return isLimited || problem.rules.some(({ kind }) => kind === "label" || kind === "min-values");
}

function allOptions(
  problem: PackingProblem,
  items: readonly MergedItem[],
  kindOfZone: Int32Array,
  shared: readonly CountingRule[],
): readonly ConfigurationOption[] {
  const options = problem.columns.flatMap((column, index) => {
    const whole = Float64Array.from([...column.capacity, ...shared.map(mostOnNode)]);
    const byRows = new Map<string, ConfigurationOption>();
    for (const [zone, price] of column.zonePrices.entries()) {
      if (!Number.isFinite(price)) continue;
      const kind = kindOfZone[zone] ?? 0;
      const takers = [...items.keys()].filter(
        (item) => fits(items[item], whole) && takes(problem, items[item], index, zone),
      );
      const rows = Int32Array.from(takers, (item) => rowOf(items[item], kind));
      const key = rows.join();
      if (rows.length === 0 || (byRows.get(key)?.price ?? Number.POSITIVE_INFINITY) <= price) continue;
      byRows.set(key, { column: index, zone, kind, price, capacity: usableCapacity(whole, items, takers), rows });
    }
    return [...byRows.values()];
  });
  const nameOf = ({ column }: ConfigurationOption) => problem.columns[column]?.name ?? "";
  return options.sort(
    (a, b) =>
      a.price - b.price ||
      comparedVectors(b.capacity, a.capacity) ||
      (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a.zone - b.zone),
  );
}

function fits(item: MergedItem | undefined, capacity: Float64Array): boolean {
  return item?.sizes.every((size, dimension) => size <= (capacity[dimension] ?? 0) * (1 + 1e-9)) === true;
}

function takes(problem: PackingProblem, merged: MergedItem | undefined, column: number, zone: number): boolean {
  const index = merged?.members[0] ?? -1;
  const item = problem.items[index];
  if (item === undefined || item.accepts[column] !== 1 || (item.zoneMask & (1 << zone)) === 0) return false;
  const pool = problem.columns[column]?.pool ?? -1;
  return problem.rules.every(
    (rule) => rule.kind !== "label" || ((rule.valuesOfItem[index] ?? 0n) & (rule.valuesOfPool[pool] ?? 0n)) !== 0n,
  );
}

function rowOf(item: MergedItem | undefined, kind: number): number {
  const { rows = [], ranges } = item ?? {};
  return rows[ranges === undefined ? 0 : kind] ?? -1;
}

function usableCapacity(capacity: Float64Array, items: readonly MergedItem[], takers: readonly number[]): Float64Array {
  const usable = new Float64Array(capacity.length);
  for (const taker of takers) {
    const { sizes, mostPerNode } = items[taker] ?? { sizes: new Float64Array(), mostPerNode: 0 };
    for (let dimension = 0; dimension < usable.length; dimension++) {
      usable[dimension] = (usable[dimension] ?? 0) + mostPerNode * (sizes[dimension] ?? 0);
    }
  }
  return usable.map((most, dimension) => Math.min(most, capacity[dimension] ?? 0));
}

function dominates(
  { columns }: PackingProblem,
  better: ConfigurationOption,
  worse: ConfigurationOption,
  isApart: boolean,
): boolean {
  const [a, b] = [columns[better.column], columns[worse.column]];
  if (a === undefined || b === undefined || better.price > worse.price || better.kind !== worse.kind) return false;
  if (isApart && (a.pool !== b.pool || a.limitUse.some((use, index) => use > (b.limitUse[index] ?? 0)))) return false;
  if (a.reservation !== undefined && a.reservation !== b.reservation) return false;
  if (better.capacity.some((amount, dimension) => amount < (worse.capacity[dimension] ?? 0))) return false;
  return includesAll(better.rows, worse.rows);
}

/** Whether an ascending list has all entries of another. */
function includesAll(list: Int32Array, others: Int32Array): boolean {
  if (list.length < others.length) return false;
  let position = 0;
  for (const other of others) {
    while (position < list.length && (list[position] ?? 0) < other) position++;
    if (list[position] !== other) return false;
  }
  return true;
}
