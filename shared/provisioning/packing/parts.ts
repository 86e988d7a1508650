import type { NodeRule, PackingItem, PackingProblem } from "./problem.ts";

/** A problem of its own within a larger one, with the indexes that its items and columns have there. */
export interface ProblemPart {
  readonly problem: PackingProblem;
  readonly items: readonly number[];
  readonly columns: readonly number[];
}

/** What ties items together: columns that take both; for a packing also limits and reservations that both may use. */
export type PartTie = "columns" | "columns and headroom";

/**
 * Splits a problem into the parts that have nothing to do with one another, so that each may be packed, or bounded, alone. Items that
 * no column takes both of never share a node, so no rule about sharing one ties them. In the order of their first columns.
 */
export function independentParts(problem: PackingProblem, tie: PartTie): readonly ProblemPart[] {
  const groups = itemGroups(problem, tie);
  if (groups.length === 1) {
    return [{ problem, items: [...problem.items.keys()], columns: [...problem.columns.keys()] }];
  }
  const groupOfItem = new Int32Array(problem.items.length);
  groups.forEach((group, index) => {
    for (const item of group) groupOfItem[item] = index;
  });
  const columns: number[][] = groups.map(() => []);
  firstTakers(problem).forEach((item, column) => {
    if (item >= 0) columns[groupOfItem[item] ?? 0]?.push(column);
  });
  return groups
    .map((items, index) => partOf(problem, items, columns[index] ?? []))
    .sort((a, b) => (a.columns[0] ?? 0) - (b.columns[0] ?? 0) || (a.items[0] ?? 0) - (b.items[0] ?? 0));
}

/** By column, the first item that it takes, or -1. */
function firstTakers({ items, columns }: PackingProblem): Int32Array {
  const first = new Int32Array(columns.length).fill(-1);
  for (const [index, { accepts }] of items.entries()) {
    for (let column = 0; column < first.length; column++) {
      if (accepts[column] === 1 && first[column] === -1) first[column] = index;
    }
  }
  return first;
}

function itemGroups(problem: PackingProblem, tie: PartTie): readonly (readonly number[])[] {
  const groups = new Groups(problem.items.length);
  const first = firstTakers(problem);
  for (const [index, { accepts }] of problem.items.entries()) {
    for (let column = 0; column < first.length; column++) {
      if (accepts[column] === 1) groups.join(index, first[column] ?? index);
    }
  }
  if (tie === "columns and headroom") joinByHeadroom(problem, first, groups);
  return groups.all();
}

/** Items whose columns count against the same limit, or take places of the same reservation. */
function joinByHeadroom(problem: PackingProblem, first: Int32Array, groups: Groups): void {
  const isLimited = problem.pools.map(({ headroom }) => headroom.some(Number.isFinite));
  const ofPool = new Map<number, number>();
  const ofReservation = new Map<number, number>();
  for (const [index, { pool, reservation }] of problem.columns.entries()) {
    const item = first[index] ?? -1;
    if (item < 0) continue;
    if (isLimited[pool]) groups.join(item, firstSeen(ofPool, pool, item));
    if (reservation !== undefined) groups.join(item, firstSeen(ofReservation, reservation, item));
  }
}

function firstSeen(seen: Map<number, number>, key: number, item: number): number {
  const known = seen.get(key) ?? item;
  seen.set(key, known);
  return known;
}

/** Union-find. */
class Groups {
  readonly #parent: Int32Array;

  constructor(size: number) {
    this.#parent = Int32Array.from({ length: size }, (_, index) => index);
  }

  join(a: number, b: number): void {
    const [rootA, rootB] = [this.#rootOf(a), this.#rootOf(b)];
    if (rootA !== rootB) this.#parent[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
  }

  /** In the order of their first members. */
  all(): readonly (readonly number[])[] {
    return [...Map.groupBy(this.#parent.keys(), (index) => this.#rootOf(index)).values()];
  }

  #rootOf(index: number): number {
    let root = index;
    for (;;) {
      const parent = this.#parent[root] ?? root;
      if (parent === root) return root;
      this.#parent[root] = this.#parent[parent] ?? parent;
      root = parent;
    }
  }
}

function partOf(problem: PackingProblem, items: readonly number[], columns: readonly number[]): ProblemPart {
  const pools = [...new Set(columns.map((column) => problem.columns[column]?.pool ?? -1))].sort((a, b) => a - b);
  const indexOfPool = new Map(pools.map((pool, index) => [pool, index]));
  const part: PackingProblem = {
    ...problem,
    items: items.flatMap((item) => problem.items[item] ?? []).map((item) => withAccepts(item, columns)),
    // Copies: what is remembered of a column is in terms of its problem's items.
    columns: columns
      .flatMap((column) => problem.columns[column] ?? [])
      .map((column) => ({ ...column, pool: indexOfPool.get(column.pool) ?? -1 })),
    pools: pools.flatMap((pool) => problem.pools[pool] ?? []),
    rules: problem.rules.flatMap((rule) => ruleOf(rule, items, pools)),
  };
  return { problem: part, items, columns };
}

function withAccepts(item: PackingItem, columns: readonly number[]): PackingItem {
  return { ...item, accepts: Uint8Array.from(columns, (column) => item.accepts[column] ?? 0) };
}

/** What a rule says about these items in these pools; nothing where it is about others. */
function ruleOf(rule: NodeRule, items: readonly number[], pools: readonly number[]): readonly NodeRule[] {
  switch (rule.kind) {
    case "spread":
    case "anti-affinity": {
      if (items.every((item) => rule.owns[item] !== 1)) return [];
      const matches = Int32Array.from(items, (item) => rule.matches[item] ?? 0);
      return [{ ...rule, matches, owns: Uint8Array.from(items, (item) => rule.owns[item] ?? 0) }];
    }
    case "label":
      return [
        {
          ...rule,
          valuesOfItem: items.map((item) => rule.valuesOfItem[item] ?? 0n),
          valuesOfPool: pools.map((pool) => rule.valuesOfPool[pool] ?? 0n),
        },
      ];
    case "attachments": {
      const volumesOfItem = items.map((item) => rule.volumesOfItem[item] ?? 0n);
      return volumesOfItem.every((volumes) => volumes === 0n) ? [] : [{ ...rule, volumesOfItem }];
    }
    case "min-values": {
      const pool = pools.indexOf(rule.pool);
      if (pool === -1) return [];
      const leastOfItem = Float64Array.from(items, (item) => rule.leastOfItem[item] ?? 0);
      const holders = rule.holders
        .filter(({ accepts }) => items.some((item) => accepts[item] === 1))
        .map((holder) => ({ ...holder, accepts: Uint8Array.from(items, (item) => holder.accepts[item] ?? 0) }));
      return [{ ...rule, pool, leastOfItem, holders }];
    }
  }
}
