import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { MinValuesRule } from "../../../shared/provisioning/packing/holder-table.ts";
import { reachesMinValues } from "../../../shared/provisioning/packing/min-values.ts";
import type { PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { type ProvisioningPlan, planCostUsdPerHour } from "../../../shared/provisioning/plan.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced, expectTypes } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";

const everywhere = (usd: number) => ({ a: usd, b: usd, c: usd });
const small = (usd: number) => ({ vcpus: 2, memoryGib: 8, priceUsdPerHour: 1, spot: everywhere(usd) });
/** Two small types in three zones, and a large one that is cheaper for what it holds but to be had in one zone alone. */
const types = {
  "m5.large": small(0.05),
  "m6i.large": small(0.05),
  "m5.4xlarge": { vcpus: 16, memoryGib: 64, priceUsdPerHour: 8, spot: { a: 0.32 } },
};

/** Eight pods that fill a small node each, on spot nodes. */
function planWith(settings: World["settings"] = {}, world: World = {}) {
  return planFor({
    catalog: catalogOf(types),
    pools: [nodePool("default", { requirements: [oneOf(label.capacityType, "spot")] })],
    pods: pendingPods(8, "web", { cpu: "2" }),
    settings: { spotSpreadShare: 1, volumePriceFactor: 0, ...settings },
    ...world,
  });
}

/** Spot offerings that each new node could be moved to, its own among them; the fewest first. */
function spotOfferings({ nodeClaims }: ProvisioningPlan): readonly number[] {
  return nodeClaims
    .map(({ offerings }) => offerings.filter(({ capacityType }) => capacityType === "spot").length)
    .sort((a, b) => a - b);
}

describe("a spot node", () => {
  it("has five spot offerings that hold its pods, and the plan says what that costs", () => {
    const plan = planWith();
    expectTypes(plan, ...Array.from({ length: 8 }, () => "m5.large"));
    expect(Math.min(...spotOfferings(plan))).toBe(7);
    expect(plan.spotFlexibilityUsdPerHour).toBeCloseTo(0.08, 9);
    expect(plan.priceUsdPerHour).toBeCloseTo(0.4, 9);
  });

  it("has as few as are cheapest where the setting says so, for nothing", () => {
    const plan = planWith({ spotMinOfferings: 0 });
    expectTypes(plan, "m5.4xlarge");
    expect(plan.spotFlexibilityUsdPerHour).toBe(0);
    expect(spotOfferings(plan)).toEqual([1]);
  });

  it("keeps them where the spread over offerings could only be had without", () => {
    const catalog = catalogOf({
      "m4.large": { vcpus: 2, memoryGib: 4, priceUsdPerHour: 0.4, spot: { a: 0.08, c: 0.08 } },
      "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.4, spot: { a: 0.082 } },
    });
    const inZone = { cpu: "500m", memory: "3Gi", spec: { nodeSelector: { [label.zone]: "a" } } };
    const large = pendingPods(2, "large", { cpu: "500m", memory: "6Gi" });
    const world = { catalog, pods: [...pendingPods(5, "small", inZone), ...large] };
    // Each small pod alone has two: a node that holds two of them has one.
    expect(spotOfferings(planWith({ spotSpreadShare: 0.4 }, world))).toEqual([1, 1, 2, 2, 2, 2, 2]);
  });

  it("needs no more of them than the setting says", () => {
    expectTypes(planWith({ spotMinOfferings: 1 }), "m5.4xlarge");
    const plan = planWith({ spotMinOfferings: 6 });
    expect(Math.min(...spotOfferings(plan))).toBe(7);
  });

  it("needs no more of them than the pod with the fewest has alone", () => {
    const onlyThere = { nodeSelector: { [label.zone]: "a" } };
    const plan = planWith({}, { pods: pendingPods(8, "web", { cpu: "2", spec: onlyThere }) });
    expectAllPlaced(plan);
    expect(Math.min(...spotOfferings(plan))).toBe(3);
    const large = planWith({}, { pods: [pendingPod("large", { cpu: "16" })] });
    expectTypes(large, "m5.4xlarge");
    expect(large.spotFlexibilityUsdPerHour).toBe(0);
  });

  it("leaves the other nodes as they are", () => {
    const pods = [pendingPod("large", { cpu: "16" }), ...pendingPods(8, "web", { cpu: "2" })];
    const plan = planWith({}, { pods });
    expectTypes(plan, "m5.4xlarge", ...Array.from({ length: 8 }, () => "m5.large"));
    expect(plan.spotFlexibilityUsdPerHour).toBeCloseTo(0.08, 9);
  });

  it("counts only those that keep its NodePool's limits", () => {
    const limited = (limits: Record<string, string>) => [
      nodePool("default", { requirements: [oneOf(label.capacityType, "spot")], limits }),
    ];
    const pods = pendingPods(1, "web", { cpu: "2" });
    const catalog = catalogOf({
      "m5.large": { ...small(0.05), spot: { a: 0.05 } },
      "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 1, spot: everywhere(0.07) },
    });
    const wide = planWith({}, { pods, catalog, pools: limited({ cpu: "100" }) });
    expectTypes(wide, "m5.large");
    expect(wide.spotFlexibilityUsdPerHour).toBe(0);
  });

  it("never costs a pod its place", () => {
    const pools = [nodePool("default", { requirements: [oneOf(label.capacityType, "spot")], limits: { nodes: "1" } })];
    const plan = planWith({}, { pools });
    expectTypes(plan, "m5.4xlarge");
    expect(plan.spotFlexibilityUsdPerHour).toBe(0);
  });

  it("is not an on-demand node that would be launched as one of too few spot offerings after all", () => {
    const cheap = { ...types["m5.4xlarge"], priceUsdPerHour: 0.33 };
    const plan = planWith({}, { catalog: catalogOf({ ...types, "m5.4xlarge": cheap }), pools: [nodePool()] });
    expect(Math.min(...spotOfferings(plan))).toBe(7);
  });

  it("is paid for in the plan's cost, which its bound does not count", () => {
    const plan = planWith();
    expect(plan.lowerBoundUsdPerHour).toBeLessThanOrEqual(planCostUsdPerHour(plan) - plan.spotFlexibilityUsdPerHour);
  });
});

describe("the rule about spot offerings", () => {
  const rule: MinValuesRule = {
    kind: "min-values",
    counts: "spot offerings",
    pool: 0,
    leastOfItem: Float64Array.of(3),
    listOfItem: Int32Array.of(0),
    holders: [
      { capacity: Float64Array.of(8), zoneMask: 0b001, accepts: Uint8Array.of(1), values: [] },
      { capacity: Float64Array.of(4), zoneMask: 0b011, accepts: Uint8Array.of(1), values: [] },
    ],
  };
  const column = {
    name: "",
    pool: 0,
    capacity: Float64Array.of(8),
    zonePrices: new Float64Array(3),
    limitUse: new Float64Array(),
  };
  const problem = (zoneMask: number): PackingProblem => ({
    dimensions: ["cpu"],
    zones: ["a", "b", "c"],
    items: [{ requests: Float64Array.of(1), count: 9, zoneMask, accepts: Uint8Array.of(1) }],
    columns: [],
    rules: [rule],
    pools: [],
    limitDimensions: [],
  });
  const keeps = (units: number, { isSpot = true, zoneMask = 0b111 } = {}) =>
    reachesMinValues(problem(zoneMask), rule, { ...column, isSpot }, [0], Float64Array.of(units));

  it("counts pairs of type and zone, in the zones that the pods may be in", () => {
    expect(keeps(4)).toBe(true);
    expect(keeps(5)).toBe(false);
    expect(keeps(4, { zoneMask: 0b110 })).toBe(false);
  });

  it("lets an on-demand node have what no spot offering holds, but not what too few hold", () => {
    expect(keeps(5, { isSpot: false })).toBe(false);
    expect(keeps(9, { isSpot: false })).toBe(true);
    expect(keeps(9)).toBe(false);
  });
});
