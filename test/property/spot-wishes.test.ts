import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import type { RankedOffering } from "../../shared/cloud/ranking.ts";
import { type PlannedNodeClaim, type ProvisioningPlan, planCostUsdPerHour } from "../../shared/provisioning/plan.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { catalogOf } from "../support/catalog.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { pendingPods } from "../support/pods.ts";
import { snapshotWith, type World } from "../support/snapshot.ts";

const zones = ["a", "b", "c"] as const;

/** A type in some zones, at about 0.05 USD for each vCPU. */
const type = fc
  .record({
    vcpus: fc.constantFrom(2, 4, 8, 16),
    memoryPerVcpu: fc.constantFrom(2, 4, 8),
    zones: fc.subarray([...zones], { minLength: 1 }),
    prices: fc.tuple(...zones.map(() => fc.integer({ min: 40, max: 60 }))),
  })
  .map(({ vcpus, memoryPerVcpu, zones: sold, prices }) => ({
    vcpus,
    memoryGib: vcpus * memoryPerVcpu,
    priceUsdPerHour: 0.2 * vcpus,
    spot: Object.fromEntries(sold.map((zone) => [zone, ((prices[zones.indexOf(zone)] ?? 0) * vcpus) / 1_000])),
  }));

const workload = fc.record({
  pods: fc.integer({ min: 1, max: 12 }),
  cpu: fc.constantFrom("500m", "1", "2", "3"),
  memory: fc.constantFrom("1Gi", "3Gi", "6Gi"),
  zone: fc.constantFrom(undefined, undefined, ...zones),
});

const worlds: fc.Arbitrary<World> = fc
  .record({
    types: fc.array(type, { minLength: 1, maxLength: 6 }),
    workloads: fc.array(workload, { minLength: 1, maxLength: 3 }),
    spotOnly: fc.boolean(),
    nodeChargeUsdPerHour: fc.constantFrom(0, 0.01, 0.05),
  })
  .map(({ types, workloads, spotOnly, nodeChargeUsdPerHour }) => ({
    catalog: catalogOf(Object.fromEntries(types.map((one, index) => [`m${index + 4}.large`, one]))),
    pools: [nodePool("default", spotOnly ? { requirements: [oneOf(label.capacityType, "spot")] } : {})],
    pods: workloads.flatMap(({ pods, cpu, memory, zone }, index) =>
      pendingPods(pods, `w${index}`, {
        cpu,
        memory,
        spec: zone === undefined ? {} : { nodeSelector: { [label.zone]: zone } },
      }),
    ),
    settings: { nodeChargeUsdPerHour },
  }));

describe("the spot nodes of any plan", () => {
  it("have five spot offerings each, or as many as the pod with the fewest has alone", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotWith(world);
        for (const claim of planProvisioning(snapshot).nodeClaims.filter(isSpot)) {
          const alone = claim.pods.map((pod) => offeringsAlone(snapshot, pod.constraints));
          const listed = claim.offerings.filter(({ capacityType }) => capacityType === "spot").length;
          expect(listed).toBeGreaterThanOrEqual(Math.min(5, ...alone));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("are no more than two in five in one offering, but where nothing near has room", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const spot = planProvisioning(snapshotWith(world)).nodeClaims.filter(isSpot);
        const limit = Math.max(3, Math.floor(0.4 * spot.length));
        const counts = Map.groupBy(spot, ({ offerings: [best] }) => placeOf(best));
        const hasRoom = (one: RankedOffering) =>
          one.capacityType !== "spot" || (counts.get(placeOf(one))?.length ?? 0) < limit;
        for (const nodes of counts.values()) {
          expect(nodes.filter(({ offerings }) => nearOnes(offerings).some(hasRoom)).length).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("cost no pod its place, and no more than the plan says beside one without wishes", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const wished = planProvisioning(snapshotWith(world));
        const free = planProvisioning(
          snapshotWith({ ...world, settings: { ...world.settings, spotSpreadShare: 1, spotMinOfferings: 0 } }),
        );
        expect(placed(wished)).toBe(placed(free));
        expect([free.spotFlexibilityUsdPerHour, free.spotSpreadUsdPerHour]).toEqual([0, 0]);
        expect(wished.lowerBoundUsdPerHour).toBeCloseTo(free.lowerBoundUsdPerHour, 9);
        const wishes = wished.spotFlexibilityUsdPerHour + wished.spotSpreadUsdPerHour;
        expect(planCostUsdPerHour(wished)).toBeLessThanOrEqual(planCostUsdPerHour(free) + wishes + 1e-9);
      }),
      { numRuns: 150 },
    );
  });
});

function isSpot({ offerings: [best] }: PlannedNodeClaim): boolean {
  return best.capacityType === "spot";
}

function placeOf({ instanceType, zone }: RankedOffering): string {
  return `${instanceType}/${zone}`;
}

/** Those that cost at most 15 % more than the cheapest. */
function nearOnes(offerings: PlannedNodeClaim["offerings"]): readonly RankedOffering[] {
  const cheapest = Math.min(...offerings.map(({ priceUsdPerHour }) => priceUsdPerHour));
  return offerings.filter(({ priceUsdPerHour }) => priceUsdPerHour <= 1.15 * cheapest);
}

/** Spot offerings of the catalog that hold one pod: nodes keep nothing for themselves here. */
function offeringsAlone(
  { catalog }: Snapshot,
  { requests, spec }: PlannedNodeClaim["pods"][number]["constraints"],
): number {
  const zone = spec.nodeSelector?.[label.zone];
  return catalog.types
    .filter(
      ({ vcpus, memoryMib }) => (requests.cpu ?? 0) <= 1_000 * vcpus && (requests.memory ?? 0) <= memoryMib * 2 ** 20,
    )
    .flatMap(({ name }) => [...(catalog.spotPrices.get(name)?.keys() ?? [])])
    .filter((sold) => zone === undefined || sold === zone).length;
}

function placed({ nodeClaims }: ProvisioningPlan): number {
  return nodeClaims.reduce((sum, { pods }) => sum + pods.length, 0);
}
