import { describe, expect, it } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import type { Settings } from "../../../shared/state/settings.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodePool } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectExisting, expectNodes, expectSpread } from "../../support/plans.ts";
import { hostnameSpread, pendingPod, pendingPods, zoneSpread } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const soft = { whenUnsatisfiable: "ScheduleAnyway" } as const;

function planWith(world: World, settings: Partial<Settings> = {}) {
  const snapshot = snapshotWith(world);
  return planProvisioning({ ...snapshot, settings: { ...snapshot.settings, ...settings } });
}

/** Preferred node affinity, one term each. */
function prefers(...terms: readonly (readonly [weight: number, key: string, value: string])[]): Partial<PodSpec> {
  return {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, key, value]) => ({
          weight,
          preference: { matchExpressions: [{ key, operator: "In" as const, values: [value] }] },
        })),
      },
    },
  };
}

/** Spot in zone b costs `percent` more than in zone a. */
function dearerZoneB(percent: number) {
  const spot = { a: 0.1, b: 0.1 * (1 + percent / 100) };
  return catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.5, spot } });
}

describe("a preference", () => {
  it("is kept where it costs nothing", () => {
    const pods = pendingPods(4, "web", { cpu: "2", spec: zoneSpread("web", { ...soft }) });
    const plan = planWith({ pods }, { volumePriceFactor: 0 });
    expectSpread(plan, "zone", [1, 1, 2]);
    expect(plan.preferenceCostUsdPerHour).toBe(0);
  });

  it("costs the volumes of the nodes that there are more of", () => {
    const pods = pendingPods(4, "web", { cpu: "2", spec: zoneSpread("web", { ...soft }) });
    const plan = planWith({ pods });
    expectSpread(plan, "zone", [1, 1, 2]);
    expect(plan.preferenceCostUsdPerHour).toBeCloseTo((2 * 20 * 0.08) / 730, 9);
  });

  it("is kept as far as it raises the price by ten percent, and reported", () => {
    const pods = [pendingPod("web", { spec: prefers([1, label.zone, "b"]) })];
    const plan = planWith({ pods, catalog: dearerZoneB(10) });
    expectNodes(plan, "m5.large in b: web");
    expect(plan.preferenceCostUsdPerHour).toBeCloseTo(0.01, 9);
  });

  it("is given up where it costs more", () => {
    const pods = [pendingPod("web", { spec: prefers([1, label.zone, "b"]) })];
    const plan = planWith({ pods, catalog: dearerZoneB(11) });
    expectNodes(plan, "m5.large in a: web");
    expect(plan.preferenceCostUsdPerHour).toBe(0);
  });

  it("may cost what the setting allows", () => {
    const pods = [pendingPod("web", { spec: prefers([1, label.zone, "b"]) })];
    const plan = planWith({ pods, catalog: dearerZoneB(50) }, { preferenceMaxCostPercent: 50 });
    expectNodes(plan, "m5.large in b: web");
  });

  it("counts for nothing under the policy Ignore", () => {
    const pods = [pendingPod("web", { spec: prefers([1, label.zone, "b"]) })];
    const plan = planWith({ pods, catalog: dearerZoneB(5) }, { preferencePolicy: "Ignore" });
    expectNodes(plan, "m5.large in a: web");
  });

  it("of one workload is kept although that of another is too dear", () => {
    const pods = [
      pendingPod("cheap", { spec: prefers([1, label.zone, "c"]) }),
      ...pendingPods(20, "dear", { cpu: "100m", spec: hostnameSpread("dear", { ...soft }) }),
    ];
    const plan = planWith({ pods });
    expectAllPlaced(plan);
    expect(plan.nodeClaims.find((claim) => claim.pods.some(({ name }) => name === "cheap"))?.offerings[0].zone).toBe(
      "c",
    );
    expect(plan.nodeClaims.length).toBeLessThan(3);
  });

  it("buys no node while pods have room on those that exist", () => {
    const pods = pendingPods(2, "web", { cpu: "500m", spec: hostnameSpread("web", { ...soft }) });
    const plan = planWith({ pods, nodes: [plainNode("node-0", { zone: "a", cpu: "4" })] });
    expectExisting(plan, { "node-0": "web-0 web-1" });
    expect(plan.nodeClaims).toEqual([]);
  });
});

describe("preferences that cannot all be", () => {
  it("are given up the heaviest node affinity first", () => {
    const terms = prefers([1, label.zone, "a"], [100, label.zone, "nowhere"], [50, label.zone, "b"]);
    expectNodes(planWith({ pods: [pendingPod("web", { spec: terms })] }), "m5.large in b: web");
  });

  it("give up pod affinity before node affinity", () => {
    const affinity = {
      ...prefers([1, label.zone, "b"]).affinity,
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: label.zone, labelSelector: { matchLabels: { app: "missing" } } },
          },
        ],
      },
    };
    expectNodes(planWith({ pods: [pendingPod("web", { spec: { affinity } })] }), "m5.large in b: web");
  });

  it("never cost a pod its place", () => {
    const preferred = {
      topologyKey: label.zone,
      labelSelector: { matchLabels: { app: "web" } },
    };
    const affinity = {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: preferred }],
      },
    };
    const plan = planWith({ pods: pendingPods(5, "web", { spec: { affinity } }) });
    expectAllPlaced(plan);
  });
});

describe("a PreferNoSchedule taint", () => {
  const taints = [{ key: "last", effect: "PreferNoSchedule" as const }];

  it("is avoided while another NodePool will do, also under the policy Ignore", () => {
    const world = { pods: [pendingPod("web")], pools: [nodePool("a-tainted", { taints }), nodePool("plain")] };
    expect(planWith(world).nodeClaims.map((claim) => claim.nodePool)).toEqual(["plain"]);
    expect(planWith(world, { preferencePolicy: "Ignore" }).nodeClaims.map((claim) => claim.nodePool)).toEqual([
      "plain",
    ]);
  });

  it("refuses nobody", () => {
    const plan = planWith({ pods: [pendingPod("web")], pools: [nodePool("tainted", { taints })] });
    expectAllPlaced(plan);
  });
});
