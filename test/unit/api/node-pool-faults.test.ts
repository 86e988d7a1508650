import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { describeNodePoolFaults, nodePoolFaults } from "../../../shared/api/node-pool-faults.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";

describe("the faults of a NodePool that a cluster let in", () => {
  it("are none for a sound one", () => {
    expect(nodePoolFaults(nodePool("default", { weight: 5, limits: { cpu: "10" } }))).toEqual([]);
  });

  it("name the field, what was found and what is accepted", () => {
    const pool = nodePool("default", { requirements: [oneOf(label.capacityType, "xspot")] });
    expect(nodePoolFaults(pool)).toMatchObject([
      {
        path: "spec.template.spec.requirements[0].values",
        found: '["xspot"]',
        expected: "at least one of spot, on-demand, reserved, as the key is karpenter.sh/capacity-type",
      },
    ]);
  });

  it("are all there, also those between fields", () => {
    const taint = { key: "team", effect: "NoSchedule" as const };
    const pool = nodePool("default", {
      labels: { "karpenter.sh/nodepool": "x" },
      taints: [taint],
      startupTaints: [taint],
      requirements: [oneOf("kubernetes.io/hostname", "x")],
    });
    const text = describeNodePoolFaults(nodePoolFaults(pool));
    expect(text).toContain('labels["karpenter.sh/nodepool"]: found "karpenter.sh/nodepool"');
    expect(text).toContain("; spec.template.spec.startupTaints[0]: found team:NoSchedule again");
    expect(text).toContain("requirements[0].key: found");
  });
});
