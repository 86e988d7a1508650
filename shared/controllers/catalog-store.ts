import { gunzipSync, gzipSync } from "node:zlib";
import type { Catalog } from "../cloud/catalog.ts";
import { type CatalogPart, type CatalogParts, catalogEncoding, type PartEncoding } from "../cloud/catalog-encoding.ts";
import {
  catalogOf,
  catalogParts,
  formatStatus,
  once,
  type PartStatus,
  parseStatus,
  type ReadParts,
} from "../cloud/published-catalog.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchConfigMap } from "./fact-map.ts";

/**
 * The catalog in the cluster (design rule 4): each part gzipped under a key of its own in `binaryData`, and in `data` when it was read
 * and why the last try failed, for people.
 */
const configMapName = "journeyman-catalog";
/** Below what a ConfigMap may hold, and far above what EC2 sells: see docs/catalog.md for the size. */
const mostStoredBytes = 512 * 1024;
/** What is stored would be 20 times as large: nothing of ours is. */
const mostJsonBytes = 16 * 1024 * 1024;

export interface PublishedCatalog {
  /** Those that are published and can be read, or could be read before in this sandbox. */
  readonly parts: ReadParts;
  readonly statuses: ReadonlyMap<CatalogPart, PartStatus>;
  /** Bytes of each part as it is stored. */
  readonly bytes: ReadonlyMap<CatalogPart, number>;
  /** Parts that are not there, or that this release cannot read. */
  readonly missing: readonly CatalogPart[];
}

export async function readPublished({ kubernetes }: Ports, { namespace }: Settings): Promise<PublishedCatalog> {
  const stored = await kubernetes.get("ConfigMap", { name: configMapName, namespace });
  const statuses = new Map<CatalogPart, PartStatus>();
  const texts = new Map<CatalogPart, string>();
  for (const part of catalogParts) {
    const status = parseStatus(stored?.data?.[part]);
    if (status !== undefined) statuses.set(part, status);
    const text = stored?.binaryData?.[keyOf(part)];
    if (text !== undefined) texts.set(part, text);
  }
  const missing = catalogParts.filter((part) => !readers[part].canRead(texts.get(part)));
  const bytes = new Map([...texts].map(([part, text]) => [part, text.length]));
  return { parts: partsOf(texts), statuses, bytes, missing };
}

/** The catalog that plans are made with. What is not published yet comes from the embedded one, which is said in the log. */
export async function readCatalog(ports: Ports, settings: Settings): Promise<Catalog> {
  const { parts, missing } = await readPublished(ports, settings);
  const replaced = catalogParts.filter((part) => parts[part] === undefined);
  if (replaced.length > 0)
    ports.telemetry.log("warn", "parts of the catalog are the embedded ones", { parts: replaced });
  const outdated = missing.filter((part) => parts[part] !== undefined);
  if (outdated.length > 0)
    ports.telemetry.log("warn", "parts of the catalog are kept from before", { parts: outdated });
  return assembled(settings.region, parts);
}

export interface CatalogChanges {
  readonly parts: Partial<CatalogParts>;
  readonly statuses: ReadonlyMap<CatalogPart, PartStatus>;
}

/** Writes parts and statuses in one patch. Throws a RangeError when the catalog would not fit into a ConfigMap any more. */
export async function publish(
  ports: Ports,
  settings: Settings,
  { parts, statuses }: CatalogChanges,
  published: PublishedCatalog,
): Promise<void> {
  const texts = new Map(catalogParts.flatMap((part) => encoded(part, parts)));
  const bytes = new Map([...published.bytes, ...[...texts].map(([part, text]) => [part, text.length] as const)]);
  const total = [...bytes.values()].reduce((sum, one) => sum + one, 0);
  if (total > mostStoredBytes) {
    throw new RangeError(
      `the catalog has ${total} bytes in ConfigMap ${configMapName}, at most ${mostStoredBytes} fit`,
    );
  }
  await patchConfigMap(ports, settings, configMapName, {
    data: Object.fromEntries([...statuses].map(([part, status]) => [part, formatStatus(status)])),
    ...(texts.size > 0 && { binaryData: Object.fromEntries([...texts].map(([part, text]) => [keyOf(part), text])) }),
  });
}

/** `data` and `binaryData` may not have a key in common. */
function keyOf(part: CatalogPart): string {
  return `${part}.json.gz`;
}

function encoded<P extends CatalogPart>(part: P, parts: Partial<CatalogParts>): readonly (readonly [P, string])[] {
  const value: CatalogParts[P] | undefined = parts[part];
  const encoding: PartEncoding<CatalogParts[P]> = catalogEncoding[part];
  return value === undefined ? [] : [[part, gzipSync(encoding.encode(value), { level: 9 }).toString("base64")]];
}

/**
 * Decodes a part, and keeps the last: a warm sandbox, which reads the same text in pass after pass, has it ready, and the objects stay the
 * same, by which other caches know them.
 */
class PartReader<T> {
  readonly #encoding: PartEncoding<T>;
  #text: string | undefined;
  #isReadable = false;
  #value: (() => T) | undefined;

  constructor(encoding: PartEncoding<T>) {
    this.#encoding = encoding;
  }

  canRead(text: string | undefined): boolean {
    this.value(text);
    return text !== undefined && this.#isReadable;
  }

  /** Of a text that cannot be read, what was last read. */
  value(text: string | undefined): (() => T) | undefined {
    if (text === undefined) return undefined;
    if (text !== this.#text) {
      const json = unzipped(text);
      const value = json === undefined ? undefined : this.#encoding.decode(json);
      this.#text = text;
      this.#isReadable = value !== undefined;
      if (value !== undefined) this.#value = once(value);
    }
    return this.#value;
  }
}

const readers: { readonly [P in CatalogPart]: PartReader<CatalogParts[P]> } = {
  zones: new PartReader(catalogEncoding.zones),
  types: new PartReader(catalogEncoding.types),
  zonesByType: new PartReader(catalogEncoding.zonesByType),
  onDemandPrices: new PartReader(catalogEncoding.onDemandPrices),
  spotPrices: new PartReader(catalogEncoding.spotPrices),
};

function partsOf(texts: ReadonlyMap<CatalogPart, string>): ReadParts {
  const zones = readers.zones.value(texts.get("zones"));
  const types = readers.types.value(texts.get("types"));
  const zonesByType = readers.zonesByType.value(texts.get("zonesByType"));
  const onDemandPrices = readers.onDemandPrices.value(texts.get("onDemandPrices"));
  const spotPrices = readers.spotPrices.value(texts.get("spotPrices"));
  return {
    ...(zones && { zones }),
    ...(types && { types }),
    ...(zonesByType && { zonesByType }),
    ...(onDemandPrices && { onDemandPrices }),
    ...(spotPrices && { spotPrices }),
  };
}

/** Undefined when it is no gzip, is not whole, or would be larger than any catalog. */
function unzipped(text: string): string | undefined {
  try {
    const zipped = Buffer.from(text, "base64");
    return gunzipSync(zipped, { maxOutputLength: mostJsonBytes }).toString("utf8");
  } catch {
    return undefined;
  }
}

let last: { readonly region: string; readonly parts: ReadParts; readonly catalog: Catalog } | undefined;

/** The same object while the parts are the same. */
function assembled(region: string, parts: ReadParts): Catalog {
  const isSame = last?.region === region && catalogParts.every((part) => last?.parts[part] === parts[part]);
  if (last === undefined || !isSame) last = { region, parts, catalog: catalogOf(region, parts) };
  return last.catalog;
}
