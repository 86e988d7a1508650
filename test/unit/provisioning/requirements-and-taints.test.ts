import { describe, expect, it } from "vitest";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced, expectNodes, expectTypes, expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const batch = { key: "dedicated", value: "batch", effect: "NoSchedule" } as const;
const zone = "topology.kubernetes.io/zone";

describe("a pod's requirements", () => {
  it("choose among zones", () => {
    expectNodes(planFor({ pods: [pendingPod("p", { spec: { nodeSelector: { [zone]: "b" } } })] }), "m5.large in b: p");
    expectNodes(
      planFor({ pods: [pendingPod("p", { spec: nodeTerms([[zone, "NotIn", "a", "b"]]) })] }),
      "m5.large in c: p",
    );
  });

  it("choose among instance types by integer labels", () => {
    const spec = nodeTerms([["karpenter.k8s.aws/instance-cpu", "Gt", "4"]]);
    expectTypes(planFor({ pods: [pendingPod("p", { spec })] }), "m5.2xlarge");
  });

  it("use the first OR-term that some NodePool can serve", () => {
    const spec = nodeTerms([[zone, "In", "x"]], [["nobody", "Exists"]], [[zone, "In", "b"]], [[zone, "In", "a"]]);
    expectNodes(planFor({ pods: [pendingPod("p", { spec })] }), "m5.large in b: p");
  });

  it.each([
    ["a zone that nothing is sold in", nodeTerms([[zone, "In", "x"]]), "topology.kubernetes.io/zone In [x]"],
    [
      "a hostname",
      { nodeSelector: { "kubernetes.io/hostname": "n" } },
      "the name of a new node is not known before it is there",
    ],
    ["a label nobody defines", { nodeSelector: { team: "a" } }, "label team is not defined, wanted team In [a]"],
    [
      "a mistyped label",
      { nodeSelector: { "topology.kubernetes.io/zones": "a" } },
      "did you mean topology.kubernetes.io/zone?",
    ],
  ])("that ask for %s are refused by name", (_, spec, reason) => {
    expectUnschedulable(planFor({ pods: [pendingPod("p", { spec })] }), ["p"], reason);
  });

  it("that are too large name the nearest type and what it lacks", () => {
    const plan = planFor({ pods: [pendingPod("p", { cpu: "20" })] });
    expectUnschedulable(plan, ["p"], /nearest of \d+, m5\.4xlarge, lacks cpu 20 \(has 16\)/);
  });

  it("keep pods of different architectures apart", () => {
    const on = (arch: string) => pendingPod(arch, { spec: { nodeSelector: { "kubernetes.io/arch": arch } } });
    expectTypes(planFor({ pods: [on("amd64"), on("arm64")] }), "m5.large", "m6g.xlarge");
  });
});

describe("a NodePool's own labels", () => {
  const pools = [nodePool("default", { requirements: [oneOf("team", "a", "b", "c")] })];
  const wanting = (name: string, ...teams: string[]) =>
    pendingPod(name, { spec: nodeTerms([["team", "In", ...teams]]) });
  const teamOf = (pods: ReturnType<typeof pendingPod>[], index = 0) => [
    ...(planFor({ pods, pools }).nodeClaims[index]?.requirements.get("team")?.values ?? []),
  ];

  it("are settled to one value that the pods accept", () => {
    expect(teamOf([wanting("p", "c", "b")])).toEqual(["b"]);
    expect(teamOf([pendingPod("p")])).toEqual(["a"]);
  });

  it("let pods share a node whose wishes have a value in common", () => {
    const pods = [
      wanting("p", "a", "b"),
      wanting("q", "b", "c"),
      pendingPod("r", { spec: nodeTerms([["team", "Exists"]]) }),
    ];
    expectNodes(planFor({ pods, pools }), "m5.xlarge in a: p q r");
    expect(teamOf(pods)).toEqual(["b"]);
  });

  it("keep apart pods that agree in pairs but not all together", () => {
    const pods = [wanting("p", "a", "b"), wanting("q", "b", "c"), wanting("r", "c", "a")];
    const plan = planFor({ pods, pools });
    expectAllPlaced(plan);
    expect(plan.nodeClaims).toHaveLength(2);
  });

  it("that only have to exist get a value", () => {
    const open = [nodePool("default", { requirements: [{ key: "slot", operator: "Exists" }] })];
    const [claim] = planFor({
      pods: [pendingPod("p", { spec: nodeTerms([["slot", "Gt", "5"]]) })],
      pools: open,
    }).nodeClaims;
    expect([...(claim?.requirements.get("slot")?.values ?? [])]).toEqual(["6"]);
  });

  it("may be excluded by a pod, which then keeps off them", () => {
    const spec = nodeTerms([["team", "DoesNotExist"]]);
    expectUnschedulable(planFor({ pods: [pendingPod("p", { spec })], pools }), ["p"], "team");
    expectAllPlaced(planFor({ pods: [pendingPod("p", { spec })] }));
  });
});

describe("minValues", () => {
  it("never asks for more values than the claim lists, which the API server would refuse", () => {
    const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "Exists", minValues: 20 } as const];
    const [claim] = planFor({ pods: [pendingPod("p")], pools: [nodePool("default", { requirements })] }).nodeClaims;
    const types = claim?.requirements.get("node.kubernetes.io/instance-type");
    expect(types?.minValues).toBe(types?.values.size);
  });
});

describe("taints", () => {
  const pools = [nodePool("batch", { taints: [batch] })];

  it("of a NodePool keep pods away that do not tolerate them", () => {
    const reason = "batch: does not tolerate the taint dedicated=batch:NoSchedule";
    expectUnschedulable(planFor({ pods: [pendingPod("p")], pools }), ["p"], reason);
  });

  it("of a NodePool come with its nodes, and pods that tolerate them", () => {
    const tolerations = [{ key: "dedicated", operator: "Exists" as const }];
    const plan = planFor({ pods: [pendingPod("p", { spec: { tolerations } })], pools });
    expectTypes(plan, "m5.large");
    expect(plan.nodeClaims[0]?.taints).toEqual([batch]);
  });

  it("that go away at startup, or only prefer, keep nobody away", () => {
    const startup = nodePool("default", { startupTaints: [batch] });
    expectAllPlaced(planFor({ pods: [pendingPod("p")], pools: [startup] }));
    const soft = nodePool("default", { taints: [{ ...batch, effect: "PreferNoSchedule" }] });
    expectAllPlaced(planFor({ pods: [pendingPod("p")], pools: [soft] }));
  });
});
