import { describe, expect, it } from "vitest";
import { daemonSetNamed, type PodInput } from "../../support/cluster-objects.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectTypes, expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const taint = { key: "dedicated", effect: "NoSchedule" } as const;

/** The plan for one pod of 1500m, which an m5.large holds alone but not beside a daemon of 1 CPU. */
function planBeside(daemon: PodInput, pool = nodePool(), pod: PodInput = {}) {
  const daemonSets = [daemonSetNamed("agent", { cpu: "1", ...daemon })];
  return planFor({ pods: [pendingPod("web", { cpu: "1500m", ...pod })], daemonSets, pools: [pool] });
}

describe("DaemonSets on new nodes", () => {
  it("take their share, which the claim asks for too", () => {
    const plan = planBeside({});
    expectTypes(plan, "m5.xlarge");
    expect(plan.nodeClaims[0]?.requests.cpu).toBe(2_500);
  });

  it("ask for their limits where they state no requests", () => {
    expectTypes(planBeside({ spec: { containers: [{ resources: { limits: { cpu: "1" } } }] } }), "m5.xlarge");
  });

  it.each([
    ["that do not tolerate the NodePool", {}, nodePool("p", { taints: [taint] })],
    ["that no type suits", { spec: { nodeSelector: { "kubernetes.io/arch": "riscv" } } }, nodePool()],
    ["for another label", { spec: { nodeSelector: { team: "b" } } }, nodePool("p", { labels: { team: "a" } })],
  ])("%s take nothing", (_, daemon: PodInput, pool) => {
    const tolerations = [{ operator: "Exists" as const }];
    expectTypes(planBeside(daemon, pool, { spec: { tolerations } }), "m5.large");
  });

  it.each([
    ["behind a startup taint", {}, nodePool("p", { startupTaints: [taint] })],
    ["behind a soft taint", {}, nodePool("p", { taints: [{ ...taint, effect: "PreferNoSchedule" }] })],
    [
      "for a label of the NodePool",
      { spec: { nodeSelector: { team: "a" } } },
      nodePool("p", { labels: { team: "a" } }),
    ],
    ["for initialized nodes", { spec: { nodeSelector: { "karpenter.sh/initialized": "true" } } }, nodePool()],
    [
      "with one OR-term that matches",
      { spec: nodeTerms([["team", "Exists"]], [["team", "DoesNotExist"]]) },
      nodePool(),
    ],
  ])("%s take their share", (_, daemon: PodInput, pool) => {
    expectTypes(planBeside(daemon, pool), "m5.xlarge");
  });

  it("count on the types they run on only", () => {
    const arm = { spec: { nodeSelector: { "kubernetes.io/arch": "arm64" } } };
    expectTypes(planBeside(arm, nodePool("p", { requirements: [oneOf("kubernetes.io/arch", "amd64")] })), "m5.large");
  });

  it("that fit no node leave no node to make, also for pods that ask for nothing", () => {
    const reason = "no instance type is large enough for the DaemonSets";
    expectUnschedulable(planBeside({ cpu: "10000" }, nodePool(), { cpu: "0" }), ["web"], reason);
  });

  it("keep their host port from pods", () => {
    const container = { ports: [{ hostPort: 80 }], resources: { requests: { cpu: "100m" } } };
    const plan = planBeside({ spec: { containers: [container] } }, nodePool(), { spec: { containers: [container] } });
    expectUnschedulable(plan, ["web"], "host port 80 is always taken by DaemonSet default/agent");
  });
});
