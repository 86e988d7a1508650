import { describe, expect, it } from "vitest";
import type { NodePool } from "../../shared/api/node-pool.ts";
import { disrupt } from "../../shared/controllers/disruption.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { planDisruption } from "../../shared/disruption/disruption-plan.ts";
import { formatNominations } from "../../shared/state/nominations.ts";
import { podRecord } from "../../shared/state/pod-decoding.ts";
import { podNamed } from "../support/cluster-objects.ts";
import { addPod, addRunningNode, type ControllerWorld, controllerWorld, endPod } from "../support/controller-world.ts";

type Disruption = NodePool["spec"]["disruption"];

function world(
  disruption: Partial<Disruption> = {},
  faults: Parameters<typeof controllerWorld>[0] = {},
): ControllerWorld {
  const created = controllerWorld(faults);
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const usual: Disruption = { consolidateAfter: "30s", consolidationPolicy: "WhenEmpty", budgets: [{ nodes: "100%" }] };
  created.server.create("NodePool", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: { spec: { nodeClassRef, requirements: [], expireAfter: "Never" } },
      disruption: { ...usual, ...disruption },
    },
  });
  return created;
}

function run({ ports, settings }: ControllerWorld): Promise<void> {
  return disrupt(ports, settings);
}

function isDeleting(cluster: ControllerWorld, name: string): boolean {
  return cluster.claim(name)?.metadata.deletionTimestamp !== undefined;
}

/** Why a claim is kept, or "disrupt". */
async function verdicts({ ports, settings }: ControllerWorld): Promise<Record<string, string>> {
  const { decisions } = planDisruption(await readSnapshot(ports, settings));
  return Object.fromEntries(
    decisions.map(({ nodeClaim, outcome, reason }) => [nodeClaim, outcome === "keep" ? reason : outcome]),
  );
}

describe("an empty node", () => {
  it("goes when it has been quiet for consolidateAfter", async () => {
    const cluster = world();
    addRunningNode(cluster, "one");
    await cluster.advance(29);
    await run(cluster);
    expect(isDeleting(cluster, "one")).toBe(false);
    await cluster.advance(1);
    await run(cluster);
    expect(isDeleting(cluster, "one")).toBe(true);
    expect(cluster.sent).toMatchObject([{ hint: { kind: "termination", nodeClaim: "one" } }]);
  });

  it("stays while pods run on it or are on their way to it", async () => {
    const cluster = world();
    const pod = cluster.server.create("Pod", podNamed("coming"));
    const nomination = { uid: pod.metadata.uid ?? "", owner: "", class: podRecord(pod).classKey };
    addRunningNode(cluster, "busy");
    addPod(cluster, "app", "busy");
    addRunningNode(cluster, "awaited", {
      annotations: { "journeyman.sh/nominated-pods": formatNominations([nomination]) },
    });
    await cluster.advance(30);
    expect(await verdicts(cluster)).toEqual({ busy: "1 pods run on it", awaited: "pods are on their way to it" });
  });

  it("stays when it, its claim or a DaemonSet's pod has do-not-disrupt", async () => {
    const cluster = world();
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "agent" }];
    addRunningNode(cluster, "node");
    cluster.server.patch("Node", { name: "node-node" }, { metadata: { annotations } });
    addRunningNode(cluster, "claim", { annotations });
    addRunningNode(cluster, "pod");
    addPod(cluster, "agent", "pod", { annotations, metadata: { ownerReferences } });
    await cluster.advance(30);
    expect(await verdicts(cluster)).toEqual({
      node: "Node has do-not-disrupt",
      claim: "NodeClaim has do-not-disrupt",
      pod: "Pod default/agent has do-not-disrupt: true",
    });
  });

  it("stays when the pool says Never", async () => {
    const cluster = world({ consolidateAfter: "Never" });
    addRunningNode(cluster, "one");
    await cluster.advance(3_600);
    expect(await verdicts(cluster)).toEqual({ one: "NodePool default has consolidateAfter: Never" });
  });

  it("goes only as far as the budget allows, nodes on their way out included", async () => {
    const cluster = world({ budgets: [{ nodes: "2" }] });
    for (const name of ["a", "b", "c", "d"]) addRunningNode(cluster, name);
    cluster.server.delete("NodeClaim", { name: "d" });
    await cluster.advance(30);
    await run(cluster);
    expect(["a", "b", "c"].map((name) => isDeleting(cluster, name))).toEqual([true, false, false]);
    expect((await verdicts(cluster)).b).toContain("allows 2 of 4 nodes, 2 are unavailable");
  });

  it("is given back when a pod was bound before kube-scheduler saw the taint", async () => {
    const cluster = world(
      {},
      {
        afterCall: (verb, kind) => {
          if (verb === "patch" && kind === "Node" && cluster.pod("late") === undefined) addPod(cluster, "late", "one");
        },
      },
    );
    addRunningNode(cluster, "one");
    await cluster.advance(30);
    await run(cluster);
    expect(isDeleting(cluster, "one")).toBe(false);
    expect(cluster.node("node-one")?.spec?.taints).toEqual([]);
  });
});

describe("a command that a crash cut off after the taint", () => {
  it("is rolled back by the next tick", async () => {
    const cluster = world();
    addRunningNode(cluster, "one");
    addPod(cluster, "app", "one");
    const taints = [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }];
    cluster.server.patch("Node", { name: "node-one" }, { spec: { taints } });
    await run(cluster);
    expect(cluster.node("node-one")?.spec?.taints).toEqual([]);
    endPod(cluster, "app");
    await cluster.advance(30);
    await run(cluster);
    expect(isDeleting(cluster, "one")).toBe(true);
  });
});
