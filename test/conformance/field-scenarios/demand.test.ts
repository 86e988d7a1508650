import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { Taint } from "../../../shared/api/schema.ts";
import { conforms } from "../../support/conformance.ts";
import { addPod, addRunningNode } from "../../support/controller-world.ts";
import { bind, carriedOut, fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode, plainNode } from "../../support/nodes.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../../support/planner-world.ts";
import { awayFrom, pendingPod, pendingPods, runningPod } from "../../support/pods.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";
const little = { cpu: "100m", memory: "10Mi" };

conforms(
  "B1.38 Two in-flight pods with mutual anti-affinity; pass 2 before nodes register -> launches again -> in-flight claims keep their pods. [KA#1975]",
  () => {
    const pod = (app: string, other: string) => pendingPod(app, { ...little, app, spec: awayFrom(other) });
    const first = solve({ pods: [pod("one", "two"), pod("two", "one")] });
    expect(first.nodes.map(({ pods }) => pods).sort()).toEqual([["one"], ["two"]]);
    for (const stage of ["written", "launched"] as const) {
      const second = solve(carriedOut(first, stage));
      expect(second.nodes, stage).toEqual([]);
      expect(second.unscheduled).toEqual([]);
      // A third that minds both still gets a node of its own: the places are known to be taken.
      const third = pendingPod("three", { ...little, spec: awayFrom("one") });
      const more = solve(carriedOut(first, stage, { pods: [third] }));
      const homes = Object.entries(more.existing).filter(([, pods]) => pods.includes("three"));
      const ofOne = first.nodes.find(({ pods }) => pods.includes("one"))?.object.metadata.name;
      expect(homes.every(([name]) => name !== ofOne)).toBe(true);
    }
  },
);

conforms(
  "B1.39 2170 pending pods, 20 pools, solve budget 59 s evaluates 363; GPU pods ICEd sort first each time; 2-cpu pods at rank ~2065 unseen for 14 h, no events -> group equal pods, rotate, defer pods ICEd lately; every pod considered within N passes. [KS#3152]",
  () => {
    const pools = Array.from({ length: 20 }, (_, index) =>
      nodePool(`pool-${index}`, {
        labels: { team: `team-${index}` },
        requirements: [oneOf(label.zone, "a", "b", "c")],
      }),
    );
    const gpus = pendingPods(2_065, "gpu", {
      spec: { containers: [{ resources: { requests: { cpu: "3", "nvidia.com/gpu": "1" } } }] },
    }).map((pod, index) => ({
      ...pod,
      spec: { ...pod.spec, nodeSelector: { team: `team-${index % 20}` } },
    }));
    const plain = pendingPods(105, "plain", { cpu: "2", memory: "1Gi" });
    const unavailable = ["a", "b", "c"].flatMap((zone) =>
      ["spot", "on-demand"].map((capacityType) => ({
        ...{ instanceType: fake.gpuA, zone, capacityType, untilAt: 1, times: 3 },
        code: "InsufficientInstanceCapacity",
      })),
    );
    const startedAt = performance.now();
    const { plan } = solve({ pods: [...gpus, ...plain], pools, unavailable });
    // One pass answers every pod, those behind the ones that cannot be served too.
    const placed = plan.nodeClaims.flatMap(({ pods }) => pods.map((pod) => pod.name));
    const refused = plan.unschedulable.map(({ pod }) => pod.name);
    expect(placed.filter((name) => name.startsWith("plain"))).toHaveLength(105);
    expect(refused.filter((name) => name.startsWith("gpu"))).toHaveLength(2_065);
    expect(new Set([...placed, ...refused]).size).toBe(2_170);
    expect(plan.unschedulable.every(({ reasons }) => reasons.length > 0)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  },
);

conforms("B1.40 Succeeded/Failed pods counted as load -> node never empty. [KA#946, KA#2265]", async () => {
  const world = plannerWorld();
  addNodePool(world, "default");
  addRunningNode(world, "old", { labels: { [label.instanceType]: "m5.large" } });
  for (const [name, phase] of [
    ["done", "Succeeded"],
    ["failed", "Failed"],
  ]) {
    if (name === undefined) continue;
    addPod(world, name, "old", { cpu: "3500m" });
    world.server.patch("Pod", { name, namespace: "default" }, { status: { phase } }, { subresource: "status" });
  }
  addPendingPod(world, "web", { cpu: "3500m" });
  const result = await world.provision();
  expect(result.kind).toBe("finished");
  if (result.kind !== "finished") return;
  expect(result.plan.nodeClaims).toHaveLength(0);
  expect(result.plan.existing.map(({ name, pods }) => [name, pods.length])).toEqual([["node-old", 1]]);
  // The same where the pods come from a dump of a cluster, and when the node leaves.
  const done = ["Succeeded", "Failed"].map((phase) => ({ ...runningPod(phase, "n", { cpu: "3" }), status: { phase } }));
  const pods = [...done, pendingPod("web", { cpu: "4" })];
  expect(solve({ pods, nodes: [plainNode("n", { cpu: "4" })] }).existing).toEqual({ n: ["web"] });
  const leaving = plainNode("n", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] });
  expect(solve({ pods: done, nodes: [leaving] }).nodes).toEqual([]);
});

conforms(
  'B1.41 Terminating pods on a node being deleted re-provisioned as "ghosts" -> pods with deletionTimestamp need nothing unless their owner recreates them. [KS#2452, KS#2453]',
  () => {
    const { node, claim } = claimedNode("leaving");
    const going = { ...claim, metadata: { ...claim.metadata, deletionTimestamp } };
    const terminating = { metadata: { deletionTimestamp } };
    const pods = [
      runningPod("bare", "leaving", terminating),
      runningPod("of-replicaset", "leaving", { owner: { kind: "ReplicaSet", uid: "rs" }, ...terminating }),
      runningPod("of-job", "leaving", { owner: { kind: "Job", uid: "job" }, ...terminating }),
      runningPod("of-statefulset", "leaving", { owner: { kind: "StatefulSet", uid: "db" }, ...terminating }),
      runningPod("alive", "leaving", { owner: { kind: "ReplicaSet", uid: "rs" } }),
    ].map((pod) => bind(pod, "leaving"));
    const { nodes } = solve({ pods, nodes: [node], nodeClaims: [going] });
    expect(nodes.flatMap((made) => made.pods).sort()).toEqual(["alive", "of-statefulset"]);
  },
);

conforms(
  "B1.42 High-priority pod preempts; pending low-priority victim; pod has nominatedNodeName -> extra empty node, victim forgotten -> skip nominated pods; pick up the victim. [KA#1050]",
  () => {
    const urgent = pendingPod("urgent", { cpu: "4", spec: { priority: 1_000 } });
    const nominated = { ...urgent, status: { ...urgent.status, nominatedNodeName: "full" } };
    const victim = runningPod("victim", "full", {
      cpu: "4",
      owner: { kind: "ReplicaSet", uid: "rs" },
      metadata: { deletionTimestamp },
    });
    const successor = pendingPod("victim-again", { cpu: "4", owner: { kind: "ReplicaSet", uid: "rs" } });
    const { nodes, unscheduled } = solve({
      nodes: [plainNode("full", { cpu: "4" })],
      pods: [nominated, victim, successor],
    });
    expect(unscheduled).toEqual([]);
    expect(nodes.map(({ pods }) => pods)).toEqual([["victim-again"]]);
  },
);

conforms(
  "B1.43 Node becomes ready but pods stay up to 5 min in the unschedulable queue -> do not launch more while claim's pods have room waiting. [KS#1029, K8S#134999, K8S#87850]",
  () => {
    const first = solve({ pods: pendingPods(4, "web", { cpu: "500m", memory: "100Mi" }) });
    const ready = carriedOut(first, "initialized");
    for (const seconds of [0, 30, 61, 240, 300]) {
      // The node is ready, and kube-scheduler has not looked at the pods again.
      const waiting = solve({ ...ready, now: seconds * 1_000, pods: first.world.pods ?? [] });
      expect(waiting.nodes, `after ${seconds} s`).toEqual([]);
      expect(Object.values(waiting.existing).flat()).toHaveLength(seconds > 60 ? 4 : 0);
      expect(waiting.unscheduled).toEqual([]);
    }
  },
);

conforms(
  "B1.46 startupTaints: GPU startup taint not tolerated by pod; node registers tainted -> 2nd and 3rd node for the same pod -> ignore startup taints when placing. [KA#6355]",
  () => {
    const startupTaints: readonly Taint[] = [{ key: "nvidia.com/gpu", value: "starting", effect: "NoSchedule" }];
    const gpu = (name: string) =>
      pendingPod(name, { spec: { containers: [{ resources: { requests: { "nvidia.com/gpu": "1" } } }] } });
    const first = solve({ pods: [gpu("one")], pools: [nodePool("default", { startupTaints })] });
    for (const stage of ["launched", "registered"] as const) {
      const tainted = carriedOut(first, stage);
      // Registered and tainted: the pod that it was made for is still pending.
      const again = solve({ ...tainted, pods: first.world.pods ?? [] });
      expect(again.nodes, stage).toEqual([]);
      expect(again.unscheduled).toEqual([]);
      const second = solve({ ...tainted, pods: [...(tainted.pods ?? []), gpu("two")] });
      expect(second.nodes, stage).toEqual([]);
      expect(Object.values(second.existing)).toEqual([["two"]]);
    }
  },
);
