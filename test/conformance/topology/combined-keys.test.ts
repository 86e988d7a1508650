import { describe, expect } from "vitest";
import type { Pod, PodSpec, TopologySpreadConstraint } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { hostnameSpread, pendingPods, spread, zoneSpread } from "../../support/pods.ts";

const { zone, capacityType, hostname } = label;
const row = "example.com/row";

/** Several constraints on one pod. */
function together(...specs: readonly Partial<PodSpec>[]): Partial<PodSpec> {
  return { topologySpreadConstraints: specs.flatMap((spec) => spec.topologySpreadConstraints ?? []) };
}

const byZoneAndHost = together(zoneSpread("web"), hostnameSpread("web", { maxSkew: 3 }));
const most = (counts: readonly number[]) => Math.max(...counts);

describe("several keys at once", () => {
  conforms(
    "topo.multi | zone maxSkew1 + host maxSkew3, rounds of 2,3,5,11 | zone [1,1],[2,2,1],[4,3,3],[7,7,7]; no host >3",
    () => {
      const cluster = new GrowingCluster();
      const expected = { 2: [1, 1], 3: [1, 2, 2], 5: [3, 3, 4], 11: [7, 7, 7] };
      for (const [count, zones] of Object.entries(expected)) {
        cluster.round(pendingPods(Number(count), `round-${count}`, { app: "web", cpu: "100m", spec: byZoneAndHost }));
        expect(cluster.skew(zone)).toEqual(zones);
        expect(most(cluster.skew(hostname))).toBeLessThanOrEqual(3);
      }
    },
  );

  conforms(
    "topo.multi | spread over custom domain split between spot pool (4 domains) and on-demand pool (1) | [4x5]; capacity [4,16]",
    () => {
      const pool = (type: string, ...rows: string[]) =>
        nodePool(type, { requirements: [oneOf(capacityType, type), oneOf(row, ...rows)] });
      const cluster = new GrowingCluster({ pools: [pool("spot", "2", "3", "4", "5"), pool("on-demand", "1")] });
      cluster.round(pendingPods(20, "web", { spec: spread(row, "web") }));
      expect(cluster.skew(row)).toEqual([4, 4, 4, 4, 4]);
      expect(cluster.skew(capacityType)).toEqual([4, 16]);
    },
  );

  conforms(
    "topo.multi | zone required + host ScheduleAnyway with pods pinned partly | schedules, host relaxed as needed",
    () => {
      const soft = hostnameSpread("web", { whenUnsatisfiable: "ScheduleAnyway" });
      const spec = together(zoneSpread("web"), soft);
      const cluster = new GrowingCluster({ pools: [nodePool("default", { limits: { nodes: "3" } })] });
      const pinned = pendingPods(2, "pinned", {
        app: "web",
        cpu: "100m",
        spec: { ...spec, nodeSelector: { [zone]: "a" } },
      });
      const { unscheduled } = cluster.round([...pinned, ...pendingPods(4, "web", { cpu: "100m", spec })]);
      expect(unscheduled).toEqual([]);
      expect(cluster.domainOf("pinned-0", zone)).toBe("a");
      expect(cluster.skew(zone)).toHaveLength(3);
      expect(cluster.skew(hostname)).toHaveLength(3);
    },
  );

  conforms("topo.multi | zone restricted to two + host maxSkew3 rounds | [1,1],[3,2],[5,5],[11,10]", () => {
    const cluster = new GrowingCluster({ pools: [nodePool("default", { requirements: [oneOf(zone, "a", "b")] })] });
    const expected = { 2: [1, 1], 3: [2, 3], 5: [5, 5], 11: [10, 11] };
    for (const [count, zones] of Object.entries(expected)) {
      cluster.round(pendingPods(Number(count), `round-${count}`, { app: "web", cpu: "100m", spec: byZoneAndHost }));
      expect(cluster.skew(zone)).toEqual(zones);
      expect(most(cluster.skew(hostname))).toBeLessThanOrEqual(3);
    }
  });
});

describe("matchLabelKeys", () => {
  const byRevision = (keys: readonly string[]) =>
    ["1", "2"].flatMap((revision) =>
      pendingPods(2, `web-${revision}`, {
        app: "web",
        cpu: "100m",
        labels: { "pod-template-hash": revision },
        spec: hostnameSpread("web", { matchLabelKeys: [...keys] }),
      }),
    );

  conforms("topo.mlk | matchLabelKeys on a revision-like label | each label value spreads alone: [2,2]", () => {
    const cluster = new GrowingCluster();
    cluster.round(byRevision(["pod-template-hash"]));
    expect(cluster.skew(hostname)).toEqual([2, 2]);
  });

  conforms("topo.mlk | key not present on pod | ignored: [1x4]", () => {
    const cluster = new GrowingCluster();
    cluster.round(byRevision(["missing"]));
    expect(cluster.skew(hostname)).toEqual([1, 1, 1, 1]);
  });
});

describe("node policies", () => {
  const fenced = { key: "fenced", value: "yes", effect: "NoSchedule" } as const;
  const inRows = (count: number, changes: Partial<TopologySpreadConstraint>, spec: Partial<PodSpec> = {}): Pod[] =>
    pendingPods(count, "web", { cpu: "100m", spec: { ...spread(row, "web", changes), ...spec } });
  const existing = (labels: Readonly<Record<string, string>> = {}) =>
    ["foo", "bar"].map((domain) =>
      plainNode(domain, { labels: { ...labels, [row]: domain }, taints: labels.team === undefined ? [fenced] : [] }),
    );
  const poolOf = (name: string, rows: readonly string[], taint?: typeof fenced) =>
    nodePool(name, { requirements: [oneOf(row, ...rows)], ...(taint && { taints: [taint] }) });

  conforms(
    "topo.taintspolicy | Ignore with tainted existing domain nodes | those domains count → only [1] fits",
    () => {
      const cluster = new GrowingCluster({ nodes: existing(), pools: [poolOf("own", ["baz"])] });
      const { unscheduled } = cluster.round(inRows(5, { nodeTaintsPolicy: "Ignore" }));
      expect(cluster.skew(row)).toEqual([1]);
      expect(unscheduled).toHaveLength(4);
    },
  );

  conforms("topo.taintspolicy | Honor | tainted domains excluded → [5]", () => {
    const cluster = new GrowingCluster({ nodes: existing(), pools: [poolOf("own", ["baz"])] });
    cluster.round(inRows(5, { nodeTaintsPolicy: "Honor" }));
    expect(cluster.skew(row)).toEqual([5]);
  });

  const twoPools = [poolOf("fenced", ["foo"], fenced), poolOf("own", ["bar"])];

  conforms("topo.taintspolicy | domains come from NodePools, Ignore | [1]", () => {
    const cluster = new GrowingCluster({ pools: twoPools });
    const { unscheduled } = cluster.round(inRows(2, { nodeTaintsPolicy: "Ignore" }));
    expect(cluster.skew(row)).toEqual([1]);
    expect(unscheduled).toHaveLength(1);
  });

  conforms("topo.taintspolicy | domains from NodePools, Honor | [2]", () => {
    const cluster = new GrowingCluster({ pools: twoPools });
    cluster.round(inRows(2, { nodeTaintsPolicy: "Honor" }));
    expect(cluster.skew(row)).toEqual([2]);
  });

  conforms(
    "topo.taintspolicy | pools with exclusive taints share domains, Honor | untolerated pool's domains excluded: [3,2,1]",
    () => {
      const taintOf = (value: string) => ({ ...fenced, value }) as typeof fenced;
      const pools = [poolOf("one", ["foo", "bar"], taintOf("one")), poolOf("two", ["foo", "baz"], taintOf("two"))];
      const tolerating = (value: string, count: number) =>
        pendingPods(count, value, {
          app: "web",
          cpu: "100m",
          spec: {
            ...spread(row, "web", { nodeTaintsPolicy: "Honor" }),
            tolerations: [{ key: "fenced", operator: "Equal", value, effect: "NoSchedule" }],
          },
        });
      const cluster = new GrowingCluster({ pools });
      const { unscheduled } = cluster.round([...tolerating("one", 4), ...tolerating("two", 2)]);
      expect(unscheduled).toEqual([]);
      expect(cluster.skew(row)).toEqual([1, 2, 3]);
    },
  );

  conforms("topo.affinitypolicy | Honor | [5]", () => {
    const cluster = new GrowingCluster({
      nodes: existing({ team: "other" }),
      pools: [nodePool("own", { labels: { team: "own" }, requirements: [oneOf(row, "baz")] })],
    });
    cluster.round(inRows(5, { nodeAffinityPolicy: "Honor" }, { nodeSelector: { team: "own" } }));
    expect(cluster.skew(row)).toEqual([5]);
  });
});
