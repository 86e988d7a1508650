import { type RankedOffering, rankedOffering } from "../cloud/ranking.ts";
import { addResources, type Resources } from "../scheduling/resources.ts";
import { allowsZone } from "./demand-zones.ts";
import { getOrMake } from "./get-or-make.ts";
import { isWithinShare } from "./limit-shares.ts";
import { minValuesOf, ValueTally } from "./min-values.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { toVector } from "./packing-columns.ts";
import { offeringsByPrice, offeringsOfType, type PoolOffering, type PriceList } from "./pool-offerings.ts";
import { rankForPool } from "./pool-ranking.ts";
import { PriceReach } from "./price-reach.ts";
import { sharedAttachments } from "./shared-attachments.ts";
import { unitRequests } from "./unit-options.ts";

export type Offerings = readonly [RankedOffering, ...RankedOffering[]];

/** Offerings that hold given contents; nodes with the same offerings share one object. */
export interface RankedHolders {
  readonly offerings: Offerings;
  /** How many of the offerings, from the first, keep the NodePool's limits; the others are there for its `minValues`. */
  readonly choosable: number;
  /** The distinct values they have of the NodePool's `minValues`, by key. */
  readonly reached: ReadonlyMap<string, number>;
  /** Whether that is less than the NodePool wants. */
  readonly isRelaxed: boolean;
}

/** Offerings kept on a claim: enough to survive capacity errors, few enough for an annotation. */
const mostOfferingsPerCapacityType = 40;

/** Finds, for the contents of one node after another, what else in its NodePool would hold them. */
export class HolderFinder {
  readonly #demands: readonly NewDemand[];
  readonly #dimensions: readonly string[];
  readonly #limitShares: ReadonlyMap<string, Resources>;
  readonly #reach = new Map<PriceList, PriceReach>();
  readonly #vectors = new Map<Resources, Float64Array>();
  readonly #lists = new Map<readonly NodeOption[], AcceptedOptions>();
  readonly #byContents = new Map<string, RankedHolders>();
  readonly #byOfferings = new Map<string, RankedHolders>();

  /** `dimensions`: all resources that the demands ask for; `limitShares`: see there. */
  constructor(
    demands: readonly NewDemand[],
    dimensions: readonly string[],
    limitShares: ReadonlyMap<string, Resources>,
  ) {
    this.#demands = demands;
    this.#dimensions = dimensions;
    this.#limitShares = limitShares;
  }

  /** `contents` is equal for nodes with equal parts. */
  holdersOf(chosen: NodeOption, pool: PoolOptions, parts: readonly UnitPart[], contents: string): RankedHolders {
    const { pool: name, instanceType, reservationId = "" } = chosen;
    const ofContents = `${name} ${instanceType.name} ${reservationId} ${contents}`;
    return getOrMake(this.#byContents, ofContents, () => {
      const found = this.#search(chosen, pool, parts);
      const ofOfferings = `${name} ${found.kept.map(indexOf).join()} ${found.beyondLimits.map(indexOf).join()}`;
      return getOrMake(this.#byOfferings, ofOfferings, () => ranked(found, chosen, pool));
    });
  }

  #search(chosen: NodeOption, pool: PoolOptions, parts: readonly UnitPart[]): Found {
    const share = this.#limitShares.get(pool.pool.metadata.name) ?? {};
    const amounts = this.#amountsOf(parts);
    const search = { chosen, pool, parts, amounts, share, capacityTypes: this.#capacityTypes(parts) };
    if (minValuesOf(pool).length > 0) return this.#searchForValues(search);
    const kept = search.capacityTypes.flatMap((capacityType) => {
      const found: PoolOffering[] = [];
      for (const entry of this.#holders(search, offeringsOfType(pool, capacityType))) {
        if (!isWithinShare(entry.option, chosen, share)) continue;
        found.push(entry);
        if (found.length === mostOfferingsPerCapacityType) break;
      }
      return found;
    });
    return { kept, beyondLimits: [], reached: new Map() };
  }

  /** Where the NodePool has `minValues`, also dearer offerings and those beyond its limits, for the values that they have. */
  #searchForValues(search: Search): Found {
    const { chosen, pool, share, capacityTypes } = search;
    const tally = new ValueTally(pool);
    const kept: PoolOffering[] = [];
    const beyondLimits: PoolOffering[] = [];
    const counts = new Map(capacityTypes.map((capacityType) => [capacityType, 0]));
    for (const entry of this.#holders(search, offeringsByPrice(pool))) {
      const { option, offering } = entry;
      if (kept.length >= mostOfferingsPerCapacityType * counts.size && tally.isComplete()) break;
      const isWithinLimits = isWithinShare(option, chosen, share);
      const count = counts.get(offering.capacityType) ?? 0;
      const isRoom = isWithinLimits && count < mostOfferingsPerCapacityType;
      if (!isRoom && !tally.isWanted(option, offering.zone)) continue;
      tally.add(option, offering.zone);
      if (isWithinLimits) counts.set(offering.capacityType, count + 1);
      (isWithinLimits ? kept : beyondLimits).push(entry);
    }
    return { kept, beyondLimits, reached: tally.reached() };
  }

  /** The offerings of a list that hold the contents, in its order. */
  *#holders({ chosen, parts, amounts }: Search, list: PriceList): Iterable<PoolOffering> {
    const reach = this.#reachOf(list);
    const holds = this.#holding(chosen, parts, amounts, reach);
    for (let index = reach.firstFor(amounts), entry = list.at(index); entry; entry = list.at(++index)) {
      if (holds(entry)) yield entry;
    }
  }

  /** Whether an offering is of an option that all parts accept, large enough, and in a zone that all allow. */
  #holding(
    chosen: NodeOption,
    parts: readonly UnitPart[],
    amounts: Float64Array,
    reach: PriceReach,
  ): (entry: PoolOffering) => boolean {
    const accepting = [...new Set(parts.map(({ demand }) => this.#acceptedBy(demand).options))];
    const zones = new Map<string, boolean>();
    const isAllowed = (zone: string): boolean => {
      const known = zones.get(zone) ?? this.#areAllowedIn(zone, parts);
      zones.set(zone, known);
      return known;
    };
    return (entry) => {
      const { option, offering } = entry;
      return (
        isAtMost(amounts, reach.freeOf(entry)) &&
        isAllowed(offering.zone) &&
        // A place in a reservation belongs to the node that it was planned for.
        (option.reservationId === undefined || option === chosen) &&
        accepting.every((members) => members.has(option))
      );
    };
  }

  #amountsOf(parts: readonly UnitPart[]): Float64Array {
    const requests = addResources(unitRequests(this.#demands, parts), sharedAttachments(this.#demands, parts));
    return toVector(requests, this.#dimensions);
  }

  #reachOf(list: PriceList): PriceReach {
    return getOrMake(this.#reach, list, () => new PriceReach(list, this.#dimensions, this.#vectors));
  }

  #areAllowedIn(zone: string, parts: readonly UnitPart[]): boolean {
    return parts.every(({ demand }) => allowsZone(this.#demands[demand], zone));
  }

  /** Those that the first part may have in a zone that suits all; others need not be waited for. */
  #capacityTypes(parts: readonly UnitPart[]): readonly NodeOption["capacityType"][] {
    const [first] = parts;
    if (first === undefined) return [];
    const { zones } = this.#acceptedBy(first.demand);
    return [...zones].flatMap(([capacityType, sold]) =>
      [...sold].some((zone) => this.#areAllowedIn(zone, parts)) ? [capacityType] : [],
    );
  }

  #acceptedBy(demand: number): AcceptedOptions {
    const list = this.#demands[demand]?.options ?? [];
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const zones = new Map<NodeOption["capacityType"], Set<string>>();
    for (const { capacityType, offerings } of list) {
      const sold = zones.get(capacityType) ?? new Set();
      zones.set(capacityType, sold);
      for (const { zone } of offerings) sold.add(zone);
    }
    const accepted = { options: new Set(list), zones };
    this.#lists.set(list, accepted);
    return accepted;
  }
}

interface AcceptedOptions {
  readonly options: ReadonlySet<NodeOption>;
  /** Where they are sold, by capacity type. */
  readonly zones: ReadonlyMap<NodeOption["capacityType"], ReadonlySet<string>>;
}

/** What is looked for. */
interface Search {
  readonly chosen: NodeOption;
  readonly pool: PoolOptions;
  readonly parts: readonly UnitPart[];
  /** What they ask for, by dimension. */
  readonly amounts: Float64Array;
  /** How much more than the chosen option another may count against the NodePool's limits. */
  readonly share: Resources;
  readonly capacityTypes: readonly NodeOption["capacityType"][];
}

interface Found {
  readonly kept: readonly PoolOffering[];
  readonly beyondLimits: readonly PoolOffering[];
  readonly reached: ReadonlyMap<string, number>;
}

function ranked({ kept, beyondLimits, reached }: Found, chosen: NodeOption, pool: PoolOptions): RankedHolders {
  const rank = (entries: readonly PoolOffering[]) =>
    rankForPool(entries.map(toRanked), pool.pool.metadata.name, pool.spotHistory);
  const [best, ...others] = rank(kept);
  if (best === undefined)
    throw new RangeError(`no offering holds the contents planned for ${chosen.instanceType.name}`);
  return {
    offerings: [best, ...others, ...rank(beyondLimits)],
    choosable: kept.length,
    reached,
    isRelaxed: minValuesOf(pool).some(({ key, least }) => (reached.get(key) ?? 0) < least),
  };
}

function toRanked({ option, offering }: PoolOffering): RankedOffering {
  return rankedOffering(option.instanceType.name, offering);
}

function indexOf({ index }: PoolOffering): number {
  return index;
}

function isAtMost(amounts: Float64Array, room: Float64Array): boolean {
  for (let index = 0; index < amounts.length; index++) {
    const amount = amounts[index] ?? 0;
    if (amount > 0 && amount > (room[index] ?? 0)) return false;
  }
  return true;
}
