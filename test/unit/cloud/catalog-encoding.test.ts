import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type CatalogPart, catalogEncoding } from "../../../shared/cloud/catalog-encoding.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import { catalogOf, catalogParts, once } from "../../../shared/cloud/published-catalog.ts";

const whole = embeddedCatalog("us-east-1");
const zones = whole.zones.map((name, index) => ({ name, id: `use1-az${index}` }));
const encoded: Readonly<Record<CatalogPart, string>> = {
  zones: catalogEncoding.zones.encode(zones),
  types: catalogEncoding.types.encode(whole.types),
  zonesByType: catalogEncoding.zonesByType.encode(whole.zonesByType),
  onDemandPrices: catalogEncoding.onDemandPrices.encode(whole.onDemandPrices),
  spotPrices: catalogEncoding.spotPrices.encode(whole.spotPrices),
};

describe("the catalog in the cluster", () => {
  it("takes a fifth of the room that it may have, with a spot price for every type in six zones", () => {
    const bytes = Object.values(encoded).map((text) => gzipSync(text, { level: 9 }).toString("base64").length);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan((512 * 1024) / 5);
  });

  it("is what it was", () => {
    expect(catalogEncoding.zones.decode(encoded.zones)?.()).toEqual(zones);
    expect(catalogEncoding.types.decode(encoded.types)?.()).toEqual(whole.types);
    expect(catalogEncoding.zonesByType.decode(encoded.zonesByType)?.()).toEqual(whole.zonesByType);
    expect(catalogEncoding.onDemandPrices.decode(encoded.onDemandPrices)?.()).toEqual(whole.onDemandPrices);
    expect(catalogEncoding.spotPrices.decode(encoded.spotPrices)?.()).toEqual(whole.spotPrices);
  });

  it.each(catalogParts)("is not read where the version of %s is another, or what it says is broken", (part) => {
    const { decode } = catalogEncoding[part];
    const stored = JSON.parse(encoded[part]);
    expect(decode(JSON.stringify({ ...stored, version: 1 }))).toBeUndefined();
    expect(decode(encoded[part].slice(0, -1))).toBeUndefined();
    for (const column of Object.keys(stored).filter((name) => Array.isArray(stored[name]))) {
      const [first, ...others] = stored[column];
      expect(decode(JSON.stringify({ ...stored, [column]: undefined })), column).toBeUndefined();
      expect(decode(JSON.stringify({ ...stored, [column]: [undefined, ...others] })), column).toBeUndefined();
      // Lists that stand beside each other have as many rows; each of the others is a list of its own.
      if (column === "zones") continue;
      expect(decode(JSON.stringify({ ...stored, [column]: [first] })), column).toBeUndefined();
    }
  });
});

describe("the columns of the types", () => {
  const { decode } = catalogEncoding.types;
  const stored = JSON.parse(encoded.types);
  const withColumn = (fact: string, column: unknown) =>
    decode(JSON.stringify({ ...stored, columns: { ...stored.columns, [fact]: column } }));

  it.each(Object.keys(stored.columns))("are not read where %s is no such column", (fact) => {
    const { values, rows } = stored.columns[fact];
    expect(withColumn(fact, { values, rows })?.()).toEqual(whole.types);
    expect(withColumn(fact, 5), "no column").toBeUndefined();
    expect(withColumn(fact, { values: [...values, [{}]], rows }), "no such value").toBeUndefined();
    expect(withColumn(fact, { values, rows: rows.slice(1) }), "a row too few").toBeUndefined();
    expect(withColumn(fact, { values, rows: `\u0020${rows.slice(1)}` }), "a letter before the first").toBeUndefined();
    expect(withColumn(fact, { values, rows: `\uffff${rows.slice(1)}` }), "a letter after the last").toBeUndefined();
  });

  it("are not read without a fact that every type has, and are without one that some have", () => {
    expect(withColumn("vcpus", undefined)).toBeUndefined();
    expect(withColumn("gpu", undefined)?.()).toEqual(whole.types.map(({ gpu: _, ...facts }) => facts));
  });

  it("make the types when they are first asked for, and the same from then on", () => {
    const catalog = catalogOf("us-east-1", { types: once(decode(encoded.types) ?? (() => [])) });
    expect(catalog.types).toBe(catalog.types);
  });
});

describe("catalogOf", () => {
  it("is the embedded catalog of the region where nothing is published", () => {
    expect(catalogOf("eu-west-1", {})).toBe(embeddedCatalog("eu-west-1"));
  });

  it("has every type in every zone until it is known where each is", () => {
    const types = whole.types.slice(0, 2);
    const catalog = catalogOf("eu-west-1", {
      types: () => types,
      zones: () => [{ name: "eu-west-1b", id: "euw1-az1" }],
    });
    expect(Object.fromEntries(catalog.zonesByType)).toEqual(
      Object.fromEntries(types.map(({ name }) => [name, ["eu-west-1b"]])),
    );
  });

  it("has the prices of us-east-1 for other regions until theirs are known", () => {
    const catalog = catalogOf("eu-west-1", { types: () => whole.types });
    expect(catalog.onDemandPrices.get("m5.large")).toBe(whole.onDemandPrices.get("m5.large"));
    const own = new Map([["m5.large", 0.107]]);
    expect(catalogOf("eu-west-1", { onDemandPrices: () => own }).onDemandPrices).toBe(own);
  });
});
