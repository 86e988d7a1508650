import { describe, expect, it } from "vitest";
import { podNamed } from "../../support/cluster-objects.ts";
import { clusterInVirtualTime } from "../../support/simulated-cluster.ts";

type Cluster = ReturnType<typeof clusterInVirtualTime>;

async function twoZones(): Promise<Cluster> {
  const cluster = clusterInVirtualTime();
  cluster.addNode("node-a", { zone: "a" });
  cluster.addNode("node-b", { zone: "b" });
  await cluster.advance(30);
  return cluster;
}

function addStorage({ server }: Cluster, binding: "Immediate" | "WaitForFirstConsumer", zones?: string[]): void {
  server.create("StorageClass", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "gp3" },
    provisioner: "ebs.csi.aws.com",
    volumeBindingMode: binding,
    ...(zones === undefined
      ? {}
      : { allowedTopologies: [{ matchLabelExpressions: [{ key: "topology.kubernetes.io/zone", values: zones }] }] }),
  });
  server.create("PersistentVolumeClaim", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", name: "data" },
    spec: { storageClassName: "gp3" },
  });
}

const withClaim = (spec: object = {}) =>
  podNamed("db", { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }], ...spec } });

function message({ pod }: Cluster): string | undefined {
  return pod("db")?.status?.conditions?.find(({ type }) => type === "PodScheduled")?.message;
}

describe("volumes of a pod", () => {
  it("tie it to the zone in which they were made", async () => {
    const cluster = await twoZones();
    addStorage(cluster, "WaitForFirstConsumer");
    cluster.server.create("Pod", withClaim({ nodeSelector: { "topology.kubernetes.io/zone": "b" } }));
    await cluster.advance(5);
    expect(cluster.server.get("PersistentVolumeClaim", { namespace: "default", name: "data" })?.status?.phase).toBe(
      "Bound",
    );
    cluster.server.delete("Pod", { namespace: "default", name: "db" }, { gracePeriodSeconds: 0 });
    cluster.server.patch("Node", { name: "node-b" }, { spec: { unschedulable: true } });
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(message(cluster)).toBe(
      "0/2 nodes are available: 1 node(s) had volume node affinity conflict, 1 node(s) were unschedulable.",
    );
  });

  it("go only where their storage class may make them", async () => {
    const cluster = await twoZones();
    addStorage(cluster, "WaitForFirstConsumer", ["b"]);
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(cluster.pod("db")?.spec.nodeName).toBe("node-b");
  });

  it("keep it waiting for its claim, and for a claim that should have been bound", async () => {
    const cluster = await twoZones();
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(message(cluster)).toBe('0/2 nodes are available: persistentvolumeclaim "data" not found.');
    addStorage(cluster, "Immediate");
    await cluster.advance(15);
    expect(message(cluster)).toBe("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
  });
});
