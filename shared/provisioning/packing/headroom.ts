import type { PackingColumn, PackingProblem } from "./problem.ts";

/** What NodePools may still add and capacity reservations still hold, counted down while one packing is built. */
export class Headroom {
  readonly #byPool: readonly Float64Array[];
  readonly #byReservation: Float64Array;

  constructor(problem: PackingProblem) {
    this.#byPool = problem.pools.map((pool) => Float64Array.from(pool.headroom));
    this.#byReservation = Float64Array.from(problem.reservations ?? [], ({ nodes }) => nodes);
  }

  /** How many nodes of this column its pool, and its reservation, can still take. */
  nodesLeft(column: PackingColumn): number {
    const headroom = this.#byPool[column.pool];
    if (headroom === undefined) return 0;
    let nodes = this.#placesLeft(column);
    for (let dimension = 0; dimension < headroom.length; dimension++) {
      const use = column.limitUse[dimension] ?? 0;
      const left = headroom[dimension] ?? 0;
      if (left === Number.POSITIVE_INFINITY) continue;
      if (left < 0) return 0;
      if (use > 0) nodes = Math.min(nodes, Math.floor(left / use));
    }
    return nodes;
  }

  /** Counts `nodes` nodes of a column; a negative number gives them back. */
  take(column: PackingColumn, nodes: number): void {
    if (column.reservation !== undefined) {
      this.#byReservation[column.reservation] = (this.#byReservation[column.reservation] ?? 0) - nodes;
    }
    const headroom = this.#byPool[column.pool];
    if (headroom === undefined) return;
    for (let dimension = 0; dimension < headroom.length; dimension++) {
      headroom[dimension] = (headroom[dimension] ?? 0) - nodes * (column.limitUse[dimension] ?? 0);
    }
  }

  #placesLeft({ reservation }: PackingColumn): number {
    return reservation === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, this.#byReservation[reservation] ?? 0);
  }
}
