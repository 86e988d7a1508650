import { describe, expect, it } from "vitest";
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
