import * as z from "zod";
import { formatTime } from "../api/time.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogPart, CatalogParts } from "./catalog-encoding.ts";
import { embeddedCatalog } from "./embedded-catalog.ts";
import { storedJson, storedTime } from "./stored-facts.ts";

/** Order in which the parts are listed and logged. */
export const catalogParts: readonly CatalogPart[] = ["zones", "types", "zonesByType", "onDemandPrices", "spotPrices"];

const minute = 60_000;
const hour = 60 * minute;

/**
 * How old a part may become. Types, places and list prices change some times a month: Karpenter's twelve hours (karpenter-aws §2.6). A spot price
 * changes some times a day, and EC2 smooths it over days, so that ten minutes lose next to nothing; reading one takes some ten of the
 * 72,000 requests that EC2 allows in an hour.
 */
const refreshMilliseconds: Readonly<Record<CatalogPart, number>> = {
  zones: 12 * hour,
  types: 12 * hour,
  zonesByType: 12 * hour,
  onDemandPrices: 12 * hour,
  spotPrices: 10 * minute,
};
/** After a failure, or the account would be asked each minute for what it does not give. */
const retryMilliseconds = 5 * minute;

/** Clocks of two functions differ by less. */
const skewMilliseconds = minute;

/** What is known of the reading of a part. */
export interface PartStatus {
  /** When what is published was read. Absent: never. */
  readonly readAt?: number;
  /** When it was last tried. */
  readonly triedAt: number;
  /** Why that failed. */
  readonly error?: string;
}

export function isDue(part: CatalogPart, status: PartStatus | undefined, isPublished: boolean, now: number): boolean {
  // One that was tried in the future was tried by another clock: it would not be due for as long as that was ahead.
  if (status === undefined || status.triedAt > now + skewMilliseconds) return true;
  if (status.error !== undefined) return now - status.triedAt >= retryMilliseconds;
  return !isPublished || now - status.triedAt >= refreshMilliseconds[part];
}

const storedStatus = storedJson(
  z.object({ readAt: storedTime.exactOptional(), triedAt: storedTime, error: z.string().exactOptional() }),
);

/** As a person reads it in the ConfigMap. */
export function formatStatus({ readAt, triedAt, error }: PartStatus): string {
  return JSON.stringify({
    ...(readAt !== undefined && { readAt: formatTime(readAt) }),
    triedAt: formatTime(triedAt),
    ...(error !== undefined && { error }),
  });
}

/** Undefined when it is no status. */
export function parseStatus(text: string | undefined): PartStatus | undefined {
  const parsed = storedStatus.safeParse(text);
  return parsed.success ? parsed.data : undefined;
}

/** Parts as they are read: each is made when it is first asked for, and is the same from then on. */
export type ReadParts = { readonly [P in CatalogPart]?: () => CatalogParts[P] };

/**
 * The catalog of what is published. What is missing comes from the embedded one: its prices are those of us-east-1 whatever the region, its
 * zones and its spot prices a model. Where it is not known which zones have a type, all have it. Parts that nobody asks for are not made.
 */
export function catalogOf(region: string, parts: ReadParts): Catalog {
  if (Object.keys(parts).length === 0) return embeddedCatalog(region);
  const { types, onDemandPrices, spotPrices, zonesByType } = parts;
  const zones = once(
    () =>
      parts
        .zones?.()
        .map(({ name }) => name)
        .toSorted() ?? embeddedCatalog(region).zones,
  );
  const everywhere = once(() => new Map(catalog.types.map(({ name }) => [name, catalog.zones])));
  const catalog: Catalog = {
    region,
    get zones() {
      return zones();
    },
    get types() {
      return types?.() ?? embeddedCatalog(region).types;
    },
    get onDemandPrices() {
      return onDemandPrices?.() ?? embeddedCatalog(region).onDemandPrices;
    },
    get spotPrices() {
      return spotPrices?.() ?? embeddedCatalog(region).spotPrices;
    },
    get zonesByType() {
      return zonesByType?.() ?? everywhere();
    },
  };
  return catalog;
}

/** The same result each time, made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
