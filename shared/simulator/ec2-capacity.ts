import type { CapacityType } from "../ports.ts";

/** What EC2 sells out of: one instance type in one zone on one market. */
interface CapacityPool {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
}

/** Pools that share the given fields; an empty filter means all. */
export type CapacityPoolFilter = Partial<CapacityPool>;

/** How many instances each pool can hold at once. Without a rule: plenty, but no capacity reservation. */
export class CapacityPools {
  readonly #rules: { readonly filter: CapacityPoolFilter; readonly capacity: number }[] = [];
  readonly #used = new Map<string, number>();

  /** Later rules win. Instances beyond a lowered capacity keep running. */
  setCapacity(filter: CapacityPoolFilter, capacity: number): void {
    this.#rules.push({ filter, capacity });
  }

  free(pool: CapacityPool): number {
    const rule = this.#rules.findLast(({ filter }) => isInPool(pool, filter));
    const usual = pool.capacityType === "reserved" ? 0 : 10_000;
    return Math.max(0, (rule?.capacity ?? usual) - this.#usedIn(pool));
  }

  take(pool: CapacityPool, count: number): void {
    this.#used.set(poolKey(pool), this.#usedIn(pool) + count);
  }

  giveBack(pool: CapacityPool): void {
    this.#used.set(poolKey(pool), this.#usedIn(pool) - 1);
  }

  #usedIn(pool: CapacityPool): number {
    return this.#used.get(poolKey(pool)) ?? 0;
  }
}

function isInPool(pool: CapacityPool, filter: CapacityPoolFilter): boolean {
  return (
    (filter.instanceType ?? pool.instanceType) === pool.instanceType &&
    (filter.zone ?? pool.zone) === pool.zone &&
    (filter.capacityType ?? pool.capacityType) === pool.capacityType
  );
}

function poolKey(pool: CapacityPool): string {
  return `${pool.instanceType}/${pool.zone}/${pool.capacityType}`;
}
