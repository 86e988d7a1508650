import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { pendingPod, pendingPods, runningPod, spread, zoneSpread } from "../../support/pods.ts";

const { zone } = label;
const full = { key: "full", effect: "NoSchedule" } as const;
const web = (count: number, changes = {}) => pendingPods(count, "web", { spec: zoneSpread("web", changes) });
const poolIn = (...zones: string[]) => nodePool("default", { requirements: [oneOf(zone, ...zones)] });
const pinnedTo = (name: string, domain: string) =>
  pendingPod(name, { app: "web", cpu: "3500m", spec: { ...zoneSpread("web"), nodeSelector: { [zone]: domain } } });

describe("keys and selectors", () => {
  conforms("topo | unknown topology key | not scheduled", () => {
    const { unscheduled, plan } = solve({ pods: pendingPods(1, "web", { spec: spread("unknown", "web") }) });
    expect(unscheduled).toEqual(["web-0"]);
    expect(plan.unschedulable[0]?.reasons[0]?.reason).toContain("unknown");
  });

  conforms("topo | invalid label selector | not spread; both pods on one node", () => {
    const labelSelector = { matchExpressions: [{ key: "app", operator: "NotIn" as const, values: [] }] };
    for (const changes of [{ labelSelector }, { labelSelector: { matchLabels: { app: "not a value!" } } }]) {
      const { nodes } = solve({ pods: web(2, { ...changes, topologyKey: label.hostname }) });
      expect(nodes.map(({ pods }) => pods)).toEqual([["web-0", "web-1"]]);
    }
  });
});

describe("spread over zones", () => {
  conforms("topo.zone | 4 pods, maxSkew 1 (matchLabels; matchExpressions) (x2) | [1,1,2]", () => {
    const expressions = { matchExpressions: [{ key: "app", operator: "In" as const, values: ["web"] }] };
    for (const labelSelector of [{ matchLabels: { app: "web" } }, expressions]) {
      const cluster = new GrowingCluster();
      cluster.round(web(4, { labelSelector }));
      expect(cluster.skew(zone)).toEqual([1, 1, 2]);
    }
  });

  conforms("topo.zone | pool limited to z1..z3 | [1,1,2]", () => {
    const cluster = new GrowingCluster({ pools: [poolIn("a", "b", "c")] });
    cluster.round(web(4));
    expect(cluster.skew(zone)).toEqual([1, 1, 2]);
  });

  conforms("topo.zone | pool limited to z1,z2 | [2,2]", () => {
    const cluster = new GrowingCluster({ pools: [poolIn("a", "b")] });
    cluster.round(web(4));
    expect(cluster.skew(zone)).toEqual([2, 2]);
  });

  conforms("topo.zone | pool label fixes z1 | [4]", () => {
    const cluster = new GrowingCluster({ pools: [nodePool("default", { labels: { [zone]: "a" } })] });
    cluster.round(web(4));
    expect(cluster.skew(zone)).toEqual([4]);
  });

  conforms("topo.zone | pool requirement z1,z2 but label z1 | [4]", () => {
    const pool = nodePool("default", { labels: { [zone]: "a" }, requirements: [oneOf(zone, "a", "b")] });
    const cluster = new GrowingCluster({ pools: [pool] });
    cluster.round(web(4));
    expect(cluster.skew(zone)).toEqual([4]);
  });

  conforms("topo.zone | two pools labelled z1 and z2 | [2,2]", () => {
    const pools = ["a", "b"].map((domain) => nodePool(`in-${domain}`, { labels: { [zone]: domain } }));
    const cluster = new GrowingCluster({ pools });
    cluster.round(web(4));
    expect(cluster.skew(zone)).toEqual([2, 2]);
  });

  conforms("topo.zone | existing pod in z3 then pool limited to z1,z2, 6 pods | [1,2,2], rest unschedulable", () => {
    const cluster = new GrowingCluster({
      nodes: [plainNode("n", { zone: "c", taints: [full] })],
      pods: [runningPod("old", "n", { app: "web" })],
      pools: [poolIn("a", "b")],
    });
    const { unscheduled } = cluster.round(web(6));
    expect(cluster.skew(zone)).toEqual([1, 2, 2]);
    expect(unscheduled).toHaveLength(2);
  });

  conforms("topo.zone | maxSkew 5; one pod z1, one z2, then pool only z3, 10 pods | [1,1,6]", () => {
    const cluster = new GrowingCluster({
      nodes: ["a", "b"].map((domain) => plainNode(domain, { zone: domain, taints: [full] })),
      pods: ["a", "b"].map((node) => runningPod(`old-${node}`, node, { app: "web" })),
      pools: [poolIn("c")],
    });
    const { unscheduled } = cluster.round(web(10, { maxSkew: 5 }));
    expect(cluster.skew(zone)).toEqual([1, 1, 6]);
    expect(unscheduled).toHaveLength(4);
  });

  conforms(
    "topo.zone | nine pods [3,3,3], all but z1's deleted, three more | only the emptied zones are used: [3,1,2]",
    () => {
      const cluster = new GrowingCluster();
      cluster.round(web(9));
      expect(cluster.skew(zone)).toEqual([3, 3, 3]);
      cluster.remove(zone, (_, domain) => domain !== "a");
      cluster.round(pendingPods(3, "more", { app: "web", spec: zoneSpread("web") }));
      expect(cluster.skew(zone)).toEqual([1, 2, 3]);
      expect(["more-0", "more-1", "more-2"].map((name) => cluster.domainOf(name, zone))).not.toContain("a");
    },
  );

  conforms("topo.zone | one pod in z1 then pool z2,z3, 10 pods | [1,2,2]", () => {
    const cluster = new GrowingCluster();
    cluster.round([pinnedTo("first", "a")], { pools: [poolIn("a")] });
    const { unscheduled } = cluster.round(web(10), { pools: [poolIn("b", "c")] });
    expect(cluster.skew(zone)).toEqual([1, 2, 2]);
    expect(unscheduled).toHaveLength(6);
  });

  conforms(
    "topo.zone | mix of pending, other-label, other-namespace, terminating, failed, succeeded, no-domain pods | only running matching pods counted: [2,2,1]",
    () => {
      const nodes = [plainNode("a"), plainNode("b", { zone: "b" }), plainNode("none", { zone: "" })];
      const gone = (phase: string) => ({ ...runningPod(phase, "a", { app: "web" }), status: { phase } });
      const counted = ["a", "a", "b"].map((node, index) => runningPod(`counted-${index}`, node, { app: "web" }));
      const world = {
        nodes: nodes.map((node) => ({ ...node, spec: { ...node.spec, taints: [full] } })),
        pods: [
          runningPod("other", "b", { app: "other" }),
          runningPod("elsewhere", "b", { app: "web", namespace: "elsewhere" }),
          runningPod("nowhere", "none", { app: "web" }),
          runningPod("leaving", "b", { app: "web", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
          gone("Failed"),
          gone("Succeeded"),
          ...counted,
        ],
      };
      const { nodes: made } = solve({ ...world, pods: [...world.pods, ...web(2)] });
      const domains = [...["a", "a", "b"], ...made.flatMap((node) => node.pods.map(() => node.zone))];
      const counts = ["a", "b", "c"].map((domain) => domains.filter((other) => other === domain).length);
      // Karpenter's suites do not mind which zone has which number.
      expect(counts.sort((a, b) => b - a)).toEqual([2, 2, 1]);
    },
  );

  conforms("topo.zone | empty selector | matches all; [1]", () => {
    const cluster = new GrowingCluster();
    cluster.round(web(1, { labelSelector: {} }));
    expect(cluster.skew(zone)).toEqual([1]);
    cluster.round(pendingPods(2, "other", { spec: zoneSpread("any", { labelSelector: {} }) }));
    expect(cluster.skew(zone)).toEqual([1, 1, 1]);
  });

  conforms("topo.zone | pods whose selectors point at other labels (interdependent) | all on one node", () => {
    const pods = ["x", "y"].flatMap((app) =>
      pendingPods(2, app, { cpu: "100m", spec: zoneSpread(app === "x" ? "nobody" : "neither") }),
    );
    expect(solve({ pods }).nodes.map(({ pods: placed }) => placed)).toEqual([["x-0", "x-1", "y-0", "y-1"]]);
  });

  conforms("topo.zone | minDomains equal to zones (3), 11 pods | [4,4,3]", () => {
    const cluster = new GrowingCluster();
    cluster.round(web(11, { minDomains: 3 }));
    expect(cluster.skew(zone)).toEqual([3, 4, 4]);
  });

  conforms("topo.zone | minDomains less than zones, 11 pods | [4,4,3]", () => {
    const cluster = new GrowingCluster();
    cluster.round(web(11, { minDomains: 2 }));
    expect(cluster.skew(zone)).toEqual([3, 4, 4]);
  });
});
