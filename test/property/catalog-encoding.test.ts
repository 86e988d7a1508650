import * as fc from "fast-check";
import { expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import type { Catalog, InstanceTypeFacts } from "../../shared/cloud/catalog.ts";
import { catalogEncoding } from "../../shared/cloud/catalog-encoding.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { pendingPods } from "../support/pods.ts";
import { planFor } from "../support/snapshot.ts";

const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
const price = fc.double({ min: 1e-6, max: 1_000, noNaN: true });

/** Facts that EC2 tells and the embedded tables do not, or tells otherwise. */
const ownFacts = fc.record(
  {
    networkCards: fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 3 }),
    placementStrategies: fc.subarray(["cluster", "partition", "spread"] as const),
    nestedVirtualization: fc.boolean(),
    nitroEnclaves: fc.boolean(),
    memoryMib: fc.integer({ min: 512, max: 1_000_000 }),
  },
  { requiredKeys: [] },
);

const catalogs: fc.Arbitrary<Catalog> = fc
  .record({
    types: fc.subarray([...embeddedCatalog().types], { minLength: 1, maxLength: 40 }),
    facts: fc.array(ownFacts, { minLength: 40, maxLength: 40 }),
    places: fc.array(fc.subarray(zones), { minLength: 40, maxLength: 40 }),
    prices: fc.array(fc.option(price), { minLength: 40, maxLength: 40 }),
    spot: fc.array(fc.array(fc.option(price), { minLength: 3, maxLength: 3 }), { minLength: 40, maxLength: 40 }),
  })
  .map(({ types: chosen, facts, places, prices, spot }) => {
    const types: InstanceTypeFacts[] = chosen.map((type, index) => ({ ...type, ...facts[index] }));
    const entries = types.map(({ name }, index) => ({ name, index }));
    return {
      region: "us-east-1",
      zones,
      types,
      zonesByType: new Map(entries.map(({ name, index }) => [name, places[index] ?? []])),
      onDemandPrices: new Map(entries.flatMap(({ name, index }) => (prices[index] ? [[name, prices[index]]] : []))),
      spotPrices: new Map(
        entries.map(({ name, index }) => [
          name,
          new Map(zones.flatMap((zone, place) => (spot[index]?.[place] ? [[zone, spot[index][place]] as const] : []))),
        ]),
      ),
    };
  });

function published(catalog: Catalog): Catalog {
  const { types, zonesByType, onDemandPrices, spotPrices } = catalogEncoding;
  return {
    ...catalog,
    types: types.decode(types.encode(catalog.types))?.() ?? [],
    zonesByType: zonesByType.decode(zonesByType.encode(catalog.zonesByType))?.() ?? new Map(),
    onDemandPrices: onDemandPrices.decode(onDemandPrices.encode(catalog.onDemandPrices))?.() ?? new Map(),
    spotPrices: spotPrices.decode(spotPrices.encode(catalog.spotPrices))?.() ?? new Map(),
  };
}

it("a published catalog is the one that was read, to the last digit, and plans alike", () => {
  fc.assert(
    fc.property(catalogs, (catalog) => {
      expect(published(catalog)).toEqual(catalog);
      const pools = [nodePool("default", { requirements: [oneOf(label.capacityType, "spot", "on-demand")] })];
      const world = { pools, pods: pendingPods(5, "web", { cpu: "700m", memory: "1Gi" }) };
      const plan = (known: Catalog) =>
        planFor({ ...world, catalog: known }).nodeClaims.map(({ offerings }) => offerings);
      expect(plan(published(catalog))).toEqual(plan(catalog));
    }),
    { seed: 42, numRuns: 60 },
  );
});
