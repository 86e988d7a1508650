import { getOrMake } from "../get-or-make.ts";
import type { NodeRule, PackingItem, PackingProblem, ZoneShares } from "./problem.ts";

/** A problem of its own within a larger one, with the indexes that its items and columns have there. */
export interface ProblemPart {
  readonly problem: PackingProblem;
  readonly items: readonly number[];
  readonly columns: readonly number[];
}

/** What ties items together: columns that take both; for a packing also limits, caps and reservations that both may use. */
export type PartTie = "columns" | "columns and headroom";

/**
 * Splits a problem into the parts that have nothing to do with one another, so that each may be packed, or bounded, alone. Items that
 * no column takes both of never share a node, so no rule about sharing one ties them. In the order of their first columns.
 */
export function independentParts(problem: PackingProblem, tie: PartTie): readonly ProblemPart[] {
  const takers = firstTakers(problem);
  const groups = itemGroups(problem, takers, tie);
  if (groups.length === 1) {
    return [{ problem, items: [...problem.items.keys()], columns: [...problem.columns.keys()] }];
  }
  const groupOfItem = new Int32Array(problem.items.length);
  groups.forEach((group, index) => {
    for (const item of group) groupOfItem[item] = index;
  });
  const columns = groups.map(() => new Set<number>());
  for (const first of takers.first) {
    first.forEach((item, column) => {
      if (item >= 0) columns[groupOfItem[item] ?? 0]?.add(column);
    });
  }
  return groups
    .map((items, index) => partOf(problem, items, [...(columns[index] ?? [])].sort(ascending)))
    .sort((a, b) => (a.columns[0] ?? 0) - (b.columns[0] ?? 0) || (a.items[0] ?? 0) - (b.items[0] ?? 0));
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** Who takes part in a column: nodes of one column in zones that no item has in common are as good as nodes of two. */
interface Takers {
  /** By item, the number of its set of zones. */
  readonly zoneSetOfItem: Int32Array;
  /** By set of zones and column, the first item, or -1. */
  readonly first: readonly Int32Array[];
}

function firstTakers({ items, columns }: PackingProblem): Takers {
  const sets = disjointZoneSets(items);
  const zoneSetOfItem = Int32Array.from(items, ({ zoneMask }) =>
    Math.max(
      0,
      sets.findIndex((set) => (set & zoneMask) !== 0),
    ),
  );
  const first = Array.from({ length: Math.max(1, sets.length) }, () => new Int32Array(columns.length).fill(-1));
  for (const [index, { accepts }] of items.entries()) {
    const ofSet = first[zoneSetOfItem[index] ?? 0] ?? new Int32Array();
    for (let column = 0; column < ofSet.length; column++) {
      if (accepts[column] === 1 && ofSet[column] === -1) ofSet[column] = index;
    }
  }
  return { zoneSetOfItem, first };
}

/** Zones that some item may choose between are in one set. */
function disjointZoneSets(items: readonly PackingItem[]): readonly number[] {
  let sets: readonly number[] = [];
  for (const zoneMask of new Set(items.map((item) => item.zoneMask))) {
    if (zoneMask === 0) continue;
    const joined = sets.filter((set) => (set & zoneMask) !== 0).reduce((all, set) => all | set, zoneMask);
    sets = [...sets.filter((set) => (set & zoneMask) === 0), joined];
  }
  return sets;
}

function itemGroups(
  problem: PackingProblem,
  { zoneSetOfItem, first }: Takers,
  tie: PartTie,
): readonly (readonly number[])[] {
  const groups = new Groups(problem.items.length);
  for (const [index, { accepts }] of problem.items.entries()) {
    const ofSet = first[zoneSetOfItem[index] ?? 0] ?? new Int32Array();
    for (let column = 0; column < ofSet.length; column++) {
      if (accepts[column] === 1) groups.join(index, ofSet[column] ?? index);
    }
  }
  if (tie === "columns and headroom") joinByHeadroom(problem, first, groups);
  return groups.all();
}

/** Items whose columns count against the same limit or cap, or take places of the same reservation. */
function joinByHeadroom(problem: PackingProblem, first: Takers["first"], groups: Groups): void {
  const isLimited = problem.pools.map(({ headroom }) => headroom.some(Number.isFinite));
  const ofPool = new Map<number, number>();
  const ofReservation = new Map<number, number>();
  const ofCap = new Map<number, number>();
  for (const [index, { pool, reservation, capsByZone = [] }] of problem.columns.entries()) {
    for (const item of first.flatMap((ofSet) => ofSet[index] ?? [])) {
      if (item < 0) continue;
      if (isLimited[pool]) groups.join(item, firstSeen(ofPool, pool, item));
      if (reservation !== undefined) groups.join(item, firstSeen(ofReservation, reservation, item));
      for (const cap of capsByZone.flat()) groups.join(item, firstSeen(ofCap, cap, item));
    }
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
    items: withAccepts(
      items.flatMap((item) => problem.items[item] ?? []),
      columns,
    ),
    // Copies: what is remembered of a column is in terms of its problem's items.
    columns: columns
      .flatMap((column) => problem.columns[column] ?? [])
      .map((column) => ({ ...column, pool: indexOfPool.get(column.pool) ?? -1 })),
    pools: pools.flatMap((pool) => problem.pools[pool] ?? []),
    rules: problem.rules.flatMap((rule) => ruleOf(rule, items, pools)),
    ...(problem.zoneShares && { zoneShares: problem.zoneShares.map((shares) => sharesAmong(shares, items)) }),
  };
  return { problem: part, items, columns };
}

/** Items go on sharing the arrays of what they accept. */
function withAccepts(items: readonly PackingItem[], columns: readonly number[]): readonly PackingItem[] {
  const known = new Map<Uint8Array, Uint8Array>();
  return items.map((item) => ({
    ...item,
    accepts: getOrMake(known, item.accepts, () => Uint8Array.from(columns, (column) => item.accepts[column] ?? 0)),
  }));
}

function sharesAmong(shares: ZoneShares, items: readonly number[]): ZoneShares {
  return { ...shares, items: Uint8Array.from(items, (item) => shares.items[item] ?? 0) };
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
      const listOfItem = Int32Array.from(items, (item) => rule.listOfItem[item] ?? -1);
      const lists = new Set(listOfItem);
      const holders = rule.holders.filter(({ accepts }) => [...lists].some((list) => accepts[list] === 1));
      return [{ ...rule, pool, leastOfItem, listOfItem, holders }];
    }
  }
}
