import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode, plainNode } from "../../support/nodes.ts";
import {
  expectAllPlaced,
  expectExisting,
  expectSpread,
  expectTypes,
  expectUnschedulable,
} from "../../support/plans.ts";
import { awayFrom, hostnameSpread, near, pendingPods, runningPod, spread, zoneSpread } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const full = { key: "full", effect: "NoSchedule" } as const;
const inZones = (name: string, ...zones: string[]) => nodePool(name, { requirements: [oneOf(label.zone, ...zones)] });

describe("spread over zones", () => {
  it("keeps the counts within the skew", () => {
    expectSpread(planFor({ pods: pendingPods(4, "web", { spec: zoneSpread("web") }) }), "zone", [1, 1, 2]);
    expectSpread(planFor({ pods: pendingPods(9, "web", { spec: zoneSpread("web") }) }), "zone", [3, 3, 3]);
  });

  it("uses the zones that the NodePools have", () => {
    const pods = pendingPods(4, "web", { spec: zoneSpread("web") });
    expectSpread(planFor({ pods, pools: [inZones("p", "a", "b")] }), "zone", [2, 2]);
    expectSpread(planFor({ pods, pools: [inZones("p", "a"), inZones("q", "b")] }), "zone", [2, 2]);
  });

  it("spreads over NodePools of different weight", () => {
    const heavy = nodePool("heavy", { weight: 9, requirements: [oneOf(label.zone, "a")] });
    const pods = pendingPods(4, "web", { spec: zoneSpread("web") });
    expectSpread(planFor({ pods, pools: [heavy, inZones("light", "b")] }), "zone", [2, 2]);
  });

  it("compares with zones of nodes that exist, although no NodePool has them", () => {
    const pods = [...pendingPods(6, "web", { spec: zoneSpread("web") }), runningPod("old", "n", { app: "web" })];
    const nodes = [plainNode("n", { zone: "c", taints: [full] })];
    const plan = planFor({ pods, nodes, pools: [inZones("p", "a", "b")] });
    expectSpread(plan, "zone", [2, 2]);
    expectUnschedulable(
      plan,
      ["web-4", "web-5"],
      /topology spread over topology.kubernetes.io\/zone \(maxSkew 1\) of app=?.*web.* admits none of a, b/,
    );
  });

  it("counts running pods that match and nothing else", () => {
    const nodes = [plainNode("n", { zone: "a", cpu: "50", taints: [full] }), plainNode("empty", { zone: "" })];
    const pods = [
      ...pendingPods(2, "web", { spec: { ...zoneSpread("web"), nodeSelector: { [label.arch]: "amd64" } } }),
      runningPod("counted", "n", { app: "web" }),
      runningPod("other", "n", { app: "other" }),
      runningPod("elsewhere", "n", { app: "web", namespace: "elsewhere" }),
      runningPod("leaving", "n", { app: "web", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ];
    expectSpread(planFor({ pods, nodes: nodes.slice(0, 1) }), "zone", [1, 1]);
  });

  it("does not take an empty label for a zone", () => {
    const nodes = [plainNode("odd", { zone: "", taints: [full] })];
    expectSpread(planFor({ pods: pendingPods(6, "web", { spec: zoneSpread("web") }), nodes }), "zone", [2, 2, 2]);
  });

  it("counts zero while there are fewer zones than minDomains", () => {
    const pods = pendingPods(3, "web", { spec: zoneSpread("web", { minDomains: 3 }) });
    const plan = planFor({ pods, pools: [inZones("p", "a", "b")] });
    expectSpread(plan, "zone", [1, 1]);
    expectUnschedulable(plan, ["web-2"], "admits none");
  });

  it("spreads each value of a matchLabelKeys label by itself", () => {
    const spec = zoneSpread("web", { matchLabelKeys: ["revision"] });
    const pods = ["1", "2"].flatMap((revision) =>
      pendingPods(2, `web${revision}`, { app: "web", labels: { revision }, spec }),
    );
    expectAllPlaced(planFor({ pods, pools: [inZones("p", "a", "b")] }));
  });

  it("counts the domains of NodePools that the pods do not tolerate, unless taints are honoured", () => {
    const other = nodePool("other", { requirements: [oneOf(label.zone, "b")], taints: [full] });
    const pools = [inZones("own", "a"), other];
    const pods = (policy: "Honor" | "Ignore") =>
      pendingPods(2, "web", { spec: zoneSpread("web", { nodeTaintsPolicy: policy }) });
    expectUnschedulable(planFor({ pods: pods("Ignore"), pools }), ["web-1"], "admits none of a");
    expectSpread(planFor({ pods: pods("Honor"), pools }), "zone", [2]);
  });

  it("fills rooms that exist without breaking the skew", () => {
    const { node, claim } = claimedNode("n", { zone: "a" });
    const plan = planFor({
      pods: pendingPods(3, "web", { spec: zoneSpread("web") }),
      nodes: [node],
      nodeClaims: [claim],
    });
    expectExisting(plan, { n: "web-0" });
    expectSpread(plan, "zone", [1, 1]);
  });

  it("lets soft constraints and constraints without a selector be", () => {
    const soft = zoneSpread("web", { whenUnsatisfiable: "ScheduleAnyway" });
    expect(planFor({ pods: pendingPods(4, "web", { spec: soft }) }).nodeClaims).toHaveLength(1);
  });
});

describe("spread over other keys", () => {
  it("puts at most maxSkew pods on a node", () => {
    expectSpread(planFor({ pods: pendingPods(4, "web", { spec: hostnameSpread("web") }) }), "node", [1, 1, 1, 1]);
    expectSpread(planFor({ pods: pendingPods(25, "web", { spec: hostnameSpread("web", { maxSkew: 2 }) }) }), "node", [
      1,
      ...Array.from({ length: 12 }, () => 2),
    ]);
  });

  it("evens out capacity types", () => {
    const spot = { a: 0.05, b: 0.05, c: 0.05 };
    const catalog = catalogOf({ "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2, spot } });
    const pods = pendingPods(4, "web", { spec: spread(label.capacityType, "web") });
    expectSpread(planFor({ pods, catalog }), "capacityType", [2, 2]);
  });

  it("refuses a key that no node has", () => {
    const plan = planFor({ pods: pendingPods(1, "web", { spec: spread("rack", "web") }) });
    expectUnschedulable(plan, ["web-0"], "no node that could take it has a value for the topology key rack");
  });

  it("keeps zones and nodes at once", () => {
    const spec = {
      topologySpreadConstraints: [
        ...(zoneSpread("web").topologySpreadConstraints ?? []),
        ...(hostnameSpread("web", { maxSkew: 3 }).topologySpreadConstraints ?? []),
      ],
    };
    const plan = planFor({ pods: pendingPods(11, "web", { spec }) });
    expectSpread(plan, "zone", [3, 4, 4]);
    expect(Math.max(...plan.nodeClaims.map(({ pods }) => pods.length))).toBeLessThanOrEqual(3);
  });
});

describe("where a rule's domains are kinds of nodes", () => {
  it.each([
    ["affinity to its own kind over instance types", near("web", label.instanceType), ["m5.large", "m5.large"]],
    ["anti-affinity over instance types", awayFrom("web", label.instanceType), ["m5.large", "m5.xlarge", "m6g.xlarge"]],
  ])("%s buys nodes of the size that the pods need", (_, spec, types) => {
    expectTypes(planFor({ pods: pendingPods(3, "web", { spec }) }), ...types);
  });
});
