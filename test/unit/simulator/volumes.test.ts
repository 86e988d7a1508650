import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { podNamed, statefulSetNamed } from "../../support/cluster-objects.ts";
import { clusterInVirtualTime, placement } from "../../support/simulated-cluster.ts";
import { boundClaim, claim, ephemeral, volumeOf } from "../../support/volumes.ts";

const data = { namespace: "default", name: "data" };

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
    expect(cluster.server.get("PersistentVolumeClaim", data)?.status?.phase).toBe("Bound");
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

  it("are made anew for each pod that asks for an ephemeral one, and go with it", async () => {
    const cluster = await twoZones();
    addStorage(cluster, "WaitForFirstConsumer", ["b"]);
    cluster.server.create("Pod", podNamed("db", { spec: ephemeral() }));
    await cluster.advance(5);
    const reference = { namespace: "default", name: "db-scratch" };
    expect(cluster.server.get("PersistentVolumeClaim", reference)).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Pod", name: "db" }] },
      status: { phase: "Bound" },
    });
    expect(cluster.pod("db")?.spec.nodeName).toBe("node-b");
    cluster.server.delete("Pod", { namespace: "default", name: "db" }, { gracePeriodSeconds: 0 });
    await cluster.advance(5);
    expect(cluster.server.get("PersistentVolumeClaim", reference)).toBeUndefined();
  });

  it("of a StatefulSet's members have a claim each, which a successor finds again", async () => {
    const cluster = await twoZones();
    addStorage(cluster, "WaitForFirstConsumer");
    const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { storageClassName: "gp3" } }];
    const set = statefulSetNamed("db", { replicas: 2 });
    cluster.server.create("StatefulSet", { ...set, spec: { ...set.spec, volumeClaimTemplates } });
    await cluster.advance(60);
    const claims = () =>
      cluster.server.list("PersistentVolumeClaim").map(({ metadata, status }) => [metadata.name, status?.phase]);
    const expected = [
      ["data", undefined],
      ["data-db-0", "Bound"],
      ["data-db-1", "Bound"],
    ];
    expect(claims()).toEqual(expected);
    const home = cluster.pod("db-1")?.spec.nodeName;
    cluster.server.delete("Pod", { namespace: "default", name: "db-1" }, { gracePeriodSeconds: 0 });
    await cluster.advance(30);
    expect(claims()).toEqual(expected);
    expect(cluster.pod("db-1")?.spec.nodeName).toBe(home);
  });

  it("are no more on a node than its driver reports, one that pods share counting once", async () => {
    const cluster = clusterInVirtualTime();
    cluster.addNode("node-a", { volumes: 2 });
    await cluster.advance(30);
    addStorage(cluster, "WaitForFirstConsumer");
    const pods = ["a", "b", "c"].map((name) => podNamed(name, { spec: ephemeral() }));
    for (const each of [...pods, withClaim()]) {
      cluster.server.create("Pod", each);
      await cluster.advance(2);
    }
    expect(placement(cluster.pods())).toEqual({ "": ["c", "db"], "node-a": ["a", "b"] });
    expect(message(cluster)).toBe("0/1 nodes are available: 1 node(s) exceed max volume count.");
    cluster.server.delete("Pod", { namespace: "default", name: "a" }, { gracePeriodSeconds: 0 });
    cluster.server.delete("Pod", { namespace: "default", name: "c" }, { gracePeriodSeconds: 0 });
    await cluster.advance(15);
    const second = withClaim();
    cluster.server.create("Pod", { ...second, metadata: { ...second.metadata, name: "second" } });
    await cluster.advance(15);
    expect(placement(cluster.pods())).toEqual({ "node-a": ["b", "db", "second"] });
  });

  it("that are for one pod alone keep a second from starting", async () => {
    const cluster = await twoZones();
    addStorage(cluster, "WaitForFirstConsumer");
    cluster.server.patch("PersistentVolumeClaim", data, { spec: { accessModes: ["ReadWriteOncePod"] } });
    const first = withClaim();
    cluster.server.create("Pod", { ...first, metadata: { ...first.metadata, name: "first" } });
    await cluster.advance(5);
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(message(cluster)).toBe(
      "0/2 nodes are available: node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
    );
  });

  it("are reached where their labels say", async () => {
    const cluster = await twoZones();
    cluster.server.create("PersistentVolume", volumeOf("data", [], {}, { labels: { [label.zone]: "b__c" } }));
    cluster.server.create("PersistentVolumeClaim", boundClaim("data"));
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(cluster.pod("db")?.spec.nodeName).toBe("node-b");
  });

  it("wait for a binding that is not complete, and for ever for what is lost", async () => {
    const cluster = await twoZones();
    cluster.server.create("PersistentVolume", volumeOf("data"));
    cluster.server.create("PersistentVolumeClaim", claim("data", { volumeName: "pv-data" }));
    cluster.server.create("Pod", withClaim());
    await cluster.advance(5);
    expect(message(cluster)).toBe("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
    cluster.server.patch("PersistentVolumeClaim", data, { status: { phase: "Lost" } }, { subresource: "status" });
    await cluster.advance(15);
    expect(message(cluster)).toBe(
      '0/2 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-data".',
    );
  });
});
