import { describe, expect, it } from "vitest";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced, expectNodes, expectTypes } from "../../support/plans.ts";
import { awayFrom, pendingPod, pendingPods } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

describe("new nodes", () => {
  it("are the cheapest that hold the pods, and the bound says that nothing is cheaper", () => {
    const plan = planFor({ pods: pendingPods(4, "web") });
    expectTypes(plan, "m5.xlarge");
    expect(plan.priceUsdPerHour).toBeCloseTo(0.2);
    expect(plan.lowerBoundUsdPerHour).toBeCloseTo(0.2);
  });

  it("are few and large where many small ones cost the same", () => {
    expectTypes(planFor({ pods: pendingPods(16, "web") }), "m5.4xlarge");
  });

  it("are several small ones where one large one costs more than it holds", () => {
    const gpu = (gpus: number, priceUsdPerHour: number) => ({ vcpus: 8, memoryGib: 32, gpus, priceUsdPerHour });
    const catalog = catalogOf({ "g5.2xlarge": gpu(1, 1.2), "g5.12xlarge": gpu(4, 5.7) });
    const spec = { containers: [{ resources: { requests: { cpu: "1", "nvidia.com/gpu": "1" } } }] };
    expectTypes(planFor({ catalog, pods: pendingPods(2, "train", { spec }) }), "g5.2xlarge", "g5.2xlarge");
  });

  it("are each sized for their own pods", () => {
    const pods = [
      ...pendingPods(3, "large", { cpu: "7", spec: awayFrom("large") }),
      pendingPod("arm", { cpu: "3", spec: { nodeSelector: { "kubernetes.io/arch": "arm64" } } }),
    ];
    expectTypes(planFor({ pods }), "m5.2xlarge", "m5.2xlarge", "m5.2xlarge", "m6g.xlarge");
  });

  it("have gaps that smaller pods fill", () => {
    const plan = planFor({ pods: [pendingPod("large", { cpu: "3" }), pendingPod("small", { cpu: "1" })] });
    expectNodes(plan, "m5.xlarge in a: large small");
  });

  it("are no accelerators for pods that need none", () => {
    const catalog = catalogOf({
      "g5.xlarge": { vcpus: 4, memoryGib: 16, gpus: 1, priceUsdPerHour: 0.1 },
      "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 },
    });
    expectTypes(planFor({ catalog, pods: [pendingPod("web")] }), "m5.xlarge");
  });

  it("count the pods that a node may run", () => {
    const catalog = catalogOf({ "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2, pods: 5 } });
    const plan = planFor({ catalog, pods: pendingPods(25, "tiny", { cpu: "1m" }) });
    expectTypes(plan, ...Array.from({ length: 5 }, () => "m5.xlarge"));
  });

  it("are spot where that is cheaper, in the zone where it is cheapest", () => {
    const spot = { a: 0.08, b: 0.05 };
    const catalog = catalogOf({ "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2, spot } });
    const [claim] = planFor({ catalog, pods: [pendingPod("web")] }).nodeClaims;
    expect(claim?.offerings.slice(0, 3).map(({ zone, capacityType }) => `${capacityType} ${zone}`)).toEqual([
      "spot b",
      "spot a",
      "on-demand a",
    ]);
  });

  it("pass over an offering that EC2 has refused lately", () => {
    const refusal = { untilAt: 10, times: 1, code: "InsufficientInstanceCapacity" };
    const unavailable = [{ instanceType: "m5.large", zone: "*", capacityType: "on-demand", ...refusal }];
    expectTypes(planFor({ pods: [pendingPod("web")], unavailable }), "m5.xlarge");
    expectTypes(planFor({ pods: [pendingPod("web")], unavailable, now: 11 }), "m5.large");
  });

  it("say why they were chosen and what came next", () => {
    const [claim] = planFor({ pods: [pendingPod("web")] }).nodeClaims;
    expect(claim?.reason).toContain("m5.large on-demand in a at 0.1 USD per hour");
    expect(claim?.reason).toContain("next best");
  });

  it("hold what the real catalog's formulas leave over", () => {
    const pods = pendingPods(40, "web", { cpu: "500m", memory: "1Gi" });
    const plan = planFor({
      catalog: embeddedCatalog(),
      pods,
      pools: [nodePool("default", { requirements: [oneOf("karpenter.k8s.aws/instance-category", "c", "m", "r")] })],
    });
    expectAllPlaced(plan);
    expect(plan.priceUsdPerHour / plan.lowerBoundUsdPerHour).toBeLessThan(1.15);
  });
});
