import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { nodePoolFaults } from "../../../shared/api/node-pool-faults.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced } from "../../support/plans.ts";
import { pendingPods } from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";

const catalog = catalogOf({
  "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { a: 0.03, b: 0.031 } },
  "m6i.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.11, spot: { a: 0.032, b: 0.033 } },
});
const both = oneOf(label.capacityType, "spot", "on-demand");

function poolWith(annotations: Readonly<Record<string, string>>) {
  const pool = nodePool("default", { requirements: [both] });
  return { ...pool, metadata: { ...pool.metadata, annotations } };
}

function capacityTypes(annotations: Readonly<Record<string, string>>, world: World = {}): readonly string[] {
  const pods = pendingPods(10, "web", { cpu: "1500m" });
  const plan = planFor({ catalog, pools: [poolWith(annotations)], pods, ...world });
  expectAllPlaced(plan);
  return plan.nodeClaims.map(({ offerings: [{ capacityType }] }) => capacityType);
}

function onDemandOf(capacityTypes: readonly string[]): number {
  return capacityTypes.filter((capacityType) => capacityType === "on-demand").length;
}

function existing(name: string, capacityType: string): NodeClaim {
  const labels = { [label.capacityType]: capacityType, [label.instanceType]: "m5.large", [label.zone]: "a" };
  return nodeClaim(name, { labels, status: { providerID: `aws:///a/i-${name}` } });
}

describe("a NodePool's share of on-demand nodes", () => {
  it("is nothing unless it is asked for", () => {
    expect(onDemandOf(capacityTypes({}))).toBe(0);
  });

  it("is the first so many nodes", () => {
    expect(onDemandOf(capacityTypes({ "journeyman.sh/on-demand-base": "2" }))).toBe(2);
    expect(onDemandOf(capacityTypes({ "journeyman.sh/on-demand-base": "50" }))).toBe(10);
  });

  it("is so many per cent of those beyond, rounded up", () => {
    const percentage = { "journeyman.sh/on-demand-percentage": "25" };
    expect(onDemandOf(capacityTypes(percentage))).toBe(3);
    expect(onDemandOf(capacityTypes({ ...percentage, "journeyman.sh/on-demand-base": "2" }))).toBe(4);
  });

  it("counts the nodes that there are", () => {
    const base = { "journeyman.sh/on-demand-base": "2" };
    const nodeClaims = [existing("one", "on-demand"), existing("two", "spot")];
    expect(onDemandOf(capacityTypes(base, { nodeClaims }))).toBe(1);
    const enough = ["one", "two"].map((name) => existing(name, "on-demand"));
    expect(onDemandOf(capacityTypes(base, { nodeClaims: enough }))).toBe(0);
  });

  it("keeps its nodes off spot whatever becomes of the first offering, and says why they cost more", () => {
    const pods = pendingPods(1, "web", { cpu: "1500m" });
    const pools = [poolWith({ "journeyman.sh/on-demand-base": "1" })];
    const [claim] = planFor({ catalog, pools, pods }).nodeClaims;
    expect(claim?.offerings.map(({ capacityType }) => capacityType)).not.toContain("spot");
    expect(claim?.requirements.get(label.capacityType)?.values).toEqual(new Set(["on-demand"]));
    expect(claim?.reason).toMatch(/^on-demand by the NodePool's share, cheapest for this pod: m5.large on-demand/);
  });

  it("leaves pods alone that want spot, or are spread over capacity types", () => {
    const wanting = pendingPods(3, "spot", { cpu: "1500m", spec: { nodeSelector: { [label.capacityType]: "spot" } } });
    const base = { "journeyman.sh/on-demand-base": "3" };
    expect(onDemandOf(capacityTypes(base, { pods: wanting }))).toBe(0);
    const spread = { maxSkew: 9, topologyKey: label.capacityType, whenUnsatisfiable: "DoNotSchedule" as const };
    const labelSelector = { matchLabels: { app: "web" } };
    const spec = { topologySpreadConstraints: [{ ...spread, labelSelector }] };
    const pods = pendingPods(3, "web", { app: "web", cpu: "1500m", spec });
    expect(onDemandOf(capacityTypes(base, { pods }))).toBe(onDemandOf(capacityTypes({}, { pods })));
  });

  it("is on spot again where on-demand cannot be had", () => {
    const refused = { zone: "*", capacityType: "on-demand", untilAt: 1, times: 1, code: "VcpuLimitExceeded" };
    const unavailable = [{ instanceType: "*", ...refused }];
    expect(onDemandOf(capacityTypes({ "journeyman.sh/on-demand-base": "2" }, { unavailable }))).toBe(0);
  });

  it.each([
    ["on-demand-base", "two"],
    ["on-demand-base", "-1"],
    ["on-demand-percentage", "101"],
    ["on-demand-percentage", "10%"],
  ])("%s: %s is a fault of the NodePool, which is then left alone and says so", (name, value) => {
    const pool = poolWith({ [`journeyman.sh/${name}`]: value });
    const [fault] = nodePoolFaults(pool);
    expect(fault).toMatchObject({ path: `metadata.annotations["journeyman.sh/${name}"]`, found: `"${value}"` });
    expect(planFor({ catalog, pools: [pool], pods: pendingPods(1, "web") }).nodeClaims).toEqual([]);
  });
});
