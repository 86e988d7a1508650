import { describe, expect, it } from "vitest";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";

describe("the embedded catalog", () => {
  it("is the same object each time", () => {
    expect(embeddedCatalog("eu-west-1")).toBe(embeddedCatalog("eu-west-1"));
  });

  it("has every type in zones a to f of us-east-1, a to c elsewhere", () => {
    const letters = (region: string) => embeddedCatalog(region).zonesByType.get("m5.large");
    expect(letters("us-east-1")).toEqual(["a", "b", "c", "d", "e", "f"].map((letter) => `us-east-1${letter}`));
    expect(letters("eu-west-1")).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1c"]);
  });

  it("names each type once and gives each sensible sizes", () => {
    const { types } = embeddedCatalog();
    expect(new Set(types.map((type) => type.name)).size).toBe(types.length);
    expect(types.filter((type) => !(type.vcpus > 0 && type.memoryMib > 0 && (type.eni ?? type.pods)))).toEqual([]);
  });

  it("prices spot at 28 to 42 % of list, and each zone differently", () => {
    const { spotPrices, onDemandPrices } = embeddedCatalog();
    for (const [type, byZone] of spotPrices) {
      const shares = [...byZone.values()].map((price) => price / (onDemandPrices.get(type) ?? 0));
      expect(Math.min(...shares), type).toBeGreaterThan(0.279);
      expect(Math.max(...shares), type).toBeLessThan(0.421);
    }
    expect(new Set(spotPrices.get("m5.large")?.values()).size).toBe(6);
  });

  it("never changes a spot price, or plans made with it could not be compared", () => {
    expect(embeddedCatalog().spotPrices.get("m5.large")?.get("us-east-1a")).toBe(0.035722);
  });

  it.each(["hpc7g.16xlarge", "u-6tb1.112xlarge", "u7i-12tb.224xlarge", "p6-b200.48xlarge"])(
    "sells %s on demand only",
    (type) => {
      expect(embeddedCatalog().onDemandPrices.has(type)).toBe(true);
      expect(embeddedCatalog().spotPrices.has(type)).toBe(false);
    },
  );

  it("has no price of any kind for a type without a list price", () => {
    expect(embeddedCatalog().types.some((type) => type.name === "x8aedz.large")).toBe(true);
    expect(embeddedCatalog().onDemandPrices.has("x8aedz.large")).toBe(false);
    expect(embeddedCatalog().spotPrices.has("x8aedz.large")).toBe(false);
  });
});
