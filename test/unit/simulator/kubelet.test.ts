import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { daemonSetNamed, deploymentNamed, nodeNamed, podNamed } from "../../support/cluster-objects.ts";
import { clusterInVirtualTime, placement } from "../../support/simulated-cluster.ts";

type Cluster = ReturnType<typeof clusterInVirtualTime>;

function taintsOf({ server }: Cluster, name: string): string[] | undefined {
  return server.get("Node", { name })?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`);
}

function readyOf({ server }: Cluster, name: string): string | undefined {
  return server.get("Node", { name })?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

async function withRunningPod(spec: Partial<Pod["spec"]> = {}): Promise<Cluster> {
  const cluster = clusterInVirtualTime();
  cluster.addNode("node-1");
  cluster.server.create("Pod", podNamed("web", { spec }));
  await cluster.advance(60);
  return cluster;
}

const web = { namespace: "default", name: "web" };

describe("a node's start", () => {
  it("registers it not ready, and lifts the taint some time after the kubelet is ready", async () => {
    const cluster = clusterInVirtualTime();
    cluster.addNode("node-1");
    expect(cluster.server.get("Node", { name: "node-1" })).toMatchObject({
      metadata: { labels: { "kubernetes.io/hostname": "node-1" } },
      spec: {
        providerID: "aws:///a/i-node-1",
        taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
      },
      status: { allocatable: { cpu: "4", memory: "16Gi", pods: "58" } },
    });
    expect(readyOf(cluster, "node-1")).toBe("False");
    await cluster.advance(10);
    expect(readyOf(cluster, "node-1")).toBe("True");
    expect(taintsOf(cluster, "node-1")).toEqual([]);
  });

  it("keeps pods away until then, but for those that tolerate it", async () => {
    const cluster = clusterInVirtualTime();
    cluster.server.create("DaemonSet", daemonSetNamed("agent", { spec: { tolerations: [{ operator: "Exists" }] } }));
    cluster.server.create("DaemonSet", daemonSetNamed("plain"));
    cluster.server.create("Pod", podNamed("web"));
    cluster.addNode("node-1");
    await cluster.advance(2);
    expect(cluster.pods().map(({ metadata, spec }) => [metadata.labels?.app, spec.nodeName])).toEqual([
      ["agent", "node-1"],
      [undefined, undefined],
    ]);
    await cluster.advance(20);
    expect(placement(cluster.pods())["node-1"]).toHaveLength(3);
  });
});

describe("a pod's life on a node", () => {
  it("runs and is ready some seconds after it was bound", async () => {
    const cluster = await withRunningPod();
    const { phase, startTime, conditions } = cluster.pod("web")?.status ?? {};
    expect([phase, startTime?.slice(0, 15)]).toEqual(["Running", "2026-11-30T12:0"]);
    expect(conditions?.map(({ type, status }) => [type, status])).toContainEqual(["Ready", "True"]);
  });

  it("ends some seconds after its deletion, within the grace period", async () => {
    const cluster = await withRunningPod({ terminationGracePeriodSeconds: 60 });
    cluster.server.delete("Pod", web);
    await cluster.advance(0.4);
    expect(cluster.pod("web")?.metadata.deletionTimestamp).toBe("2026-11-30T12:02:00Z");
    await cluster.advance(6);
    expect(cluster.pod("web")).toBeUndefined();
  });

  it("ends with its grace period when that is shorter than the containers need", async () => {
    const cluster = await withRunningPod();
    cluster.server.delete("Pod", web, { gracePeriodSeconds: 1 });
    await cluster.advance(1);
    expect(cluster.pod("web")).toBeUndefined();
  });

  it("is not touched by a kubelet that its node does not have", async () => {
    const cluster = clusterInVirtualTime();
    cluster.server.create("Node", nodeNamed("paper"));
    cluster.server.create("Pod", podNamed("web"));
    await cluster.advance(60);
    expect([cluster.pod("web")?.spec.nodeName, cluster.pod("web")?.status?.phase]).toEqual(["paper", "Pending"]);
  });
});

describe("the end of an instance", () => {
  it("shows after 40 s, and takes Node and pods with it in time", async () => {
    const cluster = await withRunningPod();
    cluster.nodeGone("node-1");
    await cluster.advance(39);
    expect(readyOf(cluster, "node-1")).toBe("True");
    await cluster.advance(2);
    expect(readyOf(cluster, "node-1")).toBe("Unknown");
    expect(taintsOf(cluster, "node-1")).toContain("node.kubernetes.io/unreachable:NoExecute");
    await cluster.advance(10);
    expect(cluster.server.get("Node", { name: "node-1" })).toBeUndefined();
    expect(cluster.pod("web")).toBeDefined();
    await cluster.advance(40);
    expect(cluster.pod("web")).toBeUndefined();
  });

  it("leaves a pod that is being deleted where it is until its Node is gone", async () => {
    const cluster = await withRunningPod();
    cluster.nodeGone("node-1");
    cluster.server.delete("Pod", web);
    await cluster.advance(44);
    expect(cluster.pod("web")).toBeDefined();
    await cluster.advance(60);
    expect(cluster.pod("web")).toBeUndefined();
  });

  it("evicts pods after five minutes while a finalizer holds the Node", async () => {
    const cluster = clusterInVirtualTime();
    cluster.addNode("node-1");
    cluster.server.create("Deployment", deploymentNamed("web"));
    await cluster.advance(60);
    const finalizers = { metadata: { finalizers: ["karpenter.sh/termination"] } };
    cluster.server.patch("Node", { name: "node-1" }, finalizers);
    cluster.nodeGone("node-1");
    await cluster.advance(330);
    expect(cluster.pods().map(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([true]);
    await cluster.advance(20);
    expect(cluster.pods().filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toHaveLength(1);
    expect(cluster.pods()).toHaveLength(2);
  });

  it("does not come when the node registered again in time", async () => {
    const cluster = await withRunningPod();
    cluster.nodeGone("node-1");
    await cluster.advance(20);
    cluster.addNode("node-1");
    await cluster.advance(120);
    expect([readyOf(cluster, "node-1"), cluster.pod("web")?.status?.phase]).toEqual(["True", "Running"]);
  });
});

describe("a NoExecute taint", () => {
  it("drives out pods that do not tolerate it, or no longer", async () => {
    const cluster = clusterInVirtualTime();
    cluster.addNode("node-1");
    const tolerations = (seconds?: number) => ({
      tolerations: [
        {
          key: "leave",
          operator: "Exists" as const,
          effect: "NoExecute" as const,
          ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
        },
      ],
    });
    cluster.server.create("Pod", podNamed("plain"));
    cluster.server.create("Pod", podNamed("patient", { spec: tolerations(60) }));
    cluster.server.create("Pod", podNamed("stubborn", { spec: tolerations() }));
    await cluster.advance(60);
    const taints = [{ key: "leave", effect: "NoExecute" }];
    cluster.server.patch("Node", { name: "node-1" }, { spec: { taints } });
    await cluster.advance(30);
    expect(cluster.pods().map(({ metadata }) => metadata.name)).toEqual(["patient", "stubborn"]);
    await cluster.advance(40);
    expect(cluster.pods().map(({ metadata }) => metadata.name)).toEqual(["stubborn"]);
  });
});
