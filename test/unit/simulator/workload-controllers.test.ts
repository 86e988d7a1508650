import { describe, expect, it } from "vitest";
import { runSecondsAnnotation } from "../../../shared/simulator/kubelet.ts";
import { isReady } from "../../../shared/simulator/pod-status.ts";
import {
  daemonSetNamed,
  deploymentNamed,
  jobNamed,
  podNamed,
  replicaSetNamed,
  statefulSetNamed,
} from "../../support/cluster-objects.ts";
import { clusterInVirtualTime, placement } from "../../support/simulated-cluster.ts";

async function withNodes(...names: string[]) {
  const cluster = clusterInVirtualTime();
  for (const name of names) cluster.addNode(name);
  await cluster.advance(30);
  const scale = (kind: "Deployment" | "ReplicaSet" | "StatefulSet", replicas: number) =>
    cluster.server.patch(kind, { namespace: "default", name: "web" }, { spec: { replicas } });

  return { ...cluster, scale, podNames: () => cluster.pods().map(({ metadata }) => metadata.name) };
}

describe("ReplicaSet", () => {
  it("replaces an evicted pod at once, under a new name and uid", async () => {
    const { server, pods, advance } = await withNodes("node-1");
    server.create("ReplicaSet", replicaSetNamed("web", { replicas: 2 }));
    await advance(60);
    const [before] = pods();
    server.evict(before?.metadata ?? { name: "" });
    await advance(0.1);
    expect(pods()).toHaveLength(3);
    await advance(60);
    expect(pods()).toHaveLength(2);
    expect(pods().map(({ metadata }) => metadata.uid)).not.toContain(before?.metadata.uid);
  });

  it("gives up pending pods first, then the youngest", async () => {
    const { server, pods, advance, scale } = await withNodes("node-1");
    server.create("ReplicaSet", replicaSetNamed("web", { replicas: 2, cpu: "1" }));
    await advance(60);
    const old = pods().map(({ metadata }) => metadata.name);
    scale("ReplicaSet", 6);
    await advance(60);
    expect(placement(pods())[""]).toHaveLength(2);
    scale("ReplicaSet", 4);
    await advance(60);
    expect(placement(pods())[""]).toBeUndefined();
    scale("ReplicaSet", 2);
    await advance(60);
    expect(pods().map(({ metadata }) => metadata.name)).toEqual(old);
  });

  it("leaves pods of others alone, whatever their labels", async () => {
    const { server, advance, podNames } = await withNodes("node-1");
    server.create("Pod", podNamed("stray", { labels: { app: "web" } }));
    server.create("ReplicaSet", replicaSetNamed("web", { replicas: 0 }));
    await advance(10);
    expect(podNames()).toEqual(["stray"]);
  });
});

describe("Deployment", () => {
  it("runs its pods through one ReplicaSet and passes its scale on", async () => {
    const { server, pods, advance, scale } = await withNodes("node-1");
    server.create("Deployment", deploymentNamed("web", { replicas: 1 }));
    await advance(10);
    scale("Deployment", 3);
    await advance(30);
    const [replicaSet, other] = server.list("ReplicaSet");
    expect([replicaSet?.spec.replicas, other, pods().length]).toEqual([3, undefined, 3]);
    const hash = replicaSet?.metadata.labels?.["pod-template-hash"];
    expect(pods().every(({ metadata }) => metadata.labels?.["pod-template-hash"] === hash)).toBe(true);
  });

  it("rolls a new template out without dropping below three quarters", async () => {
    const { server, pods, advance } = await withNodes("node-1");
    server.create("Deployment", deploymentNamed("web", { replicas: 4 }));
    await advance(60);
    const template = { metadata: { labels: { version: "2" } } };
    server.patch("Deployment", { namespace: "default", name: "web" }, { spec: { template } });
    let fewestReady = 4;
    for (let second = 0; second < 120; second++) {
      await advance(1);
      const ready = pods().filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
      fewestReady = Math.min(fewestReady, ready.length);
    }
    expect(fewestReady).toBe(3);
    expect(pods().map(({ metadata }) => metadata.labels?.version)).toEqual(["2", "2", "2", "2"]);
  });
});

describe("StatefulSet", () => {
  it("starts its pods one after another and stops them in reverse", async () => {
    const { server, advance, podNames, scale } = await withNodes("node-1");
    server.create("StatefulSet", statefulSetNamed("web", { replicas: 3 }));
    await advance(1);
    expect(podNames()).toEqual(["web-0"]);
    await advance(60);
    expect(podNames()).toEqual(["web-0", "web-1", "web-2"]);
    scale("StatefulSet", 1);
    await advance(60);
    expect(podNames()).toEqual(["web-0"]);
  });

  it("numbers its pods from its first ordinal on", async () => {
    const { server, advance, podNames } = await withNodes("node-1");
    const set = statefulSetNamed("web", { replicas: 2 });
    const numbered = (start: number) => ({ spec: { ordinals: { start } } });
    server.create("StatefulSet", { ...set, spec: { ...set.spec, ordinals: { start: 3 } } });
    await advance(60);
    expect(podNames()).toEqual(["web-3", "web-4"]);
    server.patch("StatefulSet", { namespace: "default", name: "web" }, numbered(4));
    await advance(60);
    expect(podNames()).toEqual(["web-4", "web-5"]);
  });

  it("makes the successor of a pod only when the pod is gone", async () => {
    const { server, advance, pod, pods } = await withNodes("node-1");
    server.create("StatefulSet", statefulSetNamed("web"));
    await advance(30);
    const uid = pod("web-0")?.metadata.uid;
    server.evict({ namespace: "default", name: "web-0" });
    await advance(0.2);
    expect(pods().map(({ metadata }) => metadata.uid)).toEqual([uid]);
    await advance(30);
    expect(pods().map(({ metadata }) => metadata.uid)).not.toContain(uid);
    expect(pods()).toHaveLength(1);
  });
});

describe("Job", () => {
  it("runs pods until enough have succeeded, so many at a time", async () => {
    const { server, advance, pods } = await withNodes("node-1");
    const annotations = { [runSecondsAnnotation]: "20" };
    server.create("Job", jobNamed("batch", { parallelism: 2, completions: 3, annotations }));
    await advance(10);
    expect(pods()).toHaveLength(2);
    await advance(120);
    expect(pods().map(({ status }) => status?.phase)).toEqual(["Succeeded", "Succeeded", "Succeeded"]);
  });

  it("replaces an evicted pod", async () => {
    const { server, advance, pods } = await withNodes("node-1");
    server.create("Job", jobNamed("batch"));
    await advance(20);
    const [first] = pods();
    server.evict(first?.metadata ?? { name: "" });
    await advance(20);
    expect(pods()).toHaveLength(1);
    expect(pods()[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  });
});

describe("DaemonSet", () => {
  it("runs one pod on each node that its template selects, also on those that come later", async () => {
    const { server, advance, pods, addNode } = await withNodes("node-1");
    addNode("node-b", { zone: "b" });
    const nodeSelector = { "topology.kubernetes.io/zone": "a" };
    server.create("DaemonSet", daemonSetNamed("agent", { spec: { nodeSelector } }));
    await advance(30);
    addNode("node-2");
    await advance(30);
    expect(Object.keys(placement(pods())).sort()).toEqual(["node-1", "node-2"]);
  });

  it("keeps a pod for a full node pending there", async () => {
    const { server, advance, pods } = await withNodes("node-1", "node-2");
    server.create("Pod", podNamed("big", { cpu: "4", spec: { nodeSelector: { "kubernetes.io/hostname": "node-1" } } }));
    await advance(5);
    server.create("DaemonSet", daemonSetNamed("agent", { cpu: "1" }));
    await advance(30);
    expect(placement(pods())).toMatchObject({ "node-2": [expect.stringContaining("agent-")] });
    expect(placement(pods())[""]).toHaveLength(1);
  });

  it("tolerates cordons and nodes in trouble by itself", async () => {
    const { server, advance, pods } = await withNodes("node-1");
    server.patch("Node", { name: "node-1" }, { spec: { unschedulable: true } });
    server.create("DaemonSet", daemonSetNamed("agent"));
    await advance(30);
    expect(Object.keys(placement(pods()))).toEqual(["node-1"]);
  });
});
