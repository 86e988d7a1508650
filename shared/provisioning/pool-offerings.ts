import type { Offering } from "../cloud/instance-type.ts";
import type { CapacityType } from "../ports.ts";
import { getOrMake } from "./get-or-make.ts";
import { lazily } from "./lazily.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { SortedLazily } from "./sorted-lazily.ts";

export interface PoolOffering {
  /** Of all that the pool could buy. */
  readonly index: number;
  readonly option: NodeOption;
  readonly offering: Offering;
}

/** Offerings, cheapest first. */
export interface PriceList {
  /** Undefined beyond the end. */
  readonly at: (index: number) => PoolOffering | undefined;
}

/** All that a pool could buy, cheapest first; sorted once, and only as far as it is read. */
export function offeringsByPrice(pool: PoolOptions): PriceList {
  return listsOf(pool).all();
}

/**
 * What a pool could buy of one capacity type in place of an option without counting more against its limits, cheapest first: the
 * first so many of a capacity type are found without going through the others'.
 */
export function offeringsWithinLimits(pool: PoolOptions, chosen: NodeOption, capacityType: CapacityType): PriceList {
  const lists = listsOf(pool);
  const ofType = getOrMake(lists.ofType, capacityType, () =>
    sorted(pool, (option) => option.capacityType === capacityType),
  );
  if (limitedBy(pool).length === 0) return ofType;
  const withinLimits = getOrMake(lists.withinLimits, chosen, () => new Map());
  return getOrMake(withinLimits, capacityType, () =>
    [...ofType].filter(({ option }) => countsNoMore(option, chosen, pool)),
  );
}

interface PoolLists {
  readonly all: () => PriceList;
  readonly ofType: Map<CapacityType, SortedLazily<PoolOffering>>;
  readonly withinLimits: Map<NodeOption, Map<CapacityType, PriceList>>;
}

function listsOf(pool: PoolOptions): PoolLists {
  const found = known.get(pool) ?? {
    all: lazily(() => sorted(pool, () => true)),
    ofType: new Map(),
    withinLimits: new Map(),
  };
  known.set(pool, found);
  return found;
}

const known = new WeakMap<PoolOptions, PoolLists>();

function sorted(pool: PoolOptions, isWanted: (option: NodeOption) => boolean): SortedLazily<PoolOffering> {
  const offerings: PoolOffering[] = [];
  let index = 0;
  for (const option of pool.options) {
    for (const offering of option.offerings) {
      if (isWanted(option)) offerings.push({ index, option, offering });
      index++;
    }
  }
  return new SortedLazily(offerings, compareOfferings);
}

/** Falling back to another type must not break a limit that the plan has kept. */
export function countsNoMore(option: NodeOption, chosen: NodeOption, pool: PoolOptions): boolean {
  return limitedBy(pool).every(
    (resource) => (option.instanceType.capacity[resource] ?? 0) <= (chosen.instanceType.capacity[resource] ?? 0),
  );
}

function limitedBy(pool: PoolOptions): readonly string[] {
  return Object.keys(pool.pool.spec.limits ?? {});
}

/** By price, then by name. Most of equal price are of one type: their names are not put together, as this compares all there are. */
function compareOfferings(a: PoolOffering, b: PoolOffering): number {
  const byPrice = a.offering.priceUsdPerHour - b.offering.priceUsdPerHour;
  if (byPrice !== 0) return byPrice;
  const isOneType = a.option.instanceType === b.option.instanceType && a.offering.zone !== b.offering.zone;
  const [nameA, nameB] = isOneType ? [a.offering.zone, b.offering.zone] : [nameOfOffering(a), nameOfOffering(b)];
  return nameA < nameB ? -1 : nameA > nameB ? 1 : 0;
}

function nameOfOffering({ option, offering: { zone, capacityType } }: PoolOffering): string {
  return `${option.instanceType.name}/${zone}/${capacityType}`;
}
