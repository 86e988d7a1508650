import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms, differs } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { plainNode } from "../../support/nodes.ts";
import { awayFrom, pendingPod, pendingPods, preferring, runningPod } from "../../support/pods.ts";

const { zone } = label;
const zones = ["a", "b", "c"] as const;
const full = { key: "full", effect: "NoSchedule" } as const;
const inZone = (domain: string) => ({ nodeSelector: { [zone]: domain } });

describe("anti-affinity", () => {
  conforms("topo.podaff | preferred anti-affinity unsatisfiable | relaxed, all scheduled", () => {
    const spec = { ...preferring(awayFrom("web", zone)), ...inZone("a") };
    const cluster = new GrowingCluster();
    const { unscheduled } = cluster.round(pendingPods(10, "web", { spec }));
    expect(unscheduled).toEqual([]);
    expect(cluster.skew(zone)).toEqual([10]);
  });

  conforms("topo.antiaff | hostname anti-affinity between two pods | two nodes", () => {
    const pods = [pendingPod("web", { app: "web" }), pendingPod("loner", { spec: awayFrom("web") })];
    expect(solve({ pods }).nodes).toHaveLength(2);
  });

  conforms("topo.antiaff | three pods pinned to z1,z2,z3, fourth anti-affine on zone | fourth not scheduled", () => {
    const pinned = zones.map((domain) => pendingPod(domain, { app: "web", cpu: "2", spec: inZone(domain) }));
    const { unscheduled } = solve({ pods: [...pinned, pendingPod("loner", { spec: awayFrom("web", zone) })] });
    expect(unscheduled).toEqual(["loner"]);
  });

  differs(
    "topo.antiaff | other pod first with zone open | anti-affine pod not scheduled (all zones possible)",
    "A new node's zone is settled by the plan, so that the other pod need not wait for a pass in which it is known (decision record 0005).",
    () => {
      const cluster = new GrowingCluster();
      const pods = [
        pendingPod("web", { app: "web", cpu: "2" }),
        pendingPod("loner", { app: "loner", spec: awayFrom("web", zone) }),
      ];
      expect(cluster.round(pods).unscheduled).toEqual([]);
      expect(cluster.skew(zone)).toEqual([1, 1]);
    },
  );

  conforms(
    'topo.antiaff | owner placed without known zone ("either zone") | partner waits; next pass with zone known schedules elsewhere',
    () => {
      // The owner's zone is known in the first pass already; what counts is that the two end up apart.
      const cluster = new GrowingCluster();
      cluster.round([
        pendingPod("owner", { app: "owner", cpu: "2", spec: awayFrom("web", zone) }),
        pendingPod("web", { app: "web" }),
      ]);
      const { unscheduled } = cluster.round();
      expect(unscheduled).toEqual([]);
      expect(cluster.skew(zone)).toEqual([1, 1]);
    },
  );

  conforms("topo.antiaff | repeated passes of zone anti-affine pods | one more zone each pass, max [1,1,1]", () => {
    // One pass fills all zones; no later one puts a second pod into any of them.
    const cluster = new GrowingCluster();
    cluster.round(pendingPods(5, "web", { spec: awayFrom("web", zone) }));
    for (const _ of zones) {
      expect(cluster.skew(zone)).toEqual([1, 1, 1]);
      expect(cluster.round().unscheduled).toHaveLength(2);
    }
  });
});

describe("anti-affinity of others", () => {
  const owners = (preferred: boolean) =>
    zones.map((domain) => {
      const away = awayFrom("web", zone);
      return pendingPod(`owner-${domain}`, {
        cpu: "2",
        spec: { ...(preferred ? preferring(away) : away), ...inZone(domain) },
      });
    });
  const web = pendingPod("web", { app: "web" });

  conforms("topo.antiaff.inverse | preferred anti-affinity owners in every zone | plain pod schedules", () => {
    expect(solve({ pods: [...owners(true), web] }).unscheduled).toEqual([]);
  });

  conforms("topo.antiaff.inverse | required owners in every zone | plain pod not scheduled", () => {
    expect(solve({ pods: [...owners(false), web] }).unscheduled).toEqual(["web"]);
  });

  const existing = (preferred: boolean) => {
    const away = awayFrom("web", zone);
    const spec = preferred ? preferring(away) : away;
    return {
      nodes: zones.map((domain) => plainNode(domain, { zone: domain, taints: [full] })),
      pods: zones.map((domain) => runningPod(`owner-${domain}`, domain, { spec })),
    };
  };

  conforms("topo.antiaff.inverse | owners already on existing nodes in all zones, required | not scheduled", () => {
    const { nodes, pods } = existing(false);
    expect(solve({ nodes, pods: [...pods, web] }).unscheduled).toEqual(["web"]);
  });

  conforms("topo.antiaff.inverse | same, preferred | scheduled", () => {
    const { nodes, pods } = existing(true);
    const { unscheduled, nodes: made } = solve({ nodes, pods: [...pods, web] });
    expect(unscheduled).toEqual([]);
    expect(made.map((node) => node.pods)).toEqual([["web"]]);
  });
});
