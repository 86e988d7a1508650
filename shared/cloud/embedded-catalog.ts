import type { Catalog } from "./catalog.ts";
import { embeddedFacts } from "./embedded-facts.ts";

/**
 * The catalog that is built in, for use without an AWS account: every x86_64 and arm64 HVM type of EC2 with its facts and us-east-1 list price.
 * The same object for the same region each time.
 *
 * A model stands in for what no public table holds:
 * - zones: `us-east-1a` to `f`; in any other region its own `a` to `c`. Every type is in every zone.
 * - on-demand prices are those of us-east-1, whatever the region. Types without a list price have none: a NodeOverlay must give it.
 * - spot: 0.35 x list x (1 ± 0.2 by a hash of `type/zone`), in every zone, for every priced type but those EC2 never or hardly sells as spot
 *   (`neverSpot`).
 * - Nitro Enclaves support is unknown and given as false.
 */
export function embeddedCatalog(region = "us-east-1"): Catalog {
  const known = catalogs.get(region);
  if (known !== undefined) return known;
  const catalog = buildCatalog(region);
  catalogs.set(region, catalog);
  return catalog;
}

const catalogs = new Map<string, Catalog>();

/** High-memory, HPC and Mac families, and those sold by capacity block. */
const neverSpot = /^(mac|u-|u7|hpc|p6|(p5e|trn2|dl2q)\.)/;
const spotShareOfList = 0.35;
const spotSpread = 0.2;

function buildCatalog(region: string): Catalog {
  const letters = region === "us-east-1" ? "abcdef" : "abc";
  const zones = [...letters].map((letter) => region + letter);
  const { types, onDemandPrices } = embeddedFacts();
  return {
    region,
    zones,
    types,
    onDemandPrices,
    spotPrices: new Map(
      [...onDemandPrices]
        .filter(([type]) => !neverSpot.test(type))
        .map(([type, price]) => [type, new Map(zones.map((zone) => [zone, modelSpotPrice(type, zone, price)]))]),
    ),
    zonesByType: new Map(types.map((type) => [type.name, zones])),
  };
}

function modelSpotPrice(type: string, zone: string, onDemandPrice: number): number {
  const swing = 2 * unitHash(`${type}/${zone}`) - 1;
  return Number((spotShareOfList * onDemandPrice * (1 + spotSpread * swing)).toFixed(6));
}

/** FNV-1a with murmur3's finalizer, in [0, 1): without the finalizer, zones that differ in the last letter get nearly the same price. */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
