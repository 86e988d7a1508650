import { describe, expect, it } from "vitest";
import type { NodeClaimReport, PlanReport } from "../../cli/report/plan-json.ts";
import { planTable } from "../../cli/report/plan-table.ts";
import { fileOf, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { planOf } from "../support/command-line.ts";
import { noNodeCost } from "../support/plans.ts";

const agent = workloadManifest("DaemonSet", "agent", {}, { metadata: { namespace: "kube-system" } });
const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/os": "linux" } },
  status: { capacity: { cpu: "4", memory: "8Gi", pods: "20" }, allocatable: { cpu: "1", memory: "4Gi", pods: "20" } },
});
const deployment = (replicas: number) => workloadManifest("Deployment", "web", { replicas });

function reportOf(changes: Partial<PlanReport>): PlanReport {
  const totals = {
    pods: 0,
    scheduled: 0,
    nodes: 0,
    priceUsdPerHour: 0,
    lowerBoundUsdPerHour: 0,
    nodeCost: noNodeCost,
    costUsdPerHour: 0,
    costLowerBoundUsdPerHour: 0,
    spotFlexibilityUsdPerHour: 0,
    spotSpreadUsdPerHour: 0,
    preferenceCostUsdPerHour: 0,
  };
  return { nodeClaims: [], existingNodes: [], unschedulable: [], totals, waiting: [], ...changes };
}

function claim(nodePool: string): NodeClaimReport {
  return {
    name: `${nodePool}-8rdzzd1t3v`,
    nodePool,
    instanceType: "m7g.2xlarge",
    zone: "us-east-1a",
    capacityType: "on-demand",
    priceUsdPerHour: 0.3,
    pods: ["shop/a"],
    requests: {},
    allocatable: {},
    utilization: { cpu: 1, memory: 1 },
    priceUsdPerPodHour: 0.3,
    alternatives: [],
    reason: "",
    nodeCost: noNodeCost,
  };
}

describe("plan as JSON", () => {
  it("says why a pod without a node gets none, and does not count it", async () => {
    const gated = podManifest("gated", {}, { schedulingGates: [{ name: "quota" }] });
    const { waiting, totals } = await planOf(fileOf(...poolManifests(), gated));
    expect(waiting).toEqual([{ pod: "default/gated", reason: "it is held back by its scheduling gates: quota" }]);
    expect(totals.pods).toBe(0);
  });

  it("has the fields of the design in its order, then the waiting pods", async () => {
    const report = await planOf(fileOf(...poolManifests(), deployment(2)));
    expect(Object.keys(report)).toEqual(["nodeClaims", "existingNodes", "unschedulable", "totals", "waiting"]);
    const [claim] = report.nodeClaims;
    expect(Object.keys(claim ?? {})).toEqual([
      "name",
      "nodePool",
      "instanceType",
      "zone",
      "capacityType",
      "priceUsdPerHour",
      "pods",
      "requests",
      "allocatable",
      "utilization",
      "priceUsdPerPodHour",
      "alternatives",
      "reason",
      "nodeCost",
    ]);
    expect(Object.keys(claim?.requests ?? {})).toEqual(["cpu", "memory"]);
    expect(Object.keys(claim?.utilization ?? {})).toEqual(["cpu", "memory", "pods"]);
    expect(claim?.alternatives[0]).toMatch(/^[a-z0-9-]+\.[a-z0-9-]+\/us-east-1[a-f]\/on-demand$/);
  });

  it("counts DaemonSets among the requests and so in the utilization", async () => {
    const { nodeClaims } = await planOf(fileOf(...poolManifests(), deployment(1), agent));
    expect(nodeClaims[0]?.pods).toEqual(["default/web-0"]);
    expect(nodeClaims[0]?.requests.cpu).toBe("1");
  });

  it("keeps prices, and the bound beside them, the instances' alone, and states what the nodes cost beside them", async () => {
    const { nodeClaims, totals } = await planOf(fileOf(...poolManifests(), deployment(3), agent));
    const volumes = nodeClaims.reduce((sum, { nodeCost }) => sum + nodeCost.volumesUsdPerHour, 0);
    expect(totals.priceUsdPerHour).toBeCloseTo(
      nodeClaims.reduce((sum, one) => sum + one.priceUsdPerHour, 0),
      5,
    );
    expect(volumes).toBeCloseTo((nodeClaims.length * 20 * 0.08) / 730, 5);
    expect(totals.nodeCost.volumesUsdPerHour).toBeCloseTo(volumes, 5);
    expect(totals.costUsdPerHour).toBeCloseTo(totals.priceUsdPerHour + volumes, 5);
    expect(totals.lowerBoundUsdPerHour).toBeLessThanOrEqual(totals.priceUsdPerHour);
    expect(totals.costLowerBoundUsdPerHour).toBeLessThanOrEqual(totals.costUsdPerHour);
    expect(totals.costLowerBoundUsdPerHour).toBeGreaterThan(totals.lowerBoundUsdPerHour);
    expect(totals.nodeCost.daemonSetsUsdPerHour).toBeGreaterThan(0);
  });

  it("counts a charge per node where one is stated, and volumes at the price of the region", async () => {
    const manifests = fileOf(...poolManifests(), deployment(3));
    const { totals } = await planOf(manifests, { nodeCharge: 0.5, volumePriceFactor: 0 });
    expect(totals.nodeCost).toEqual({
      volumesUsdPerHour: 0,
      chargeUsdPerHour: 0.5 * totals.nodes,
      daemonSetsUsdPerHour: 0,
    });
    expect(totals.costUsdPerHour).toBeCloseTo(totals.priceUsdPerHour + 0.5 * totals.nodes, 5);
  });

  it("rounds to six decimals", async () => {
    const { nodeClaims } = await planOf(fileOf(...poolManifests(), deployment(3)));
    const [claim] = nodeClaims;
    for (const value of [claim?.priceUsdPerPodHour ?? 0, ...Object.values(claim?.utilization ?? {})]) {
      expect(value).toBe(Number(value.toFixed(6)));
    }
  });

  it("fills nodes that exist before it makes new ones", async () => {
    const running = podManifest("old", {}, { nodeName: "n1" }, { phase: "Running" });
    const { existingNodes, nodeClaims, totals } = await planOf(
      fileOf(...poolManifests(), node("n1"), running, deployment(1)),
    );
    expect(existingNodes).toEqual([{ name: "n1", pods: ["default/web-0"] }]);
    expect(nodeClaims).toEqual([]);
    expect(totals).toMatchObject({ pods: 1, scheduled: 1, nodes: 0, priceUsdPerHour: 0 });
  });
});

describe("plan as a table", () => {
  it("tells what the nodes cost beside their instances, and what each wish costs", () => {
    const totals = {
      ...reportOf({}).totals,
      nodes: 2,
      priceUsdPerHour: 1,
      nodeCost: { volumesUsdPerHour: 0.01, chargeUsdPerHour: 0.04, daemonSetsUsdPerHour: 0.1 },
      costUsdPerHour: 1.05,
      costLowerBoundUsdPerHour: 1,
      spotFlexibilityUsdPerHour: 0.02,
      spotSpreadUsdPerHour: 0.03,
    };
    expect(planTable(reportOf({ totals }))).toBe(
      [
        "0 of 0 pods placed; 2 new nodes for 1.0000 USD/h",
        "with 0.0100 for their volumes and 0.0400 for the charge per node: 1.0500 USD/h in all",
        "0.1000 USD/h of it is for DaemonSets",
        "0.0200 USD/h of it lets other spot offerings stand in",
        "0.0300 USD/h of it keeps spot nodes out of one basket",
        "lower bound 1.0000 USD/h: the plan is 5.0 % above the bound",
        "",
      ].join("\n"),
    );
  });

  it("fits 100 columns and closes with the totals and how far above the bound they are", async () => {
    const table = planTable(await planOf(fileOf(...poolManifests(), deployment(40))));
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(table).toMatch(/^NODE +POOL +TYPE +ZONE +CAPACITY +USD\/H +PODS +CPU +MEM\n/);
    expect(table).toMatch(/\n40 of 40 pods placed; \d+ new nodes? for \d\.\d{4} USD\/h\n/);
    expect(table).toMatch(/\nwith \d\.\d{4} for their volumes: \d\.\d{4} USD\/h in all\n/);
    expect(table).toMatch(/\nlower bound \d\.\d{4} USD\/h: the plan is \d+\.\d % above the bound\n$/);
  });

  it("tells of pods with the same reasons once", () => {
    const reasons = [{ nodePool: "general", reason: "does not tolerate the taint team=ml:NoSchedule" }];
    const unschedulable = Array.from({ length: 8 }, (_, index) => ({ pod: `shop/web-${index}`, reasons }));
    const other = { pod: "shop/db-0", reasons: [{ nodePool: "", reason: "is gated" }] };
    expect(planTable(reportOf({ unschedulable: [...unschedulable, other] }))).toContain(
      [
        "NO PLACE FOR 9 pods",
        "  8 of them: shop/web-0, shop/web-1, shop/web-2, shop/web-3, shop/web-4, shop/web-5 and 2 more",
        "    general: does not tolerate the taint team=ml:NoSchedule",
        "  1 of them: shop/db-0",
        "    is gated",
        "",
      ].join("\n"),
    );
  });

  it("leaves the count out where all pods have the same reasons", () => {
    const reasons = [{ nodePool: "", reason: "is gated" }];
    expect(planTable(reportOf({ unschedulable: [{ pod: "shop/db-0", reasons }] }))).toContain(
      "NO PLACE FOR 1 pod\n  shop/db-0\n    is gated\n",
    );
  });

  it("never cuts a node's name: the column of pools goes where names begin with them", () => {
    const [fits, long] = [planTable(reportOf({ nodeClaims: [claim("general")] })), "a-longer-name-of-a-pool"];
    expect(fits).toMatch(/^NODE +POOL +TYPE.*\ngeneral-8rdzzd1t3v +general +m7g/);
    const tooLong = planTable(reportOf({ nodeClaims: [claim(long)] }));
    expect(tooLong).toMatch(new RegExp(`^NODE +TYPE.*\n${long}-8rdzzd1t3v +m7g`));
    const renamed = planTable(reportOf({ nodeClaims: [{ ...claim(long), name: "node-of-somebody" }] }));
    expect(renamed).toMatch(/\nnode-of-somebody +a-longer-.*… +m7g/);
    for (const line of `${tooLong}${renamed}`.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("tells what keeping spot nodes apart costs", () => {
    const totals = { ...reportOf({}).totals, nodes: 4, spotSpreadUsdPerHour: 0.0114 };
    expect(planTable(reportOf({ totals }))).toContain("\n0.0114 USD/h of it keeps spot nodes out of one basket\n");
  });

  it("tells of the pods that are left without a node by what they wait for", () => {
    const gated = "it is held back by its scheduling gates: quota";
    const waiting = [
      { pod: "shop/a", reason: gated },
      { pod: "shop/b", reason: "it is being deleted" },
      { pod: "shop/c", reason: gated },
    ];
    expect(planTable(reportOf({ waiting }))).toContain(
      `NO NODE IS PLANNED FOR 3 pods\n  2 of them: shop/a, shop/c\n    ${gated}\n  1 of them: shop/b\n    it is being deleted\n`,
    );
  });

  it("lists the pods that go to nodes that exist", () => {
    const existingNodes = [{ name: "n1", pods: ["shop/a", "shop/b"] }];
    expect(planTable(reportOf({ existingNodes }))).toContain("n1                2  shop/a, shop/b");
  });

  it("says so when nothing is to be done", () => {
    expect(planTable(reportOf({}))).toBe("0 of 0 pods placed; 0 new nodes for 0.0000 USD/h\n");
  });
});
