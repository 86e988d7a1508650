import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { jobNamed, replicaSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { hostnameSpread, pendingPods } from "../../support/pods.ts";
import { podsOwnedBy, serviceNamed, sources, spreadByDefault } from "../../support/selector-sources.ts";

const { zone, hostname } = label;
const full = { key: "full", effect: "NoSchedule" } as const;
const web = replicaSetNamed("web");
const small = { cpu: "100m" };
const poolIn = (...zones: string[]) => nodePool("default", { requirements: [oneOf(zone, ...zones)] });

describe("the cluster's default spread", () => {
  conforms("topo.default | zone default, pods of a ReplicaSet | [1,1,2]", () => {
    const cluster = new GrowingCluster({ ...spreadByDefault(zone), ...sources([web]) });
    cluster.round(podsOwnedBy(web, 4));
    expect(cluster.skew(zone)).toEqual([1, 1, 2]);
  });

  conforms("topo.default | hostname default | [1,1,1]", () => {
    const cluster = new GrowingCluster({ ...spreadByDefault(hostname), ...sources([web]) });
    cluster.round(podsOwnedBy(web, 3, small));
    expect(cluster.skew(hostname)).toEqual([1, 1, 1]);
  });

  conforms("topo.default | pod has its own (looser) constraint | default not applied; one node", () => {
    const cluster = new GrowingCluster({ ...spreadByDefault(hostname), ...sources([web]) });
    cluster.round(podsOwnedBy(web, 4, { ...small, spec: hostnameSpread("web", { maxSkew: 4 }) }));
    expect(cluster.skew(hostname)).toEqual([4]);
  });

  conforms("topo.default | minDomains in default | honoured [1,1]", () => {
    const settings = spreadByDefault(zone, { minDomains: 3 });
    const cluster = new GrowingCluster({ ...settings, ...sources([web]), pools: [poolIn("a", "b")] });
    const { unscheduled } = cluster.round(podsOwnedBy(web, 3));
    expect(cluster.skew(zone)).toEqual([1, 1]);
    expect(unscheduled).toHaveLength(1);
  });

  const outOfReach = { nodes: [plainNode("n", { zone: "b", taints: [full] })], pools: [poolIn("a")] };

  conforms("topo.default | unsatisfiable DoNotSchedule default | only 1 schedules", () => {
    const cluster = new GrowingCluster({ ...spreadByDefault(zone), ...sources([web]), ...outOfReach });
    const { unscheduled } = cluster.round(podsOwnedBy(web, 3));
    expect(cluster.skew(zone)).toEqual([1]);
    expect(unscheduled).toHaveLength(2);
  });

  conforms("topo.default | unsatisfiable ScheduleAnyway default | relaxed, all on one node", () => {
    const soft = spreadByDefault(zone, { whenUnsatisfiable: "ScheduleAnyway" });
    const cluster = new GrowingCluster({ ...soft, ...sources([web]), ...outOfReach });
    const { unscheduled } = cluster.round(podsOwnedBy(web, 3, small));
    expect(unscheduled).toEqual([]);
    expect(cluster.skew(hostname)).toEqual([3]);
  });

  conforms("topo.default | no config / no owner and no service (x2) | no effect", () => {
    for (const [world, pods] of [
      [sources([web]), podsOwnedBy(web, 3, small)],
      [{ ...spreadByDefault(hostname), ...sources([web]) }, pendingPods(3, "web", small)],
    ] as const) {
      const cluster = new GrowingCluster(world);
      cluster.round(pods);
      expect(cluster.skew(hostname)).toEqual([3]);
    }
  });

  conforms("topo.default | existing pods of the workload | counted: new ones balance to [2,2]", () => {
    const cluster = new GrowingCluster({ ...spreadByDefault(zone), ...sources([web]) });
    cluster.round(podsOwnedBy(web, 2), { pools: [poolIn("a")], settings: {} });
    expect(cluster.skew(zone)).toEqual([2]);
    cluster.round(podsOwnedBy(web, 2, {}, "more"), { pools: [poolIn("a", "b")], ...spreadByDefault(zone) });
    expect(cluster.skew(zone)).toEqual([2, 2]);
  });

  conforms("topo.default | two workloads; two ReplicaSet revisions (x2) | each spreads by itself", () => {
    const other = replicaSetNamed("other");
    const revisions = ["1", "2"].map((hash) => {
      const revision = replicaSetNamed(`web-${hash}`);
      const selector = { matchLabels: { app: "web", "pod-template-hash": hash } };
      return { ...revision, spec: { ...revision.spec, selector } };
    });
    const podsOf = (owner: (typeof revisions)[number], hash: string) =>
      podsOwnedBy(owner, 2, { ...small, app: "web", labels: { "pod-template-hash": hash } });
    for (const [owners, pods] of [
      [[web, other], [web, other].flatMap((owner) => podsOwnedBy(owner, 2, small))],
      [revisions, revisions.flatMap((owner, index) => podsOf(owner, String(index + 1)))],
    ] as const) {
      const cluster = new GrowingCluster({ ...spreadByDefault(hostname), ...sources(owners) });
      cluster.round(pods);
      expect(cluster.skew(hostname)).toEqual([2, 2]);
    }
  });

  conforms("topo.default | Job-like pod matched by a Service | selector from Service, spreads", () => {
    const service = serviceNamed("batch", { app: "batch" });
    const cluster = new GrowingCluster({ ...spreadByDefault(hostname), ...sources([], [service]) });
    cluster.round(podsOwnedBy(jobNamed("batch"), 3, small));
    expect(cluster.skew(hostname)).toEqual([1, 1, 1]);
  });
});
