import * as z from "zod";
import type { Problem } from "../shared/api/problems.ts";
import { describeValue, problemAt } from "../shared/api/problems.ts";
import { valueIn } from "../shared/api/raw-objects.ts";
import { duplicates, type Fault, within } from "../shared/api/rules.ts";
import { schemaProblems } from "../shared/api/schema-problems.ts";
import type { Catalog, InstanceTypeFacts } from "../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import { readFileText } from "./read-inputs.ts";

const count = z.number().int().min(0);
const usdPerHour = z.number().gt(0, "expected more than 0");

/**
 * One instance type of a catalog file. Facts that are left out are those of the built-in catalog; a type that it does not know must
 * state `arch`, `vcpus`, `memoryMib`, and `eni` or `pods`.
 */
const catalogType = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, "expected an instance type such as m7g.large"),
  /** Absent: not sold on demand. */
  onDemandUsdPerHour: usdPerHour.exactOptional(),
  /** By zone. A zone that is missing sells no spot instances of the type. */
  spotUsdPerHour: z.record(z.string(), usdPerHour).default({}),
  /** Zones that have the type; all of the catalog's when absent. */
  zones: z.array(z.string()).min(1).exactOptional(),
  arch: z.enum(["amd64", "arm64"]).exactOptional(),
  vcpus: z.number().int().min(1).exactOptional(),
  memoryMib: z.number().int().min(1).exactOptional(),
  cpuManufacturer: z.string().exactOptional(),
  cpuClockMhz: count.exactOptional(),
  hypervisor: z.string().exactOptional(),
  bareMetal: z.boolean().exactOptional(),
  encryptionInTransit: z.boolean().exactOptional(),
  nitroEnclaves: z.boolean().exactOptional(),
  ebsBandwidthMbps: count.exactOptional(),
  networkBandwidthMbps: count.exactOptional(),
  localNvmeGb: count.exactOptional(),
  eni: z.strictObject({ defaultCardInterfaces: count, ipv4PerInterface: count }).exactOptional(),
  pods: count.exactOptional(),
  branchInterfaces: count.exactOptional(),
  efaInterfaces: count.exactOptional(),
  gpu: z
    .strictObject({ name: z.string(), manufacturer: z.string(), count, memoryMib: z.number().int().min(1) })
    .exactOptional(),
  accelerator: z.strictObject({ name: z.string(), manufacturer: z.string(), count }).exactOptional(),
  /** Extended resources: `nvidia.com/gpu`, `aws.amazon.com/neuron`. */
  devices: z.record(z.string(), count).exactOptional(),
});
type CatalogType = z.infer<typeof catalogType>;

/**
 * The JSON file behind `--catalog`: what one region sells, and nothing else is on offer.
 *
 * ```json
 * { "region": "eu-central-1", "zones": ["eu-central-1a", "eu-central-1b"],
 *   "types": [{ "name": "m7g.large", "onDemandUsdPerHour": 0.0978, "spotUsdPerHour": { "eu-central-1a": 0.0361 } }] }
 * ```
 */
const catalogFile = z.strictObject({
  region: z.string().min(1, "expected a region such as eu-central-1"),
  zones: z.array(z.string()).min(1),
  types: z.array(catalogType).min(1),
});

export interface CatalogReading {
  readonly catalog: Catalog;
  readonly problems: readonly Problem[];
}

/** Reads a catalog file; with problems, the catalog is the built-in one. */
export async function readCatalogFile(path: string): Promise<CatalogReading> {
  const source = await readFileText(path);
  return "found" in source ? unusable([source]) : parseCatalog(path, source.text);
}

export function parseCatalog(name: string, text: string): CatalogReading {
  const place = { name, document: 0 };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return unusable([problemAt(place, [], error instanceof Error ? error.message : String(error), "a JSON catalog")]);
  }
  const parsed = catalogFile.safeParse(json);
  if (!parsed.success) return unusable(schemaProblems(catalogFile, json, parsed.error.issues, place));
  const { region, zones, types } = parsed.data;
  const known = new Map(embeddedCatalog().types.map((facts) => [facts.name, facts]));
  const problems = catalogFaults(parsed.data, known).map(({ path, found, expected }) =>
    problemAt(place, path, found ?? describeValue(valueIn(json, path)), expected),
  );
  if (problems.length > 0) return unusable(problems);
  const catalog: Catalog = {
    region,
    zones,
    types: types.map((type) => factsOf(type, known.get(type.name))),
    onDemandPrices: new Map(
      types.flatMap(({ name: type, onDemandUsdPerHour: price }) => (price === undefined ? [] : [[type, price]])),
    ),
    spotPrices: new Map(types.map((type) => [type.name, new Map(Object.entries(type.spotUsdPerHour))])),
    zonesByType: new Map(types.map((type) => [type.name, type.zones ?? zones])),
  };
  return { catalog, problems: [] };
}

function unusable(problems: readonly Problem[]): CatalogReading {
  return { catalog: embeddedCatalog(), problems };
}

function catalogFaults(
  { zones, types }: z.infer<typeof catalogFile>,
  known: ReadonlyMap<string, InstanceTypeFacts>,
): readonly Fault[] {
  const names = types.map(({ name }) => name);
  return [
    ...repeated(zones, "zone").flatMap((entry) => within(["zones"], [entry])),
    ...repeated(names, "type").flatMap(({ path, ...entry }) => [{ ...entry, path: ["types", ...path, "name"] }]),
    ...types.flatMap((type, index) => within(["types", index], typeFaults(type, zones, known.get(type.name)))),
  ];
}

function typeFaults(type: CatalogType, zones: readonly string[], known: InstanceTypeFacts | undefined) {
  const needed = (["arch", "vcpus", "memoryMib"] as const).filter((field) => type[field] === undefined);
  const expected = `it, as the built-in catalog does not know ${type.name}`;
  const podless = known === undefined && type.eni === undefined && type.pods === undefined;
  return [
    ...(known === undefined ? needed.map((field) => ({ path: [field], found: "nothing", expected })) : []),
    ...(podless ? [{ path: ["eni"], found: "neither eni nor pods", expected: "one of them" }] : []),
    ...zoneFaults(type, zones),
  ];
}

function zoneFaults({ zones: own = [], spotUsdPerHour }: CatalogType, zones: readonly string[]): readonly Fault[] {
  const expected = `one of the catalog's zones: ${[...new Set(zones)].join(", ")}`;
  const found = (zone: string) => `zone ${JSON.stringify(zone)}`;
  return [
    ...own.flatMap((zone, index) =>
      zones.includes(zone) ? [] : [{ path: ["zones", index], found: found(zone), expected }],
    ),
    ...repeated(own, "zone").flatMap((entry) => within(["zones"], [entry])),
    ...Object.keys(spotUsdPerHour).flatMap((zone) =>
      zones.includes(zone) ? [] : [{ path: ["spotUsdPerHour", zone], found: found(zone), expected }],
    ),
  ];
}

function repeated(names: readonly string[], thing: string): readonly Fault[] {
  return duplicates(names, (name) => name).map((index) => ({
    path: [index],
    found: `${JSON.stringify(names[index])} again`,
    expected: `each ${thing} once`,
  }));
}

function factsOf(type: CatalogType, known: InstanceTypeFacts | undefined): InstanceTypeFacts {
  const { onDemandUsdPerHour: _price, spotUsdPerHour: _spot, zones: _zones, ...stated } = type;
  return { ...unstated, ...known, ...stated };
}

/** What a type that nobody knows is taken to be where its entry is silent. */
const unstated = {
  arch: "amd64",
  vcpus: 1,
  memoryMib: 1,
  cpuManufacturer: "",
  hypervisor: "nitro",
  bareMetal: false,
  encryptionInTransit: false,
  nitroEnclaves: false,
  branchInterfaces: 0,
  efaInterfaces: 0,
  devices: {},
} as const;
