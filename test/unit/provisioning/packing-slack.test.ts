import { describe, expect, it } from "vitest";
import { catalogOf } from "../../support/catalog.ts";
import { expectAllPlaced, expectTypes } from "../../support/plans.ts";
import { pendingPods } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const small = { "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 } };
const both = { ...small, "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 } };

function planWithSlack(packingSlackPercent: number, types: Parameters<typeof catalogOf>[0], pods: object) {
  return planFor({
    catalog: catalogOf(types),
    pods: Object.entries(pods).flatMap(([cpu, count]) => pendingPods(count, `asks-${cpu}`, { cpu })),
    settings: { nominatePods: false, packingSlackPercent },
  });
}

describe("the slack of a plan without nominations", () => {
  it("leaves a share of each new node free", () => {
    expectTypes(planWithSlack(0, small, { "1": 4 }), "m5.large", "m5.large");
    expectTypes(planWithSlack(5, small, { "1": 4 }), "m5.large", "m5.large", "m5.large", "m5.large");
  });

  it("leaves none where nothing else holds a pod, which then has a node of its own", () => {
    const plan = planWithSlack(5, small, { "1950m": 2, "50m": 2 });
    expectAllPlaced(plan);
    expect(plan.nodeClaims.map(({ pods }) => pods.length).sort()).toEqual([1, 1, 2]);
  });

  it("is left for all other pods, whichever nodes one pod needs in whole", () => {
    const plan = planWithSlack(5, small, { "2": 1, "1": 4 });
    expectAllPlaced(plan);
    expect(plan.nodeClaims).toHaveLength(5);
  });

  it("is left for a pod that a larger node holds", () => {
    expectTypes(planWithSlack(5, both, { "2": 1 }), "m5.xlarge");
  });

  it("never makes a plan cheaper by being larger", () => {
    const prices = [0, 2, 5, 10, 25].map((percent) => {
      const plan = planWithSlack(percent, both, { "2": 3, "3900m": 2, "1": 7, "450m": 9 });
      expectAllPlaced(plan);
      return plan.priceUsdPerHour;
    });
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  });
});
