import type { Resources } from "../scheduling/resources.ts";
import type { NodeOption } from "./node-options.ts";
import type { PackingColumn, PackingItem, PackingProblem } from "./packing/problem.ts";
import { undominatedColumns } from "./packing/prune.ts";

/** What the numbers of columns are in terms of. */
export interface ColumnTerms
  extends Pick<PackingProblem, "dimensions" | "zones" | "pools" | "limitDimensions" | "reservations" | "offeringCaps"> {
  /** USD per hour of a node of each pool, beside its instance. */
  readonly nodeChargeOfPool: readonly number[];
  /** By option and zone, the caps that a node counts against. */
  readonly capsOf?: ReadonlyMap<NodeOption, readonly (readonly number[])[]>;
}

/** Columns worth having, and which of them each item accepts. */
export interface PosedColumns {
  readonly columns: readonly PackingColumn[];
  /** By column. */
  readonly options: readonly NodeOption[];
  readonly items: readonly PackingItem[];
}

/** Options without duplicates, in the order of the names of their columns. */
export function inOrderOfNames(options: Iterable<NodeOption>): readonly NodeOption[] {
  const byPool = [...Map.groupBy(new Set(options), ({ pool }) => `${pool}/`)].sort(byName);
  return byPool.flatMap(([, own]) =>
    own
      .map((option) => [columnName(option), option] as const)
      .sort(byName)
      .map(([, option]) => option),
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Turns options into columns and leaves out those that another of their pool dominates. Pool by pool, with the items that it may take
 * alone: with many NodePools most items are none of a pool's business.
 */
export function poseColumns(
  items: readonly Omit<PackingItem, "accepts">[],
  options: readonly NodeOption[],
  optionsByItem: readonly (readonly NodeOption[])[],
  terms: ColumnTerms,
): PosedColumns {
  const maker = new ColumnMaker(terms);
  const firstByList = new Map(optionsByItem.map((accepted, item) => [accepted, item]));
  const acceptedByPool = acceptedOf([...firstByList.keys()]);
  const kept = [...Map.groupBy(options, ({ pool }) => pool)].flatMap(([pool, own]) => {
    const indexes = indexesOf(own);
    const takers = [...(acceptedByPool.get(pool) ?? [])].flatMap(([list, accepted]) => {
      const taker = items[firstByList.get(list) ?? -1];
      return taker === undefined ? [] : [{ ...taker, accepts: acceptedColumns(accepted, indexes) }];
    });
    const columns = own.map((option) => maker.column(option));
    const undominated = undominatedColumns({ ...terms, items: takers, columns, rules: [] });
    return undominated.flatMap((index) => {
      const [option, column] = [own[index], columns[index]];
      return option === undefined || column === undefined ? [] : [{ option, column }];
    });
  });
  const keptOptions = kept.map(({ option }) => option);
  const indexes = indexesOf(keptOptions);
  const accepts = new Map([...firstByList.keys()].map((list) => [list, acceptedColumns(list, indexes)]));
  return {
    columns: kept.map(({ column }) => column),
    options: keptOptions,
    items: items.map((item, index) => ({
      ...item,
      accepts: accepts.get(optionsByItem[index] ?? []) ?? new Uint8Array(indexes.size),
    })),
  };
}

/** By pool and list of options, those of the list there. Items share lists: what holds for one holds for all with its list. */
function acceptedOf(
  lists: readonly (readonly NodeOption[])[],
): ReadonlyMap<string, ReadonlyMap<readonly NodeOption[], readonly NodeOption[]>> {
  const byPool = new Map<string, Map<readonly NodeOption[], readonly NodeOption[]>>();
  for (const list of lists) {
    for (const [pool, accepted] of Map.groupBy(list, (option) => option.pool)) {
      const ofPool = byPool.get(pool) ?? new Map<readonly NodeOption[], readonly NodeOption[]>();
      byPool.set(pool, ofPool.set(list, accepted));
    }
  }
  return byPool;
}

function indexesOf(options: readonly NodeOption[]): ReadonlyMap<NodeOption, number> {
  return new Map(options.map((option, index) => [option, index]));
}

function acceptedColumns(accepted: readonly NodeOption[], indexes: ReadonlyMap<NodeOption, number>): Uint8Array {
  const accepts = new Uint8Array(indexes.size);
  for (const option of accepted) {
    const index = indexes.get(option);
    if (index !== undefined) accepts[index] = 1;
  }
  return accepts;
}

function columnName({ pool, instanceType, capacityType, reservationId }: NodeOption): string {
  const name = `${pool}/${instanceType.name}/${capacityType}`;
  return reservationId === undefined ? name : `${name}/${reservationId}`;
}

/** Makes columns. NodePools have most of their options' numbers in common, and columns the arrays of them. */
class ColumnMaker {
  readonly #terms: ColumnTerms;
  readonly #indexOfPool: ReadonlyMap<string, number>;
  readonly #capacities = new Map<Resources, Float64Array>();
  /** By what a node costs beside its instance. */
  readonly #zonePrices = new Map<number, Map<NodeOption["offerings"], Float64Array>>();

  constructor(terms: ColumnTerms) {
    this.#terms = terms;
    this.#indexOfPool = new Map(terms.pools.map(({ name }, index) => [name, index]));
  }

  column(option: NodeOption): PackingColumn {
    const { limitDimensions, reservations = [], nodeChargeOfPool, capsOf } = this.#terms;
    const { pool, free, offerings, instanceType, reservationId, capacityType } = option;
    const poolIndex = this.#indexOfPool.get(pool) ?? -1;
    const capsByZone = capsOf?.get(option);
    const reservation = reservations.findIndex(({ name }) => name === reservationId);
    const limited = limitDimensions.length === 0 ? {} : { ...instanceType.capacity, nodes: 1 };
    return {
      name: columnName(option),
      pool: poolIndex,
      capacity: this.#capacityOf(free),
      zonePrices: this.#pricesOf(offerings, nodeChargeOfPool[poolIndex] ?? 0),
      limitUse: toVector(limited, limitDimensions),
      isSpot: capacityType === "spot",
      ...(reservation >= 0 && { reservation }),
      ...(capsByZone && { capsByZone }),
    };
  }

  #capacityOf(free: Resources): Float64Array {
    const capacity = this.#capacities.get(free) ?? toVector(free, this.#terms.dimensions);
    this.#capacities.set(free, capacity);
    return capacity;
  }

  #pricesOf(offerings: NodeOption["offerings"], nodeCharge: number): Float64Array {
    const ofCharge = this.#zonePrices.get(nodeCharge) ?? new Map<NodeOption["offerings"], Float64Array>();
    this.#zonePrices.set(nodeCharge, ofCharge);
    const known = ofCharge.get(offerings);
    if (known !== undefined) return known;
    const prices = new Map(
      offerings.map(({ zone, priceUsdPerHour }) => [
        zone,
        Math.max(leastPriceUsdPerHour, priceUsdPerHour + nodeCharge),
      ]),
    );
    const made = Float64Array.from(this.#terms.zones, (zone) => prices.get(zone) ?? Number.POSITIVE_INFINITY);
    ofCharge.set(offerings, made);
    return made;
  }
}

/** The same problem with nodes that cost nothing beside their instances. */
export function withoutNodeCharges(problem: PackingProblem, nodeChargeOfPool: readonly number[]): PackingProblem {
  const columns = problem.columns.map((column) => ({
    ...column,
    zonePrices: column.zonePrices.map((price) =>
      Math.max(leastPriceUsdPerHour, price - (nodeChargeOfPool[column.pool] ?? 0)),
    ),
  }));
  return { ...problem, columns };
}

/** What NodeOverlays make free still has a price here: value per dollar has no meaning at 0. */
const leastPriceUsdPerHour = 1e-12;

/** Amounts by dimension. */
export function toVector(resources: Resources, dimensions: readonly string[]): Float64Array {
  const vector = new Float64Array(dimensions.length);
  for (const [index, dimension] of dimensions.entries()) vector[index] = resources[dimension] ?? 0;
  return vector;
}
