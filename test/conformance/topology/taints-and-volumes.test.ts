import { describe, expect } from "vitest";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, solve } from "../../support/karpenter-fixture.ts";
import { nodePool } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { pendingPod, runningPod, zoneSpread } from "../../support/pods.ts";
import { boundClaim, podWithClaims, volumeOf } from "../../support/volumes.ts";

const taint = { key: "team", value: "data", effect: "NoSchedule" } as const;
const full = { key: "full", effect: "NoSchedule" } as const;
const tolerating = (toleration: object) => ({ spec: { tolerations: [toleration] } });

describe("taints", () => {
  const pools = [nodePool("default", { taints: [taint] })];

  conforms("topo.taints | pool taint | node gets it", () => {
    const solved = solve({
      pools,
      pods: [pendingPod("pod", tolerating({ operator: "Exists", effect: "NoSchedule" }))],
    });
    expect(solved.nodes.map(({ object }) => object.spec.taints)).toEqual([[taint]]);
    expect(carriedOut(solved, "initialized").nodes?.map(({ spec }) => spec?.taints)).toEqual([[taint]]);
  });

  conforms("topo.taints | pods tolerating vs not | tolerant schedule, others not", () => {
    const equal = { key: "team", operator: "Equal", value: "data", effect: "NoSchedule" };
    const pods = [
      pendingPod("by-key", tolerating({ key: "team", operator: "Exists", effect: "NoSchedule" })),
      pendingPod("by-value", tolerating(equal)),
      pendingPod("no-key", tolerating({ operator: "Exists" })),
      pendingPod("none"),
      pendingPod("other-key", tolerating({ key: "other", operator: "Exists" })),
      pendingPod("other-value", tolerating({ ...equal, value: "web" })),
    ];
    const { unscheduled, nodes } = solve({ pools, pods });
    expect(unscheduled).toEqual(["none", "other-key", "other-value"]);
    expect(nodes.flatMap((node) => node.pods).sort()).toEqual(["by-key", "by-value", "no-key"]);
  });

  conforms("topo.taints | startup taint only | provisioned without toleration", () => {
    const { nodes } = solve({ pools: [nodePool("default", { startupTaints: [taint] })], pods: [pendingPod("pod")] });
    expect(nodes.map(({ object }) => [object.spec.taints, object.spec.startupTaints])).toEqual([[[], [taint]]]);
  });

  conforms("topo.taints | pod toleration Exists | no extra taints generated", () => {
    const pods = [pendingPod("pod", tolerating({ key: "team", operator: "Exists", effect: "NoExecute" }))];
    expect(solve({ pods }).nodes.map(({ object }) => object.spec.taints)).toEqual([[]]);
  });
});

conforms("topo.volume | PVC pinned to z1, minDomains 3, pods already in 3 zones | schedules in z1: [1,1,2]", () => {
  const zones = ["a", "b", "c"];
  const spread = zoneSpread("web", { minDomains: 3 });
  const { nodes, unscheduled } = solve({
    nodes: zones.map((domain) => plainNode(domain, { zone: domain, taints: [full] })),
    pods: [
      ...zones.map((domain) => runningPod(`old-${domain}`, domain, { app: "web", spec: spread })),
      podWithClaims("pod", ["data"], { app: "web", spec: spread }),
    ],
    persistentVolumeClaims: [boundClaim("data")],
    persistentVolumes: [volumeOf("data", ["a"])],
  });
  expect(unscheduled).toEqual([]);
  expect(nodes.map((node) => [node.zone, node.pods])).toEqual([["a", ["pod"]]]);
});
