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

/** What a pool could buy of one capacity type, cheapest first: the first so many of it are found without going through the others'. */
export function offeringsOfType(pool: PoolOptions, capacityType: CapacityType): PriceList {
  return getOrMake(listsOf(pool).ofType, capacityType, () =>
    sorted(pool, (option) => option.capacityType === capacityType),
  );
}

interface PoolLists {
  readonly all: () => PriceList;
  readonly ofType: Map<CapacityType, PriceList>;
}

function listsOf(pool: PoolOptions): PoolLists {
  const found = known.get(pool) ?? {
    all: lazily(() => sorted(pool, () => true)),
    ofType: new Map(),
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
