import type { CapacityType } from "../ports.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";

/** What EC2 sells out of: one instance type in one zone on one market, or one capacity reservation. */
export interface CapacityPool {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly capacityReservationId?: string;
}

/** Pools that share the given fields; an empty filter means all. */
export type CapacityPoolFilter = Partial<CapacityPool>;

/** What a capacity reservation is for. */
export interface CapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
}

/** How many instances each pool can hold at once. Without a rule: plenty, but no capacity reservation. */
export class CapacityPools {
  readonly #reservations = new Map<string, CapacityReservation>();
  readonly #rules: { readonly filter: CapacityPoolFilter; readonly capacity: number }[] = [];
  readonly #used = new Map<string, number>();

  /** Later rules win. Instances beyond a lowered capacity keep running. */
  setCapacity(filter: CapacityPoolFilter, capacity: number): void {
    this.#rules.push({ filter, capacity });
  }

  /** From now on instances of the type can be launched from it in its zone, so many at once. */
  addReservation(reservation: CapacityReservation, capacity: number): void {
    const { id: capacityReservationId, ...place } = reservation;
    this.#reservations.set(reservation.id, reservation);
    this.setCapacity({ ...place, capacityType: "reserved", capacityReservationId }, capacity);
  }

  /** Refuses a launch from a reservation that does not exist, or that is for something else. */
  checkReservation({ capacityReservationId: id, instanceType, zone }: CapacityPool): void {
    if (id === undefined) return;
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) {
      throw new Ec2ApiError("InvalidCapacityReservationId.NotFound", `The capacity reservation '${id}' does not exist`);
    }
    if (reservation.instanceType !== instanceType || reservation.zone !== zone) {
      const { instanceType: type, zone: place } = reservation;
      const message = `The capacity reservation ${id} is for ${type} in ${place}, not for ${instanceType} in ${zone}`;
      throw new Ec2ApiError("InvalidParameterCombination", message);
    }
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
    (filter.capacityType ?? pool.capacityType) === pool.capacityType &&
    (filter.capacityReservationId ?? pool.capacityReservationId) === pool.capacityReservationId
  );
}

function poolKey(pool: CapacityPool): string {
  const { instanceType, zone, capacityType, capacityReservationId = "" } = pool;
  return `${instanceType}/${zone}/${capacityType}/${capacityReservationId}`;
}
