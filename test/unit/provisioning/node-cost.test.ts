import { describe, expect, it } from "vitest";
import { planCostUsdPerHour } from "../../../shared/provisioning/plan.ts";
import { withStaticCapacity } from "../../../shared/provisioning/static-capacity.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool } from "../../support/node-pools.ts";
import { expectAllPlaced, expectTypes } from "../../support/plans.ts";
import { pendingPods } from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";
import { staticPlan, staticPool } from "../../support/static-pools.ts";

const volumeUsdPerHour = (20 * 0.08) / 730;

/** Large nodes cost a tenth more for what they hold. */
const dearerLarge = catalogOf({
  "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 },
  "m5.2xlarge": { vcpus: 8, memoryGib: 32, priceUsdPerHour: 0.44 },
});

function planWith(settings: World["settings"], world: World = {}) {
  return planFor({
    catalog: dearerLarge,
    pods: pendingPods(4, "web", { cpu: "2" }),
    ...world,
    ...(settings && { settings }),
  });
}

describe("what a node costs beside its instance", () => {
  it("is kept low with the price: few large nodes where the charge per node makes small ones dear", () => {
    expectTypes(planWith({}), "m5.large", "m5.large", "m5.large", "m5.large");
    expectTypes(planWith({ nodeChargeUsdPerHour: 0.012 }), "m5.2xlarge");
  });

  it("is reported beside the price, never in it", () => {
    const plan = planWith({ nodeChargeUsdPerHour: 0.01 });
    expect(plan.priceUsdPerHour).toBeCloseTo(0.4, 9);
    expect(plan.nodeCost.volumesUsdPerHour).toBeCloseTo(4 * volumeUsdPerHour, 9);
    expect(plan.nodeCost.chargeUsdPerHour).toBeCloseTo(0.04, 9);
    expect(planCostUsdPerHour(plan)).toBeCloseTo(0.44 + 4 * volumeUsdPerHour, 9);
    for (const { nodeCost } of plan.nodeClaims) expect(nodeCost.chargeUsdPerHour).toBe(0.01);
  });

  it("is in the plan's bound, and not in that of its instances", () => {
    const plan = planWith({ nodeChargeUsdPerHour: 0.01 });
    expect(plan.instancesLowerBound.value).toBeCloseTo(0.4, 6);
    expect(plan.lowerBoundUsdPerHour).toBeGreaterThan(0.41);
    expect(plan.lowerBoundUsdPerHour).toBeLessThanOrEqual(planCostUsdPerHour(plan));
  });

  it("follows the region's price of volumes, down to nothing", () => {
    expect(planWith({ volumePriceFactor: 1.5 }).nodeCost.volumesUsdPerHour).toBeCloseTo(6 * volumeUsdPerHour, 9);
    const plan = planWith({ volumePriceFactor: 0 });
    expect(planCostUsdPerHour(plan)).toBe(plan.priceUsdPerHour);
    expect(plan.lowerBoundUsdPerHour).toBe(plan.instancesLowerBound.value);
  });

  it("decides between NodePools whose classes have volumes of different sizes", () => {
    const large = nodeClass({ blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: "500Gi" } }] });
    const nodeClasses = [nodeClass(), { ...large, metadata: { ...large.metadata, name: "large" } }];
    const [a, b] = [nodePool("a", { nodeClass: "large" }), nodePool("b")];
    const plan = planWith({}, { nodeClasses, pools: [a, b] });
    expectAllPlaced(plan);
    expect(new Set(plan.nodeClaims.map((claim) => claim.nodePool))).toEqual(new Set(["b"]));
  });

  it("does not count against the cluster's limit on the price", () => {
    expectAllPlaced(planWith({ maxPriceUsdPerHour: 0.4, nodeChargeUsdPerHour: 0.01 }));
  });

  it("is part of what static NodePools cost", () => {
    const plan = withStaticCapacity(planFor({}), staticPlan({ catalog: dearerLarge, pools: [staticPool(2)] }));
    expect(plan.nodeCost.volumesUsdPerHour).toBeCloseTo(2 * volumeUsdPerHour, 9);
    expect(plan.lowerBoundUsdPerHour).toBeCloseTo(planCostUsdPerHour(plan), 9);
    expect(plan.instancesLowerBound.value).toBeCloseTo(plan.priceUsdPerHour, 9);
  });
});

describe("the part of the price that DaemonSets take", () => {
  it("is by the largest share of any resource", () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "500m", memory: "1Gi" })];
    const plan = planWith({}, { pods: pendingPods(1, "web", { cpu: "1" }), daemonSets });
    expectTypes(plan, "m5.large");
    expect(plan.nodeCost.daemonSetsUsdPerHour).toBeCloseTo(0.1 * 0.25, 9);
    expect(planCostUsdPerHour(plan)).toBeCloseTo(0.1 + volumeUsdPerHour, 9);
  });

  it("is nothing without DaemonSets", () => {
    expect(planWith({}).nodeCost.daemonSetsUsdPerHour).toBe(0);
  });
});
