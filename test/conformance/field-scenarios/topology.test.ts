import { expect } from "vitest";
import type { PodSpec } from "../../../shared/api/core.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { pendingPods, runningPod, spread, zoneSpread } from "../../support/pods.ts";

const row = "example.com/row";
const full = { key: "full", effect: "NoSchedule" } as const;

conforms(
  'B1.01 Pool A labels domain In[1] and is the only pool the pod may use; pool B lists domains 2..10. Pod: maxSkew 1, nodeAffinityPolicy/nodeTaintsPolicy Honor; one matching pod already in domain 1 -> "unsatisfiable" since 2..10 count 0 -> only domains of usable pools count; launch in 1. [KS#2623, KA#8702]',
  () => {
    const others = Array.from({ length: 9 }, (_, index) => String(index + 2));
    const team = (name: string) => ({ key: "team", value: name, effect: "NoSchedule" }) as const;
    const policies = { nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Honor" } as const;
    const byRow = spread(row, "web", policies);
    const own: Record<string, Partial<PodSpec>> = {
      "by selector": { ...byRow, nodeSelector: { team: "a" } },
      "by taint": { ...byRow, tolerations: [{ key: "team", operator: "Equal", value: "a", effect: "NoSchedule" }] },
    };
    for (const [how, spec] of Object.entries(own)) {
      const pool = (name: string, rows: readonly string[]) =>
        nodePool(name, {
          requirements: [oneOf(row, ...rows)],
          ...(how === "by selector" ? { labels: { team: name } } : { taints: [team(name)] }),
        });
      const labels = { [row]: "1", ...(how === "by selector" && { team: "a" }) };
      const cluster = new GrowingCluster({
        pools: [pool("a", ["1"]), pool("b", others)],
        nodes: [plainNode("n", { labels, cpu: "1", ...(how === "by taint" && { taints: [team("a")] }) })],
        pods: [runningPod("old", "n", { app: "web" })],
      });
      const { unscheduled, nodes } = cluster.round(pendingPods(3, "web", { spec }));
      expect(unscheduled).toEqual([]);
      expect(nodes.map((node) => [node.pool, node.labels[row]])).toEqual([["a", "1"]]);
      expect(cluster.skew(row)).toEqual([4]);
    }
  },
);

conforms(
  'B1.03 Existing nodes give domains {"":0, a:2, b:1, c:1}, maxSkew 1 -> refuses all -> ignore empty domain value; place in b or c. [Azure/karpenter-provider-azure#1384]',
  () => {
    const domains = ["", "a", "b", "c"];
    const cluster = new GrowingCluster({
      nodes: domains.map((domain) =>
        plainNode(`n-${domain}`, { zone: domain, labels: { [row]: domain }, taints: [full] }),
      ),
      pods: ["a", "a", "b", "c"].map((domain, index) => runningPod(`old-${index}`, `n-${domain}`, { app: "web" })),
      pools: [nodePool("default", { requirements: [oneOf(row, "a", "b", "c")] })],
    });
    for (const [name, spec] of [
      ["by-zone", zoneSpread("web")],
      ["by-row", spread(row, "web")],
    ] as const) {
      const { unscheduled, nodes } = cluster.round(pendingPods(1, name, { app: "web", cpu: "3500m", spec }));
      expect(unscheduled).toEqual([]);
      expect(nodes.map((node) => (name === "by-zone" ? node.zone : (node.labels[row] ?? "")))[0]).toBeOneOf(["b", "c"]);
    }
  },
);

conforms(
  "B1.45 matchLabelKeys pod-template-hash in spread during rollout: old ReplicaSet's pods must not count. [K8s semantics]",
  () => {
    // The old pods all run in zone a: were they to count, none of the new ones could.
    const spec = zoneSpread("web", { matchLabelKeys: ["pod-template-hash"] });
    const revision = (hash: string) => ({ app: "web", labels: { "pod-template-hash": hash }, spec });
    const cluster = new GrowingCluster({
      nodes: [plainNode("n", { zone: "a", cpu: "50", taints: [full] })],
      pods: Array.from({ length: 6 }, (_, index) => runningPod(`old-${index}`, "n", revision("old"))),
    });
    const { unscheduled } = cluster.round(pendingPods(6, "new", revision("new")));
    expect(unscheduled).toEqual([]);
    const zones = Array.from({ length: 6 }, (_, index) =>
      cluster.domainOf(`new-${index}`, "topology.kubernetes.io/zone"),
    );
    expect([...Map.groupBy(zones, (zone) => zone).values()].map(({ length }) => length)).toEqual([2, 2, 2]);
  },
);
