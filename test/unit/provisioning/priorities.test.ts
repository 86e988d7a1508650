import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { nodePool } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectExisting, expectUnschedulable } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const urgent = { spec: { priority: 1_000 } };

describe("where a NodePool's limits leave pods without a node", () => {
  const pools = [nodePool("default", { limits: { cpu: "4" } })];

  it("those of lower priority give way, and no more of them than must", () => {
    const pods = [...pendingPods(3, "batch", { cpu: "1900m" }), pendingPod("urgent", { cpu: "1900m", ...urgent })];
    const plan = planFor({ pods, pools });
    expect(plan.nodeClaims.flatMap((claim) => claim.pods.map(({ name }) => name)).sort()).toContain("urgent");
    expect(plan.nodeClaims.flatMap((claim) => claim.pods)).toHaveLength(2);
    expectUnschedulable(plan, ["batch-1", "batch-2"], /limits are reached/);
  });

  it("priorities do not matter while all have room", () => {
    expectAllPlaced(planFor({ pods: [pendingPod("batch"), pendingPod("urgent", urgent)], pools }));
  });

  it("a pod too large for any node takes nobody's place", () => {
    const pods = [pendingPod("batch"), pendingPod("huge", { cpu: "1000", ...urgent })];
    expectUnschedulable(planFor({ pods, pools }), ["huge"], "cpu");
  });
});

it("room that exists goes to the pod of the highest priority, as kube-scheduler will give it", () => {
  const pods = [pendingPod("batch", { cpu: "3" }), pendingPod("urgent", { cpu: "2", ...urgent })];
  const plan = planFor({ pods, nodes: [plainNode("node-0", { zone: "a", cpu: "4" })] });
  expectExisting(plan, { "node-0": "urgent" });
});

describe("a pod of high priority that a limit refuses", () => {
  const urgentIn = (pool: string, cpu: string) =>
    pendingPod("urgent", { cpu, spec: { priority: 1_000, nodeSelector: { [label.nodePool]: pool } } });

  it("takes nothing from NodePools that it cannot use", () => {
    const pools = [nodePool("full", { limits: { cpu: "2" } }), nodePool("open")];
    const batch = pendingPods(3, "batch", { spec: { nodeSelector: { [label.nodePool]: "open" } } });
    expectUnschedulable(planFor({ pods: [...batch, urgentIn("full", "3")], pools }), ["urgent"], "limits are reached");
  });

  it("takes nothing where it would not fit even alone", () => {
    const pools = [nodePool("default", { limits: { cpu: "8" } })];
    const pods = [...pendingPods(3, "batch"), urgentIn("default", "10")];
    expectUnschedulable(planFor({ pods, pools }), ["urgent"], "limits are reached");
  });

  it("sends others to another NodePool of the same weight where there is one", () => {
    const pools = [nodePool("full", { limits: { cpu: "2" } }), nodePool("open")];
    expectAllPlaced(planFor({ pods: [...pendingPods(3, "batch"), urgentIn("full", "2")], pools }));
  });
});

it("pods fall through as many NodePools as it takes", () => {
  const pools = Array.from({ length: 20 }, (_, index) =>
    nodePool(`p${index}`, { weight: 100 - index, limits: { cpu: "2" } }),
  );
  expectAllPlaced(planFor({ pods: pendingPods(20, "web", { cpu: "1500m" }), pools }));
});
