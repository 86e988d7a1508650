import { describe, it } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const zone = "topology.kubernetes.io/zone";
const arch = "kubernetes.io/arch";

function expectReason(input: { readonly cpu?: string; readonly spec?: Partial<PodSpec> }, reason: string): void {
  expectUnschedulable(planFor({ pods: [pendingPod("p", input)] }), ["p"], reason);
}

describe("a pod that no option takes is told", () => {
  it("the one requirement that nothing meets", () => {
    const nothing = "nothing that the NodePool can launch now has";
    expectReason({ spec: nodeTerms([[zone, "In", "x"]]) }, `${nothing} ${zone} In [x]`);
    const type = { nodeSelector: { "node.kubernetes.io/instance-type": "m5.larg" } };
    expectReason({ spec: type }, `${nothing} node.kubernetes.io/instance-type In [m5.larg]`);
  });

  it("the combination, when each requirement alone is met", () => {
    const both = nodeTerms([
      [arch, "In", "arm64"],
      ["node.kubernetes.io/instance-type", "In", "m5.large"],
    ]);
    expectReason({ spec: both }, "has all of kubernetes.io/arch In [arm64] and node.kubernetes.io/instance-type In");
  });

  it("the resource that no type has, without naming a type that is near in nothing", () => {
    const gpu = { containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }] };
    expectReason({ spec: gpu }, "no instance type that the NodePool and the pod allow has nvidia.com/gpu");
  });

  it("that devices by resource claim are not supported, whether or not a node has room", () => {
    expectReason({ spec: { resourceClaims: [{ name: "gpu" }] } }, "it uses resource claims (DRA)");
  });

  it("two amounts of CPU in one unit", () => {
    expectReason({ cpu: "16500m" }, "lacks cpu 16.5 (has 16)");
  });
});
