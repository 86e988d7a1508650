import { describe, expect, it } from "vitest";
import { schedulingInput } from "../../../bench/scheduling-input.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { pendingPod, zoneSpread } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";
import { podWithClaims } from "../../support/volumes.ts";

const small = { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { a: 0.03 }, pods: 29 };

function inputOf(world: World) {
  return schedulingInput(snapshotWith(world), { runs: 1, workers: 1 });
}

describe("the input for Karpenter's scheduler", () => {
  it("has each type as the planner resolved it: allocatable, offerings, and labels that it has or must not have", () => {
    const { instanceTypes } = inputOf({ catalog: catalogOf({ "m5.large": small }) });
    const [type] = instanceTypes.default ?? [];
    expect(type).toMatchObject({
      name: "m5.large",
      allocatable: { cpu: "2", memory: "8Gi", pods: "29" },
      offerings: [
        { zone: "a", capacityType: "on-demand", priceUsdPerHour: 0.1, available: true },
        { zone: "a", capacityType: "spot", priceUsdPerHour: 0.03, available: true },
        { zone: "b", capacityType: "on-demand", priceUsdPerHour: 0.1, available: true },
        { zone: "c", capacityType: "on-demand", priceUsdPerHour: 0.1, available: true },
      ],
    });
    expect(type?.requirements).toEqual(
      expect.arrayContaining([
        { key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["m5"] },
        { key: "karpenter.k8s.aws/instance-gpu-name", operator: "DoesNotExist" },
        { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand", "spot"] },
        { key: "topology.kubernetes.io/zone", operator: "In", values: ["a", "b", "c"] },
      ]),
    );
  });

  it("gives each NodePool the types that it admits, once each", () => {
    const { instanceTypes } = inputOf({
      pools: [nodePool("any"), nodePool("arm", { requirements: [oneOf("kubernetes.io/arch", "arm64")] })],
    });
    const names = (pool: string) => instanceTypes[pool]?.map(({ name }) => name);
    expect(names("any")).toHaveLength(5);
    expect(names("arm")).toEqual(["m6g.xlarge"]);
  });

  it("keeps what pods and DaemonSets ask for", () => {
    const { pods, daemonSetPods } = inputOf({
      pods: [pendingPod("web-0", { app: "web", cpu: "2", spec: zoneSpread("web") })],
      daemonSets: [daemonSetNamed("agent", { cpu: "100m" })],
    });
    expect(pods).toMatchObject([
      {
        metadata: { name: "web-0", uid: "web-0", labels: { app: "web" } },
        spec: {
          containers: [{ resources: { requests: { cpu: "2" } } }],
          topologySpreadConstraints: [{ topologyKey: "topology.kubernetes.io/zone" }],
        },
      },
    ]);
    expect(daemonSetPods).toMatchObject([
      { metadata: { name: "agent" }, spec: { containers: [{ resources: { requests: { cpu: "100m" } } }] } },
    ]);
  });

  it("refuses a world of which it would leave something out", () => {
    expect(() => inputOf({ pods: [podWithClaims("db-0", ["data"])] })).toThrow(
      "pod default/db-0: spec.volumes: volumes of claims cannot be compared",
    );
    expect(() => inputOf({ nodes: [plainNode("there")] })).toThrow("only worlds without any can be compared");
  });
});
