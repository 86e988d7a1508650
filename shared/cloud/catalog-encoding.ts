import type { Zone } from "../account-ports.ts";
import type { Catalog } from "./catalog.ts";
import { readColumn, writeColumn } from "./letter-column.ts";
import { readTypeColumns, writeTypeColumns } from "./type-columns.ts";

/** What is read of EC2 by itself and published by itself. */
export interface CatalogParts {
  readonly zones: readonly Zone[];
  readonly types: Catalog["types"];
  readonly zonesByType: Catalog["zonesByType"];
  readonly onDemandPrices: Catalog["onDemandPrices"];
  readonly spotPrices: Catalog["spotPrices"];
}
export type CatalogPart = keyof CatalogParts;

/** How a part is published: as JSON that gzip makes small and that is quick to read (bench/catalog.ts). */
export interface PartEncoding<T> {
  encode(part: T): string;
  /** What makes the part when it is first needed. Undefined when the text is of another version, or no such part. */
  decode(text: string): (() => T) | undefined;
}

/** Raised when a part is written differently: what another release published is then no answer, and is read from EC2 again. */
const version = 2;

/** All are columns: their lists are looked through quickly, and what is made of them takes the time that reading saves. */
export const catalogEncoding: { readonly [P in CatalogPart]: PartEncoding<CatalogParts[P]> } = {
  zones: encoding({
    write: (zones) => ({ zones }),
    read: ({ zones }) => (isListOf(zones, isZone) ? () => zones : undefined),
  }),
  types: encoding({ write: writeTypeColumns, read: readTypeColumns }),
  zonesByType: encoding({ write: writeZonesByType, read: readZonesByType }),
  onDemandPrices: encoding({
    write: (byType) => ({ names: [...byType.keys()], prices: [...byType.values()] }),
    read: ({ names, prices }) =>
      isListOf(names, isText) && isListOf(prices, isNumber) && prices.length === names.length
        ? () => mapOf(names, (row) => prices[row] ?? 0)
        : undefined,
  }),
  spotPrices: encoding({ write: writeSpotPrices, read: readSpotPrices }),
};

/** Types are in few sets of zones: each is written once. */
function writeZonesByType(zonesByType: Catalog["zonesByType"]): object {
  return { names: [...zonesByType.keys()], zones: writeColumn([...zonesByType.values()]) };
}

function readZonesByType({ names, zones }: Stored): (() => Catalog["zonesByType"]) | undefined {
  if (!isListOf(names, isText)) return undefined;
  const zonesOf = readColumn(zones, isTexts, names.length);
  return zonesOf && (() => mapOf(names, zonesOf));
}

/** By a loop: a cold process takes several times as long for a list of pairs. */
function mapOf<T>(names: readonly string[], valueAt: (row: number) => T): Map<string, T> {
  const map = new Map<string, T>();
  let row = 0;
  for (const name of names) map.set(name, valueAt(row++));
  return map;
}

interface ZonePrices {
  readonly zone: string;
  /** In the order of the names; null where there is none. */
  readonly prices: readonly (number | null)[];
}

/** Zone by zone, so that no name is repeated. */
function writeSpotPrices(spotPrices: Catalog["spotPrices"]): object {
  const rows = [...spotPrices.values()];
  const zones = [...new Set(rows.flatMap((byZone) => [...byZone.keys()]))].sort();
  const listed = zones.map((zone): ZonePrices => ({ zone, prices: rows.map((byZone) => byZone.get(zone) ?? null) }));
  return { names: [...spotPrices.keys()], zones: listed };
}

function readSpotPrices({ names, zones }: Stored): (() => Catalog["spotPrices"]) | undefined {
  if (!isListOf(names, isText) || !isListOf(zones, isZonePrices)) return undefined;
  if (zones.some(({ prices }) => prices.length !== names.length)) return undefined;
  return () => mapOf(names, (row) => pricesAt(zones, row));
}

function pricesAt(zones: readonly ZonePrices[], row: number): ReadonlyMap<string, number> {
  const byZone = new Map<string, number>();
  for (const { zone, prices } of zones) {
    const price = prices[row] ?? undefined;
    if (price !== undefined) byZone.set(zone, price);
  }
  return byZone;
}

/**
 * What is published is ours, and gzip's checksum tells whether it is whole. It is looked through by hand all the same, since people have
 * hands on ConfigMaps: zod would take longer to start than all the rest of reading.
 */
type Stored = Readonly<Record<string, unknown>>;

function encoding<T>({
  write,
  read,
}: {
  readonly write: (part: T) => object;
  readonly read: (stored: Stored) => (() => T) | undefined;
}): PartEncoding<T> {
  return {
    encode: (part) => JSON.stringify({ version, ...write(part) }),
    decode: (text) => {
      const stored = jsonOf(text);
      return isObject(stored) && stored.version === version ? read(stored) : undefined;
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return isListOf(value, isText);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isPrice(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}

function isZone(value: unknown): value is Zone {
  return isObject(value) && isText(value.name) && isText(value.id);
}

function isZonePrices(value: unknown): value is ZonePrices {
  return isObject(value) && isText(value.zone) && isListOf(value.prices, isPrice);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
