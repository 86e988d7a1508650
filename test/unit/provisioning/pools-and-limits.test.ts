import { describe, expect, it } from "vitest";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectTypes, expectUnschedulable } from "../../support/plans.ts";
import { awayFrom, pendingPod, pendingPods } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const poolsUsed = (plan: ReturnType<typeof planFor>) => plan.nodeClaims.map(({ nodePool: name }) => name).sort();
const dear = oneOf("node.kubernetes.io/instance-type", "m5.4xlarge");

describe("NodePools", () => {
  it("of greater weight are used while they can be, whatever they cost", () => {
    const pools = [nodePool("cheap", { weight: 1 }), nodePool("heavy", { weight: 50, requirements: [dear] })];
    expect(poolsUsed(planFor({ pods: [pendingPod("p")], pools }))).toEqual(["heavy"]);
  });

  it("of equal weight compete on price", () => {
    const pools = [nodePool("a-dear", { requirements: [dear] }), nodePool("b-cheap")];
    expect(poolsUsed(planFor({ pods: [pendingPod("p")], pools }))).toEqual(["b-cheap"]);
  });

  it("give way to lighter ones for pods that they cannot take", () => {
    const pools = [
      nodePool("light"),
      nodePool("heavy", { weight: 9, requirements: [oneOf("kubernetes.io/arch", "arm64")] }),
    ];
    const pods = [pendingPod("small"), pendingPod("large", { cpu: "8" })];
    expect(poolsUsed(planFor({ pods, pools }))).toEqual(["heavy", "light"]);
  });

  it("may be chosen by a pod", () => {
    const pools = [nodePool("light"), nodePool("heavy", { weight: 9 })];
    const spec = { nodeSelector: { "karpenter.sh/nodepool": "light" } };
    expect(poolsUsed(planFor({ pods: [pendingPod("p", { spec })], pools }))).toEqual(["light"]);
  });

  it.each([
    ["that is static", nodePool("p", { replicas: 1 }), "static"],
    ["that is being deleted", nodePool("p", { deletedAt: "2026-01-01T00:00:00Z" }), "being deleted"],
    ["without its class", nodePool("p", { nodeClass: "gone" }), "EC2NodeClass gone does not exist"],
  ])("%s take no part", (_, pool, reason) => {
    expectUnschedulable(planFor({ pods: [pendingPod("web")], pools: [pool] }), ["web"], reason);
  });

  it("that contradict themselves name the requirements that do", () => {
    const arch = "kubernetes.io/arch";
    const pool = nodePool("p", { requirements: [oneOf(arch, "amd64"), oneOf(arch, "arm64")] });
    const reason = `the NodePool's requirements contradict one another: ${arch} In [amd64] and ${arch} In [arm64]`;
    expectUnschedulable(planFor({ pods: [pendingPod("web")], pools: [pool] }), ["web"], reason);
  });

  it("that are none at all are the reason", () => {
    expectUnschedulable(planFor({ pods: [pendingPod("web")], pools: [] }), ["web"], "there is no NodePool");
  });
});

describe("limits", () => {
  const limited = (limits: Record<string, string>) => [nodePool("default", { limits })];

  it("admit nodes up to the last one that fits", () => {
    expectTypes(planFor({ pods: [pendingPod("p", { cpu: "1750m" })], pools: limited({ cpu: "2" }) }), "m5.large");
    const reason = "the NodePool's limits are reached: cpu 2 (0 in use, ";
    expectUnschedulable(
      planFor({ pods: [pendingPod("p", { cpu: "2100m" })], pools: limited({ cpu: "2" }) }),
      ["p"],
      reason,
    );
  });

  it("hold within one batch", () => {
    const pods = pendingPods(2, "p", { cpu: "1500m", spec: awayFrom("p") });
    const plan = planFor({ pods, pools: limited({ cpu: "3" }) });
    expectUnschedulable(plan, ["p-1"], "limits are reached");
    expect(plan.nodeClaims).toHaveLength(1);
  });

  it("on the number of nodes hold within one batch", () => {
    const plan = planFor({ pods: pendingPods(5, "p", { spec: awayFrom("p") }), pools: limited({ nodes: "3" }) });
    expectUnschedulable(plan, ["p-3", "p-4"], "nodes 3 (0 in use, 3 in this plan)");
    expect(plan.nodeClaims).toHaveLength(3);
  });

  it("on the number of nodes make the nodes larger", () => {
    const pods = pendingPods(20, "p", { cpu: "1500m" });
    expectAllPlaced(planFor({ pods, pools: limited({ nodes: "2" }) }));
  });

  it("count what the NodePool has", () => {
    const { node, claim } = claimedNode("n", { cpu: "4", taints: [{ key: "full", effect: "NoSchedule" }] });
    const world = { nodes: [node], nodeClaims: [claim], pods: [pendingPod("p")] };
    expectUnschedulable(planFor({ ...world, pools: limited({ cpu: "5" }) }), ["p"], "cpu 5 (4 in use, 0 in this plan)");
    expectTypes(planFor({ ...world, pools: limited({ cpu: "6" }) }), "m5.large");
    expectUnschedulable(planFor({ ...world, pools: limited({ cpu: "3" }) }), ["p"], "cpu 3 (4 in use, 0 in this plan)");
  });

  it("send what is over to a lighter NodePool", () => {
    const pools = [nodePool("light"), nodePool("heavy", { weight: 9, limits: { cpu: "2" } })];
    const plan = planFor({ pods: pendingPods(2, "p", { cpu: "2", spec: awayFrom("p") }), pools });
    expect(poolsUsed(plan)).toEqual(["heavy", "light"]);
  });

  it.each([
    ["4", ["m5.large"]],
    ["7", ["m5.large"]],
    ["8", ["m5.large", "m5.xlarge", "m6g.xlarge"]],
  ])("of %s CPUs are kept by two nodes' alternatives, whichever of them they become", (cpu, types) => {
    const pods = pendingPods(2, "p", { spec: awayFrom("p") });
    const { nodeClaims } = planFor({ pods, pools: limited({ cpu }) });
    const offered = nodeClaims.map(({ offerings }) => new Set(offerings.map(({ instanceType }) => instanceType)));
    expect(offered).toEqual([new Set(types), new Set(types)]);
  });
});
