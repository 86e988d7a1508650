import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { deploymentNamed, podNamed } from "../../support/cluster-objects.ts";
import { clusterInVirtualTime, placement } from "../../support/simulated-cluster.ts";

type Cluster = ReturnType<typeof clusterInVirtualTime>;

function scheduled(cluster: Cluster, name: string) {
  return cluster.pod(name)?.status?.conditions?.find(({ type }) => type === "PodScheduled");
}

/** Every write to a pod's status, as the webhook sees it. */
function statusWrites({ server }: Cluster): string[] {
  const writes: string[] = [];
  server.addWebhook({
    name: "pods",
    kind: "Pod",
    operations: ["UPDATE"],
    subResource: "status",
    matches: ({ userInfo }) => userInfo.username === "system:kube-scheduler",
    call: ({ request }) => writes.push(request.name),
  });
  return writes;
}

async function withNodes(...names: string[]): Promise<Cluster> {
  const cluster = clusterInVirtualTime();
  for (const name of names) cluster.addNode(name);
  await cluster.advance(30);
  return cluster;
}

function nominate({ server }: Cluster, name: string, nodeName: string): void {
  const status = { nominatedNodeName: nodeName };
  server.patch("Pod", { namespace: "default", name }, { status }, { subresource: "status" });
}

describe("Scheduler", () => {
  it("binds a pod and says so in its condition", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("web", { cpu: "1" }));
    await cluster.advance(1);
    expect(cluster.pod("web")?.spec.nodeName).toBe("node-1");
    expect(scheduled(cluster, "web")?.status).toBe("True");
  });

  it("says why a pod fits nowhere, and writes again only when that changes", async () => {
    const cluster = await withNodes();
    const writes = statusWrites(cluster);
    cluster.server.create("Pod", podNamed("web", { cpu: "5" }));
    await cluster.advance(1);
    expect(scheduled(cluster, "web")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: "no nodes available to schedule pods",
    });
    await cluster.advance(700);
    expect(writes).toEqual(["web"]);
    cluster.addNode("node-1");
    await cluster.advance(30);
    expect(scheduled(cluster, "web")?.message).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  });

  it("tries a pod again when a node or room appears, not before its back-off has passed", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("first", { cpu: "3" }));
    await cluster.advance(30);
    cluster.server.create("Pod", podNamed("second", { cpu: "3" }));
    await cluster.advance(0.1);
    cluster.server.delete("Pod", { namespace: "default", name: "first" }, { gracePeriodSeconds: 0 });
    await cluster.advance(0.5);
    expect(cluster.pod("second")?.spec.nodeName).toBeUndefined();
    await cluster.advance(1);
    expect(cluster.pod("second")?.spec.nodeName).toBe("node-1");
  });

  it("serves the higher priority first, then the older pod", async () => {
    const cluster = clusterInVirtualTime();
    for (const name of ["old", "young"]) cluster.server.create("Pod", podNamed(name, { cpu: "3" }));
    cluster.server.create("Pod", podNamed("urgent", { cpu: "3", spec: { priority: 10 } }));
    await cluster.advance(5);
    cluster.addNode("node-1");
    await cluster.advance(60);
    expect(placement(cluster.pods())).toEqual({ "node-1": ["urgent"], "": ["old", "young"] });
    cluster.addNode("node-2");
    await cluster.advance(60);
    expect(placement(cluster.pods())["node-2"]).toEqual(["old"]);
  });

  it("puts a pod on its nominated node even where another scores higher", async () => {
    for (const wanted of ["full", "empty"]) {
      const cluster = await withNodes("full", "empty");
      cluster.server.create(
        "Pod",
        podNamed("other", { cpu: "3", spec: { nodeSelector: { "kubernetes.io/hostname": "full" } } }),
      );
      await cluster.advance(1);
      const gate = { schedulingGates: [{ name: "wait" }] };
      cluster.server.create("Pod", podNamed("web", { cpu: "1", spec: gate }));
      nominate(cluster, "web", wanted);
      cluster.server.patch("Pod", { namespace: "default", name: "web" }, { spec: { schedulingGates: null } });
      await cluster.advance(1);
      expect(cluster.pod("web")?.spec.nodeName).toBe(wanted);
      expect(cluster.pod("web")?.status?.nominatedNodeName).toBeUndefined();
    }
  });

  it("keeps the room of a nominated pod from others of no higher priority", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("web", { cpu: "3", spec: { schedulingGates: [{ name: "wait" }] } }));
    nominate(cluster, "web", "node-1");
    cluster.server.create("Pod", podNamed("rival", { cpu: "2" }));
    cluster.server.create("Pod", podNamed("urgent", { cpu: "2", spec: { priority: 1 } }));
    await cluster.advance(5);
    expect(placement(cluster.pods())).toEqual({ "node-1": ["urgent"], "": ["rival", "web"] });
  });

  it("clears a nomination that did not work out", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("web", { cpu: "5" }));
    await cluster.advance(1);
    nominate(cluster, "web", "node-1");
    cluster.addNode("node-2", { resources: { cpu: 8_000 } });
    await cluster.advance(2);
    expect(scheduled(cluster, "web")?.message).toContain("untolerated taint");
    expect(cluster.pod("web")?.status?.nominatedNodeName).toBeUndefined();
  });

  it("gives the room of a nomination that is taken back to those that had to respect it", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("web", { cpu: "3", spec: { schedulingGates: [{ name: "wait" }] } }));
    nominate(cluster, "web", "node-1");
    cluster.server.create("Pod", podNamed("rival", { cpu: "2" }));
    await cluster.advance(5);
    expect(cluster.pod("rival")?.spec.nodeName).toBeUndefined();
    const status = { nominatedNodeName: null };
    cluster.server.patch("Pod", { namespace: "default", name: "web" }, { status }, { subresource: "status" });
    await cluster.advance(1);
    expect(cluster.pod("rival")?.spec.nodeName).toBe("node-1");
  });

  it("tries a pod again when a node comes on which it fits, not when a smaller one or another pod comes", async () => {
    const cluster = await withNodes("node-1");
    const attempts = statusWrites(cluster);
    cluster.server.create("Pod", podNamed("web", { cpu: "5" }));
    await cluster.advance(20);
    cluster.addNode("small");
    cluster.server.create("Pod", podNamed("other", { cpu: "1" }));
    await cluster.advance(2);
    expect(cluster.pod("other")?.spec.nodeName).toBe("node-1");
    expect(attempts).toEqual(["web"]);
    cluster.addNode("large", { resources: { cpu: 8_000 } });
    await cluster.advance(30);
    expect(cluster.pod("web")?.spec.nodeName).toBe("large");
  });

  it("tries those that were refused longest ago first", async () => {
    const cluster = await withNodes();
    for (const name of ["first", "second"]) cluster.server.create("Pod", podNamed(name, { cpu: "3" }));
    await cluster.advance(5);
    // Another look at the first alone, so that it comes after the second.
    const labels = { metadata: { labels: { tier: "gold" } } };
    cluster.server.patch("Pod", { namespace: "default", name: "first" }, labels);
    await cluster.advance(5);
    cluster.addNode("node-1");
    await cluster.advance(30);
    expect(placement(cluster.pods())).toEqual({ "node-1": ["second"], "": ["first"] });
  });

  it("leaves gated pods and those of other schedulers alone", async () => {
    const cluster = await withNodes("node-1");
    cluster.server.create("Pod", podNamed("gated", { spec: { schedulingGates: [{ name: "wait" }] } }));
    cluster.server.create("Pod", podNamed("foreign", { spec: { schedulerName: "mine" } }));
    await cluster.advance(5);
    expect(scheduled(cluster, "gated")).toMatchObject({ status: "False", reason: "SchedulingGated" });
    expect(scheduled(cluster, "foreign")).toBeUndefined();
  });

  it("spreads the pods of a workload over nodes and zones without being asked", async () => {
    const cluster = clusterInVirtualTime();
    for (const zone of ["a", "b", "c"]) cluster.addNode(`node-${zone}`, { zone });
    await cluster.advance(30);
    cluster.server.create("Deployment", deploymentNamed("web", { replicas: 6, cpu: "100m" }));
    await cluster.advance(10);
    const counts = Object.values(placement(cluster.pods())).map((names) => names.length);
    expect(counts).toEqual([2, 2, 2]);
  });

  it("does the same for the same seed, and otherwise for another", async () => {
    const history = async (seed: number): Promise<Pod[]> => {
      const cluster = clusterInVirtualTime(seed);
      for (const name of ["node-1", "node-2", "node-3"]) cluster.addNode(name);
      cluster.server.create("Deployment", deploymentNamed("web", { replicas: 20, cpu: "250m" }));
      await cluster.advance(120);
      return cluster.pods();
    };
    expect(await history(7)).toEqual(await history(7));
    expect(await history(8)).not.toEqual(await history(7));
  });

  it("places a thousand pods on a hundred nodes within their capacity", async () => {
    const cluster = clusterInVirtualTime();
    for (let index = 0; index < 100; index++) cluster.addNode(`node-${index}`, { zone: "abc"[index % 3] ?? "a" });
    cluster.server.create("Deployment", deploymentNamed("web", { replicas: 1_000, cpu: "350m", memory: "1Gi" }));
    await cluster.advance(60);
    const byNode = placement(cluster.pods());
    expect(byNode[""]).toBeUndefined();
    expect(Math.max(...Object.values(byNode).map((names) => names.length))).toBeLessThanOrEqual(11);
    expect(cluster.pods().every(({ status }) => status?.phase === "Running")).toBe(true);
  });
});
