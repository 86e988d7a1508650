import { expect } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { plainNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectExisting, expectNodes, expectTypes, expectUnschedulable } from "../../support/plans.ts";
import { near, pendingPod, runningPod } from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";
import { boundClaim, claim, claimed, csiNode, podWithClaims, storageClass, volumeOf } from "../../support/volumes.ts";

function numbered(count: number, prefix: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

conforms(
  "B1.09 StatefulSet pod P1 has PV in c; P2 (no PVC) has required zone affinity to P1; free node in b -> P2 placed in b first and P1 can never schedule -> solve group with the volume-bound member first. [KA#8914]",
  () => {
    const first = podWithClaims("p1", ["data"], { app: "p1" });
    const second = pendingPod("p2", { spec: near("p1", label.zone), cpu: "3" });
    const plan = planFor({
      pods: [second, first],
      nodes: [plainNode("free", { zone: "b", cpu: "8" })],
      persistentVolumeClaims: [boundClaim("data")],
      persistentVolumes: [volumeOf("data", ["c"])],
    });
    expectAllPlaced(plan);
    expectNodes(plan, "m5.xlarge in c: p1 p2");
  },
);

conforms(
  "B1.28 CSI limit 5 per node, 3 nodes x 5 volumes, 5 more PVC pods -> pending, no node -> count volumes per CSINode; 4th node. Same claim shared by two pods counts once. [KA#3647, KA#1888, KS#1748]",
  () => {
    const nodes = ["a", "b", "c"];
    const held = nodes.flatMap((node) =>
      numbered(5, node).map((name) => runningPod(name, node, { spec: claimed(name), cpu: "10m" })),
    );
    const fresh = numbered(5, "new").map((name) => podWithClaims(name, [name], { cpu: "10m" }));
    const world = (pods: readonly Pod[], names: readonly string[]): World => ({
      pods,
      nodes: names.map((name) => plainNode(name)),
      csiNodes: names.map((name) => csiNode(name, 5)),
      persistentVolumeClaims: pods.flatMap(({ spec }) =>
        (spec.volumes ?? []).map(({ persistentVolumeClaim }) => claim(persistentVolumeClaim?.claimName ?? "")),
      ),
      storageClasses: [storageClass()],
    });
    const plan = planFor(world([...held, ...fresh], nodes));
    expectAllPlaced(plan);
    expect(plan.existing).toEqual([]);
    expectNodes(plan, "m5.large in a: new-0 new-1 new-2 new-3 new-4");

    const shared = [
      ...numbered(4, "own").map((name) => runningPod(name, "a", { spec: claimed(name), cpu: "10m" })),
      podWithClaims("x", ["shared"], { cpu: "10m" }),
      podWithClaims("y", ["shared"], { cpu: "10m" }),
    ];
    expectExisting(planFor(world(shared, ["a"])), { a: "x y" });
  },
);

conforms(
  "B1.29 120 StatefulSet pods each 1 PVC at once, attach limit 27 -> too few nodes at first pass -> ceil(120/27)=5 nodes. [KS#2287]",
  () => {
    // Of EC2's 28 attachments the root volume takes one.
    const catalog = catalogOf({ "inf2.24xlarge": { vcpus: 96, memoryGib: 384, priceUsdPerHour: 6.5, pods: 200 } });
    const names = numbered(120, "data-db");
    const plan = planFor({
      catalog,
      pods: names.map((name, index) =>
        podWithClaims(`db-${index}`, [name], { cpu: "10m", owner: { kind: "StatefulSet", uid: "db" } }),
      ),
      persistentVolumeClaims: names.map((name) => claim(name)),
      storageClasses: [storageClass()],
    });
    expectAllPlaced(plan);
    expect(plan.nodeClaims).toHaveLength(5);
    for (const { pods } of plan.nodeClaims) expect(pods.length).toBeLessThanOrEqual(27);
  },
);

conforms(
  "B1.30 Type with low attach limit (d3.8xlarge) chosen again and again for many-volume pod -> filter by per-type volume limit. [KA#7725]",
  () => {
    const catalog = catalogOf({
      "d3.8xlarge": { vcpus: 32, memoryGib: 256, priceUsdPerHour: 0.1 },
      "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 },
    });
    const withVolumes = (count: number) => {
      const names = numbered(count, "data");
      const persistentVolumeClaims = names.map((name) => claim(name));
      return planFor({
        catalog,
        pods: [podWithClaims("db", names)],
        persistentVolumeClaims,
        storageClasses: [storageClass()],
      });
    };
    expectTypes(withVolumes(1), "d3.8xlarge");
    expectTypes(withVolumes(4), "m5.xlarge");
    expect(
      withVolumes(4).nodeClaims.flatMap(({ offerings }) => offerings.map(({ instanceType }) => instanceType)),
    ).not.toContain("d3.8xlarge");
    expectUnschedulable(withVolumes(30), ["db"], /volume/);
  },
);

conforms(
  "B1.44 Pod with schedulingGates, unbound Immediate PVC, or missing PVC -> no node, clear reason. [K8s semantics; KS#3152 family]",
  () => {
    const gated = pendingPod("gated", { spec: { schedulingGates: [{ name: "quota" }] } });
    const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "SchedulingGated" }];
    const plan = planFor({
      pods: [
        { ...gated, status: { phase: "Pending", conditions } },
        podWithClaims("immediate", ["now"]),
        podWithClaims("missing", ["gone"]),
      ],
      persistentVolumeClaims: [claim("now")],
      storageClasses: [storageClass("gp3", { volumeBindingMode: "Immediate" })],
    });
    expect(plan.nodeClaims).toEqual([]);
    expect(plan.waiting.map(({ pod, reason }) => [pod.name, reason])).toEqual([
      ["gated", expect.stringContaining("gate")],
    ]);
    const reasons = new Map(plan.unschedulable.map(({ pod, reasons: [first] }) => [pod.name, first?.reason]));
    expect(reasons.get("immediate")).toContain("its StorageClass gp3 binds at once (Immediate)");
    expect(reasons.get("missing")).toContain("PersistentVolumeClaim default/gone does not exist");
  },
);
