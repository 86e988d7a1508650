import * as z from "zod";
import type { Zone } from "../account-ports.ts";
import type { Catalog, InstanceTypeFacts } from "./catalog.ts";

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
  /** Undefined when the text is of another version, or no such part. */
  decode(text: string): T | undefined;
}

/** Raised when a part is written differently: what another release published is then no answer, and is read from EC2 again. */
const version = 1;

/**
 * Types are whole objects, since nothing makes those as quickly as JSON does: columns of single facts would be half as large and take
 * three times as long. Zones and prices are columns, which are not objects afterwards either.
 */
export const catalogEncoding: { readonly [P in CatalogPart]: PartEncoding<CatalogParts[P]> } = {
  zones: encoding({
    write: (zones) => ({ zones }),
    read: ({ zones }) => (isListOf(zones, isZone) ? zones : undefined),
  }),
  types: encoding({
    write: (types) => ({ types }),
    read: ({ types }) => (isListOf(types, isTypeFacts) ? types : undefined),
  }),
  zonesByType: encoding({ write: writeZonesByType, read: readZonesByType }),
  onDemandPrices: encoding({
    write: (byType) => ({ names: [...byType.keys()], prices: [...byType.values()] }),
    read: ({ names, prices }) =>
      isListOf(names, isText) && isListOf(prices, isNumber) && prices.length === names.length
        ? new Map(names.map((type, row) => [type, prices[row] ?? 0]))
        : undefined,
  }),
  spotPrices: encoding({ write: writeSpotPrices, read: readSpotPrices }),
};

/** Types are in few sets of zones: each is written once. */
function writeZonesByType(zonesByType: Catalog["zonesByType"]): object {
  const sets = new Map<string, { readonly index: number; readonly zones: readonly string[] }>();
  const setOf = [...zonesByType.values()].map((zones) => {
    const key = zones.join();
    const known = sets.get(key) ?? { index: sets.size, zones };
    sets.set(key, known);
    return known.index;
  });
  return { names: [...zonesByType.keys()], zoneSets: [...sets.values()].map(({ zones }) => zones), setOf };
}

function readZonesByType({ names, zoneSets, setOf }: Stored): Catalog["zonesByType"] | undefined {
  const isComplete =
    isListOf(names, isText) &&
    isListOf(zoneSets, isTexts) &&
    isListOf(setOf, isNumber) &&
    setOf.length === names.length &&
    setOf.every((set) => set in zoneSets);
  return isComplete ? new Map(names.map((type, row) => [type, zoneSets[setOf[row] ?? 0] ?? []])) : undefined;
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

function readSpotPrices({ names, zones }: Stored): Catalog["spotPrices"] | undefined {
  if (!isListOf(names, isText) || !isListOf(zones, isZonePrices)) return undefined;
  if (zones.some(({ prices }) => prices.length !== names.length)) return undefined;
  return new Map(names.map((type, row) => [type, pricesAt(zones, row)]));
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
 * What is published is ours, and the version vouches for its form. The lists are looked through by hand all the same: zod would take longer
 * for their thousands of items than all the rest of reading.
 */
const storedPart = z.looseObject({ version: z.literal(version) });
type Stored = z.output<typeof storedPart>;

function encoding<T>({
  write,
  read,
}: {
  readonly write: (part: T) => object;
  readonly read: (stored: Stored) => T | undefined;
}): PartEncoding<T> {
  return {
    encode: (part) => JSON.stringify({ version, ...write(part) }),
    decode: (text) => {
      const stored = storedPart.safeParse(jsonOf(text));
      return stored.success ? read(stored.data) : undefined;
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

/** What every type has and the planner cannot do without. The version vouches for the rest: we wrote it. */
function isTypeFacts(value: unknown): value is InstanceTypeFacts {
  return (
    isObject(value) &&
    isText(value.name) &&
    (value.arch === "amd64" || value.arch === "arm64") &&
    isNumber(value.vcpus) &&
    isNumber(value.memoryMib) &&
    isNumber(value.branchInterfaces) &&
    isNumber(value.efaInterfaces) &&
    isObject(value.devices)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
