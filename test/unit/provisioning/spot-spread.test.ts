import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { ProvisioningPlan } from "../../../shared/provisioning/plan.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced } from "../../support/plans.ts";
import { pendingPods } from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";

const spotPool = nodePool("default", { requirements: [oneOf(label.capacityType, "spot")] });
const line = (vcpus: number, spot: Readonly<Record<string, number>>) => ({
  vcpus,
  memoryGib: 4 * vcpus,
  priceUsdPerHour: 9,
  spot,
});
/** Each size is cheap in one zone and a seventh dearer in the next. */
const types = {
  "m5.large": line(2, { a: 0.1, b: 0.114 }),
  "m5.xlarge": line(4, { b: 0.201, c: 0.228 }),
  "m5.2xlarge": line(8, { c: 0.403, a: 0.456 }),
};

function planWith(settings: World["settings"] = {}, world: World = {}) {
  const plan = planFor({
    catalog: catalogOf(types),
    pools: [spotPool],
    pods: pendingPods(80, "web", { cpu: "1" }),
    settings: { volumePriceFactor: 0, spotMinOfferings: 0, ...settings },
    ...world,
  });
  expectAllPlaced(plan);
  return plan;
}

function mostInOneOffering({ nodeClaims }: ProvisioningPlan): number {
  const places = Map.groupBy(nodeClaims, ({ offerings: [{ instanceType, zone }] }) => `${instanceType}/${zone}`);
  return Math.max(...[...places.values()].map((nodes) => nodes.length));
}

describe("a plan's spot nodes", () => {
  it("are kept apart by other sizes where that costs less than other zones", () => {
    const together = planWith({ spotSpreadShare: 1 });
    expect(together.priceUsdPerHour).toBeCloseTo(4, 6);
    expect(mostInOneOffering(together)).toBe(40);
    const apart = planWith();
    expect(mostInOneOffering(apart)).toBeLessThanOrEqual(Math.floor(0.4 * apart.nodeClaims.length));
    expect(apart.priceUsdPerHour).toBeLessThan(4 * 1.01);
  });

  it("cost what the plan says keeps them apart, and nothing where any share will do", () => {
    const [together, apart] = [planWith({ spotSpreadShare: 1 }), planWith()];
    expect(together.spotSpreadUsdPerHour).toBe(0);
    expect(apart.spotSpreadUsdPerHour).toBeCloseTo(apart.priceUsdPerHour - together.priceUsdPerHour, 9);
  });

  it("may be more in one offering where no other size and no near zone holds the same pods", () => {
    const only = { "m5.large": line(2, { a: 0.1, b: 0.12 }) };
    const plan = planWith({}, { catalog: catalogOf(only), pods: pendingPods(20, "web", { cpu: "2" }) });
    expect(mostInOneOffering(plan)).toBe(20);
    expect(plan.spotSpreadUsdPerHour).toBe(0);
  });

  it("are kept apart from those that the NodePool has already", () => {
    const labels = { [label.capacityType]: "spot", [label.instanceType]: "m5.large", [label.zone]: "a" };
    const nodeClaims = Array.from({ length: 16 }, (_, index) => nodeClaim(`old-${index}`, { labels }));
    const plan = planWith({}, { nodeClaims, pods: pendingPods(8, "web", { cpu: "2" }) });
    const places = plan.nodeClaims.map(({ offerings: [{ instanceType, zone }] }) => `${instanceType}/${zone}`);
    expect(places).not.toContain("m5.large/a");
  });

  it("are not moved by what another share of pods must have", () => {
    const bound = { nodeSelector: { [label.instanceType]: "m5.large", [label.zone]: "a" } };
    const pods = [...pendingPods(30, "bound", { cpu: "2", spec: bound }), ...pendingPods(20, "free", { cpu: "1" })];
    const plan = planWith({}, { pods });
    const withBound = plan.nodeClaims.filter((claim) => claim.pods.some(({ name }) => name.startsWith("bound")));
    expect(withBound).toHaveLength(30);
  });
});
