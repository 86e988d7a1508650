import { describe, expect } from "vitest";
import type { Pod, PodSpec, TopologySpreadConstraint } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { hostnameSpread, nodeTerms, pendingPod, pendingPods, runningPod, spread } from "../../support/pods.ts";

const { zone, arch, capacityType, hostname } = label;
const full = { key: "full", effect: "NoSchedule" } as const;
const mixed = nodePool("default", { requirements: [oneOf(capacityType, "spot", "on-demand")] });
const poolOf = (type: string) => nodePool("default", { requirements: [oneOf(capacityType, type)] });

type Changes = Partial<TopologySpreadConstraint>;

/** Pods that spread over capacity types and are bound to some of them, or to zones, by what `spec` says. */
function byCapacityType(name: string, count: number, spec: Partial<PodSpec> = {}, changes: Changes = {}): Pod[] {
  return pendingPods(count, name, { app: "web", spec: { ...spread(capacityType, "web", changes), ...spec } });
}

describe("spread over hostnames", () => {
  conforms("topo.host | 4 pods maxSkew 1 | four nodes", () => {
    const cluster = new GrowingCluster();
    cluster.round(pendingPods(4, "web", { cpu: "100m", spec: hostnameSpread("web") }));
    expect(cluster.skew(hostname)).toEqual([1, 1, 1, 1]);
  });

  conforms("topo.host | 4 pods maxSkew 4 | one node", () => {
    const cluster = new GrowingCluster();
    cluster.round(pendingPods(4, "web", { cpu: "100m", spec: hostnameSpread("web", { maxSkew: 4 }) }));
    expect(cluster.skew(hostname)).toEqual([4]);
  });

  conforms("topo.host | same with different archs | 4 nodes", () => {
    const pods = ["amd64", "arm64"].flatMap((architecture) =>
      pendingPods(2, architecture, {
        cpu: "100m",
        spec: { ...hostnameSpread(architecture), nodeSelector: { [arch]: architecture } },
      }),
    );
    const cluster = new GrowingCluster();
    cluster.round(pods);
    expect(cluster.skew(hostname)).toEqual([1, 1, 1, 1]);
    expect(cluster.skew(arch)).toEqual([2, 2]);
  });
});

describe("spread over capacity types", () => {
  conforms("topo.ct | capacity-type 4 pods | [2,2]", () => {
    const cluster = new GrowingCluster();
    cluster.round(byCapacityType("web", 4));
    expect(cluster.skew(capacityType)).toEqual([2, 2]);
  });

  conforms("topo.ct | pool allows spot,on-demand | [2,2]", () => {
    const cluster = new GrowingCluster({ pools: [mixed] });
    cluster.round(byCapacityType("web", 4));
    expect(cluster.skew(capacityType)).toEqual([2, 2]);
  });

  conforms("topo.ct | one spot pod then pool on-demand, 5 pods DoNotSchedule | [1,2]", () => {
    const cluster = new GrowingCluster({ pools: [poolOf("spot")] });
    cluster.round([pendingPod("first", { app: "web", cpu: "3500m" })]);
    const { unscheduled } = cluster.round(byCapacityType("web", 5), { pools: [poolOf("on-demand")] });
    expect(cluster.skew(capacityType)).toEqual([1, 2]);
    expect(cluster.domainOf("first", capacityType)).toBe("spot");
    expect(unscheduled).toHaveLength(3);
  });

  conforms("topo.ct | only running matching pods counted | [2,3]", () => {
    const nodes = ["spot", "on-demand"].map((type) =>
      plainNode(type, { labels: { [capacityType]: type }, taints: [full] }),
    );
    const others = [
      runningPod("other", "spot", { app: "other" }),
      runningPod("elsewhere", "spot", { app: "web", namespace: "elsewhere" }),
      runningPod("nowhere", "none", { app: "web" }),
      runningPod("leaving", "spot", { app: "web", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      { ...runningPod("done", "spot", { app: "web" }), status: { phase: "Succeeded" } },
    ];
    const counted = ["spot", "on-demand", "on-demand"].map((node, index) =>
      runningPod(`counted-${index}`, node, { app: "web" }),
    );
    const { nodes: made } = solve({
      nodes: [...nodes, plainNode("none", { taints: [full] })],
      pods: [...others, ...counted, ...byCapacityType("web", 2)],
    });
    const types = ["spot", "on-demand", "on-demand", ...made.flatMap((node) => node.pods.map(() => node.capacityType))];
    const counts = ["spot", "on-demand"].map((wanted) => types.filter((type) => type === wanted).length);
    expect(counts.sort()).toEqual([2, 3]);
  });

  conforms(
    "topo.ct | existing on-demand pod in z1; five pods require spot+z2 | existing node is outside their affinity so isn't counted: [1,5]",
    () => {
      const cluster = new GrowingCluster();
      cluster.round(byCapacityType("first", 1, { nodeSelector: { [zone]: "a", [capacityType]: "on-demand" } }));
      cluster.round(
        byCapacityType(
          "web",
          5,
          nodeTerms([
            [zone, "In", "b"],
            [capacityType, "In", "spot"],
          ]),
        ),
      );
      expect(cluster.skew(capacityType)).toEqual([1, 5]);
      expect(cluster.domainOf("web-4", capacityType)).toBe("spot");
    },
  );

  conforms("topo.ct | existing on-demand pod, later unconstrained pods with pool spot only | [1,2]", () => {
    const cluster = new GrowingCluster();
    const selector = { [zone]: "a", [capacityType]: "on-demand" };
    cluster.round([pendingPod("first", { app: "web", cpu: "3500m", spec: { nodeSelector: selector } })]);
    cluster.round(byCapacityType("web", 5), { pools: [poolOf("spot")] });
    expect(cluster.skew(capacityType)).toEqual([1, 2]);
  });

  conforms("topo.arch | existing amd64 pod, pool arm only | [1,2]", () => {
    const cluster = new GrowingCluster();
    cluster.round([pendingPod("first", { app: "web", cpu: "3500m", spec: { nodeSelector: { [arch]: "amd64" } } })]);
    const pools = [nodePool("default", { requirements: [oneOf(arch, "arm64")] })];
    cluster.round(pendingPods(5, "web", { spec: spread(arch, "web") }), { pools });
    expect(cluster.skew(arch)).toEqual([1, 2]);
    expect(cluster.domainOf("first", arch)).toBe("amd64");
  });
});

describe("spread and node affinity", () => {
  const byZone = (name: string, count: number, spec: Partial<PodSpec> = {}) =>
    pendingPods(count, name, { app: "web", spec: { ...spread(zone, "web"), ...spec } });

  conforms("topo.affinity | two groups selecting z1 and z2 | [5,10]", () => {
    const cluster = new GrowingCluster();
    const pods = [
      ...byZone("one", 5, { nodeSelector: { [zone]: "a" } }),
      ...byZone("two", 10, { nodeSelector: { [zone]: "b" } }),
    ];
    cluster.round(pods);
    expect(cluster.skew(zone)).toEqual([5, 10]);
  });

  conforms("topo.affinity | required z1,z2 | [5,5]", () => {
    const cluster = new GrowingCluster();
    cluster.round(byZone("web", 10, nodeTerms([[zone, "In", "a", "b"]])));
    expect(cluster.skew(zone)).toEqual([5, 5]);
  });

  conforms("topo.affinity | preferred z1,z2 only | spread ignores preference: [2,2,2]", () => {
    const preference = { matchExpressions: [{ key: zone, operator: "In" as const, values: ["a", "b"] }] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const cluster = new GrowingCluster();
    cluster.round(byZone("web", 6, { affinity: { nodeAffinity: preferred } }));
    expect(cluster.skew(zone)).toEqual([2, 2, 2]);
  });

  conforms("topo.affinity | capacity-type nodeSelector groups, ScheduleAnyway | [5,5]", () => {
    const cluster = new GrowingCluster();
    const pods = ["spot", "on-demand"].flatMap((type) =>
      byCapacityType(type, 5, { nodeSelector: { [capacityType]: type } }, { whenUnsatisfiable: "ScheduleAnyway" }),
    );
    cluster.round(pods);
    expect(cluster.skew(capacityType)).toEqual([5, 5]);
  });

  conforms("topo.affinity | capacity affinity spot, then both | [3] → [3,1] → [5,4]", () => {
    const cluster = new GrowingCluster();
    cluster.round(byCapacityType("spot", 3, nodeTerms([[capacityType, "In", "spot"]])));
    expect(cluster.skew(capacityType)).toEqual([3]);
    const both = nodeTerms([[capacityType, "In", "spot", "on-demand"]]);
    cluster.round(byCapacityType("one", 1, both));
    expect(cluster.skew(capacityType)).toEqual([1, 3]);
    cluster.round(byCapacityType("five", 5, both));
    expect(cluster.skew(capacityType)).toEqual([4, 5]);
  });
});
