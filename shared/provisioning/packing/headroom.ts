import type { PackingColumn, PackingProblem } from "./problem.ts";

/** What NodePools may still add and capacity reservations and capped offerings still hold, counted down while one packing is built. */
export class Headroom {
  readonly #byPool: readonly Float64Array[];
  readonly #byReservation: Float64Array;
  readonly #byCap: Float64Array;
  /** Whether there is anything to count down at all. */
  readonly isLimited: boolean;

  constructor(problem: PackingProblem) {
    this.#byPool = problem.pools.map((pool) => Float64Array.from(pool.headroom));
    this.#byReservation = Float64Array.from(problem.reservations ?? [], ({ nodes }) => nodes);
    this.#byCap = Float64Array.from(problem.offeringCaps?.nodes ?? []);
    this.isLimited =
      this.#byReservation.length > 0 ||
      this.#byCap.length > 0 ||
      problem.pools.some(({ headroom }) => headroom.some(Number.isFinite));
  }

  /** How many nodes of this column in this zone its pool, its reservation and its caps can still take. */
  nodesLeft(column: PackingColumn, zone: number): number {
    let nodes = this.#poolLeft(column);
    for (const cap of column.capsByZone?.[zone] ?? none) nodes = Math.min(nodes, Math.max(0, this.#byCap[cap] ?? 0));
    return nodes;
  }

  /** Of these zones, those in which a node of this column can still be bought. */
  zonesLeft(column: PackingColumn, zoneMask: number): number {
    if (zoneMask === 0 || this.#poolLeft(column) === 0) return 0;
    if (column.capsByZone === undefined) return zoneMask;
    let left = zoneMask;
    for (const [zone, caps] of column.capsByZone.entries()) {
      for (const cap of caps) if ((this.#byCap[cap] ?? 0) < 1) left &= ~(1 << zone);
    }
    return left;
  }

  /** Counts `nodes` nodes of a column in a zone; a negative number gives them back. */
  take(column: PackingColumn, zone: number, nodes: number): void {
    if (column.reservation !== undefined) {
      this.#byReservation[column.reservation] = (this.#byReservation[column.reservation] ?? 0) - nodes;
    }
    for (const cap of column.capsByZone?.[zone] ?? none) this.#byCap[cap] = (this.#byCap[cap] ?? 0) - nodes;
    const headroom = this.#byPool[column.pool];
    if (headroom === undefined) return;
    for (let dimension = 0; dimension < headroom.length; dimension++) {
      headroom[dimension] = (headroom[dimension] ?? 0) - nodes * (column.limitUse[dimension] ?? 0);
    }
  }

  /** Whether nodes of all these offers together can still be bought. */
  hasRoomFor(offers: readonly { readonly column: PackingColumn; readonly zone: number }[]): boolean {
    if (!this.isLimited) return true;
    let taken = 0;
    for (const { column, zone } of offers) {
      if (this.nodesLeft(column, zone) < 1) break;
      this.take(column, zone, 1);
      taken++;
    }
    for (const { column, zone } of offers.slice(0, taken)) this.take(column, zone, -1);
    return taken === offers.length;
  }

  #poolLeft(column: PackingColumn): number {
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

  #placesLeft({ reservation }: PackingColumn): number {
    return reservation === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, this.#byReservation[reservation] ?? 0);
  }
}

const none: readonly number[] = [];
