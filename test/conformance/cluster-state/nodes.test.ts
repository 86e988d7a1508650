import { describe, expect } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import type { Taint } from "../../../shared/api/schema.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { type ClusterNode, clusterNodes } from "../../../shared/state/cluster-nodes.ts";
import { daemonProfiles } from "../../../shared/state/daemon-profile.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { conforms, differs } from "../../support/conformance.ts";
import { claimedNode, inFlightClaim, plainNode } from "../../support/nodes.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";
import { boundClaim, claimed, csiNode, ebs, volumeOf } from "../../support/volumes.ts";

function nodeIn(world: World, name = "n1"): ClusterNode | undefined {
  return clusterNodes(snapshotWith(world)).find((node) => node.name === name);
}

function cpuUsed(world: World, name = "n1"): number {
  return nodeIn(world, name)?.used.cpu ?? 0;
}

function ended(pod: Pod, phase: "Succeeded" | "Failed"): Pod {
  return { ...pod, status: { ...pod.status, phase } };
}

describe("what pods use", () => {
  conforms(
    "state.res | unbound ignored; new and existing bound; deleted; terminal; node deleted; missed events; random adds; daemons separate (x9) | usage exact",
    () => {
      const { node, claim } = claimedNode("n1");
      const world = { nodes: [node, plainNode("n2")], nodeClaims: [claim] };
      const one = runningPod("one", "n1", { cpu: "1" });
      const two = runningPod("two", "n1", { cpu: "500m" });
      expect(cpuUsed({ ...world, pods: [pendingPod("unbound", { cpu: "1" })] })).toBe(0);
      expect(cpuUsed({ ...world, pods: [one] })).toBe(1_000);
      expect(cpuUsed({ ...world, pods: [one, two] })).toBe(1_500);
      expect(cpuUsed({ ...world, pods: [two] })).toBe(500);
      expect(cpuUsed({ ...world, pods: [ended(one, "Succeeded"), ended(two, "Failed")] })).toBe(0);
      // Its node is gone: it burdens none, and comes back with it.
      const without = { nodes: [plainNode("n2")], pods: [one] };
      expect(nodeIn(without)).toBeUndefined();
      expect(cpuUsed(without, "n2")).toBe(0);
      const moved = runningPod("one", "n2", { cpu: "1" });
      expect([cpuUsed({ ...world, pods: [moved] }), cpuUsed({ ...world, pods: [moved] }, "n2")]).toEqual([0, 1_000]);
      const many = Array.from({ length: 30 }, (_, index) =>
        runningPod(`p${index}`, index % 3 === 0 ? "n1" : "n2", { cpu: "10m" }),
      );
      expect([cpuUsed({ ...world, pods: many }), cpuUsed({ ...world, pods: many }, "n2")]).toEqual([100, 200]);
      expect(cpuUsed({ ...world, pods: many.toReversed() })).toBe(100);
      // A DaemonSet's pod is expected once, and counted once when it is there.
      const daemonSets = [daemonSetNamed("logs", { cpu: "200m" })];
      expect(cpuUsed({ ...world, daemonSets, pods: [one] })).toBe(1_200);
      const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "logs", uid: "logs", controller: true };
      const daemon = runningPod("logs-1", "n1", { cpu: "200m" });
      const owned = { ...daemon, metadata: { ...daemon.metadata, ownerReferences: [owner] } };
      expect(cpuUsed({ ...world, daemonSets, pods: [one, owned] })).toBe(1_200);
    },
  );

  conforms(
    "state.volume+port | node update / claim update / re-observed pod over the limit (x6) | usage hydrated / usage kept / no false conflict",
    () => {
      const container = { name: "app", ports: [{ containerPort: 80, hostPort: 80 }] };
      const pods = ["one", "two"].map((name) =>
        runningPod(name, "n1", { spec: { ...claimed(name), ...(name === "one" && { containers: [container] }) } }),
      );
      const storage = {
        persistentVolumeClaims: [boundClaim("one"), boundClaim("two")],
        persistentVolumes: [volumeOf("one"), volumeOf("two")],
        csiNodes: [csiNode("n1", 1)],
      };
      const { node, claim } = claimedNode("n1");
      const updated = { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, team: "shop" } } };
      const relabelled = {
        ...claim,
        metadata: { ...claim.metadata, labels: { ...claim.metadata.labels, team: "shop" } },
      };
      for (const [one, other] of [
        [node, claim],
        [updated, claim],
        [node, relabelled],
      ] as const) {
        const seen = nodeIn({ nodes: [one], nodeClaims: [other], pods, ...storage });
        expect(seen?.attached.get(ebs)?.size).toBe(2);
        expect(seen?.hostPorts).toEqual(["0.0.0.0:80/TCP"]);
      }
      // More is attached than the limit says: those pods stay, and the node simply takes no more.
      const world = { nodes: [node], nodeClaims: [claim], pods, ...storage };
      expect(planProvisioning(snapshotWith(world)).unschedulable).toEqual([]);
    },
  );
});

describe("nodes and claims together", () => {
  conforms("state.mark | node deleted; claim deleted (x2) | marked", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const { node, claim } = claimedNode("n1");
    expect(nodeIn({ nodes: [node], nodeClaims: [claim] })?.leaving).toBe(false);
    const leavingNode = { ...node, metadata: { ...node.metadata, deletionTimestamp } };
    const leavingClaim = { ...claim, metadata: { ...claim.metadata, deletionTimestamp } };
    expect(nodeIn({ nodes: [leavingNode], nodeClaims: [claim] })?.leaving).toBe(true);
    expect(nodeIn({ nodes: [node], nodeClaims: [leavingClaim] })?.leaving).toBe(true);
  });

  conforms("state.pid | providerID appears later | one state node", () => {
    const { node, claim } = claimedNode("n1", { initialized: false });
    const { providerID: _, ...spec } = node.spec ?? {};
    const early = clusterNodes(snapshotWith({ nodes: [{ ...node, spec }], nodeClaims: [claim] }));
    expect(early.map(({ name }) => name).sort()).toEqual(["n1", "n1-claim"]);
    const later = clusterNodes(snapshotWith({ nodes: [node], nodeClaims: [claim] }));
    expect(later.map(({ name, nodeClaim }) => [name, nodeClaim?.metadata.name])).toEqual([["n1", "n1-claim"]]);
  });

  differs(
    "state.sync | many combinations (x13) | synced only when all claims/nodes known and every claim has a providerID",
    "Each pass reads the world afresh, and takes a claim without an instance for a node to come, with the pods it is meant for: no pass has to wait for another's launches (decision record 0011).",
    () => {
      const first = planProvisioning(snapshotWith({ pods: [pendingPod("one", { cpu: "3" })] }));
      expect(first.nodeClaims).toHaveLength(1);
      const { status: _, ...unlaunched } = inFlightClaim("c1");
      const nominations = JSON.stringify([{ uid: "uid-one", owner: "", class: "" }]);
      const annotated = { ...unlaunched.metadata, annotations: { "journeyman.sh/nominated-pods": nominations } };
      const pod = pendingPod("one", { cpu: "3" });
      const known = { ...pod, metadata: { ...pod.metadata, uid: "uid-one" } };
      const world = {
        nodeClaims: [{ ...unlaunched, metadata: annotated }],
        pods: [known, pendingPod("two", { cpu: "3" })],
      };
      const second = planProvisioning(snapshotWith(world));
      expect(second.nodeClaims.map(({ pods }) => pods.map(({ name }) => name))).toEqual([["two"]]);
    },
  );

  conforms(
    "state.ds | no pod / pod created / newer pod / DaemonSet deleted / foreign pods (x5) | empty / cached / newest cached / evicted / ignored",
    () => {
      const daemonSets = [daemonSetNamed("logs", { cpu: "100m" })];
      const podOf = (name: string, cpu: string, creationTimestamp: string, kind = "DaemonSet") => {
        const pod = runningPod(name, "n1", { cpu });
        const owner = { apiVersion: "apps/v1", kind, name: "logs", uid: "logs", controller: true };
        return { ...pod, metadata: { ...pod.metadata, creationTimestamp, ownerReferences: [owner] } };
      };
      const cpus = (pods: readonly Pod[], sets = daemonSets) =>
        daemonProfiles({ ...snapshotWith({ pods }), daemonSets: sets }).map(({ requests }) => requests.cpu);
      const older = podOf("older", "200m", "2026-01-01T00:00:00Z");
      const newer = podOf("newer", "300m", "2026-01-02T00:00:00Z");
      const foreign = podOf("foreign", "900m", "2026-01-03T00:00:00Z", "ReplicaSet");
      expect(cpus([])).toEqual([100]);
      expect(cpus([older])).toEqual([200]);
      expect(cpus([older, newer])).toEqual([300]);
      expect(cpus([newer, older])).toEqual([300]);
      expect(cpus([older, foreign])).toEqual([200]);
      expect(cpus([older, newer], [])).toEqual([]);
    },
  );
});

describe("taints", () => {
  const startup: Taint = { key: "cilium", effect: "NoSchedule" };
  const own: Taint = { key: "gpu", effect: "NoSchedule" };
  const ephemeral: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const readiness: Taint = { key: "readiness.k8s.io/storage", effect: "NoExecute" };

  function keys(taint: Taint, options: { readonly initialized: boolean; readonly managed?: boolean }) {
    const { node, claim } = claimedNode("n1", {
      initialized: options.initialized,
      taints: [own, taint],
      startupTaints: [startup],
    });
    const nodeClaims = options.managed === false ? [] : [claim];
    return nodeIn({ nodes: [node], nodeClaims })?.taints.map(({ key }) => key);
  }

  conforms(
    "state.taints | managed + uninitialised: ephemeral, readiness.k8s.io or startup taint (x3) | left out of the node's taints",
    () => {
      for (const taint of [ephemeral, readiness, startup]) {
        expect(keys(taint, { initialized: false }), taint.key).toEqual(["gpu"]);
      }
    },
  );

  conforms("state.taints | managed + initialised: ephemeral or startup taint (x2) | counted", () => {
    for (const taint of [ephemeral, startup]) {
      expect(keys(taint, { initialized: true }), taint.key).toEqual(["gpu", taint.key]);
    }
  });

  conforms("state.taints | unmanaged node, initialised label or not (x2) | counted", () => {
    expect(keys(ephemeral, { initialized: false, managed: false })).toEqual(["gpu", ephemeral.key]);
    const node = plainNode("n1", { labels: { [label.initialized]: "true" }, taints: [own, ephemeral] });
    expect(nodeIn({ nodes: [node] })?.taints.map(({ key }) => key)).toEqual(["gpu", ephemeral.key]);
  });
});
