import { describe, expect, it } from "vitest";
import type { ConfigMap, Pod } from "../../shared/api/core.ts";
import type { KubernetesPort } from "../../shared/ports.ts";
import { budgetNamed, deploymentNamed, type PodInput, podNamed } from "../support/cluster-objects.ts";

/** One API server behind a port, as a contract test needs it. */
export interface KubernetesContractWorld {
  readonly port: KubernetesPort;
  /** Exists, and is this test's own. */
  readonly namespace: string;
  /** Of a Node that exists, with no kubelet behind it: what is bound to it stays as it is written. */
  readonly nodeName: string;
  /** Waits until the API server's controllers have seen everything. */
  settle(): Promise<void>;
}

type MakeWorld = () => Promise<KubernetesContractWorld> | KubernetesContractWorld;

/** What every KubernetesPort does. */
export function kubernetesPortContract(name: string, makeWorld: MakeWorld): void {
  describe(`${name} as a KubernetesPort`, () => {
    writingContract(makeWorld);
    statusContract(makeWorld);
    listContract(makeWorld);
    deletionContract(makeWorld);
    evictionContract(makeWorld);
  });
}

function writingContract(makeWorld: MakeWorld): void {
  it("gives a created object a uid, a resource version and a creation time, and reads it back", async () => {
    const { port, namespace } = await makeWorld();
    const created = await port.create("ConfigMap", configMap(namespace, "facts", { a: "1" }));
    const { uid, resourceVersion, creationTimestamp } = created.metadata;
    expect([uid, resourceVersion, creationTimestamp]).not.toContain(undefined);
    expect(await port.get("ConfigMap", { namespace, name: "facts" })).toEqual(created);
    expect(await port.get("ConfigMap", { namespace, name: "other" })).toBeUndefined();
  });

  it("makes up the rest of a name that is only begun", async () => {
    const { port, namespace } = await makeWorld();
    const metadata = { name: "", generateName: "facts-", namespace };
    const created = await port.create("ConfigMap", { ...configMap(namespace, ""), metadata });
    expect(created.metadata.name).toMatch(/^facts-[a-z0-9]{5}$/);
  });

  it("refuses to create what exists", async () => {
    const { port, namespace } = await makeWorld();
    await port.create("ConfigMap", configMap(namespace, "facts"));
    await expect(port.create("ConfigMap", configMap(namespace, "facts"))).rejects.toMatchObject({
      name: "ProviderError",
      kind: "Conflict",
      code: "AlreadyExists",
    });
  });

  it("checks an object that is only tried, and stores nothing", async () => {
    const { port, namespace } = await makeWorld();
    const tried = await port.create("ConfigMap", configMap(namespace, "facts", { a: "1" }), { dryRun: true });
    expect(tried.data).toEqual({ a: "1" });
    expect(await port.get("ConfigMap", { namespace, name: "facts" })).toBeUndefined();
    await port.create("ConfigMap", configMap(namespace, "facts"));
    const again = port.create("ConfigMap", configMap(namespace, "facts"), { dryRun: true });
    await expect(again).rejects.toMatchObject({ kind: "Conflict" });
  });

  it("refuses a namespace that does not exist, and a name that is none", async () => {
    const { port, namespace } = await makeWorld();
    await expect(port.create("ConfigMap", configMap("nowhere", "facts"))).rejects.toMatchObject({ kind: "NotFound" });
    await expect(port.create("ConfigMap", configMap(namespace, "No_Name"))).rejects.toMatchObject({ kind: "Invalid" });
  });

  it("merges a patch key by key and removes what is null", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "facts" };
    await port.create("ConfigMap", configMap(namespace, "facts", { a: "1", b: "2" }));
    const patched = await port.patch("ConfigMap", reference, { data: { b: null, c: "3" } });
    expect(patched.data).toEqual({ a: "1", c: "3" });
    expect((await port.get("ConfigMap", reference))?.data).toEqual({ a: "1", c: "3" });
  });

  it("patches only what exists", async () => {
    const { port, namespace } = await makeWorld();
    const patch = port.patch("ConfigMap", { namespace, name: "facts" }, { data: {} });
    await expect(patch).rejects.toMatchObject({ name: "ProviderError", kind: "NotFound" });
  });

  it("patches under a resource version only while it is the current one", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "facts" };
    const { metadata } = await port.create("ConfigMap", configMap(namespace, "facts"));
    const conditional = { metadata: { resourceVersion: metadata.resourceVersion } };
    await port.patch("ConfigMap", reference, { ...conditional, data: { a: "1" } });
    await expect(port.patch("ConfigMap", reference, { ...conditional, data: { a: "2" } })).rejects.toMatchObject({
      kind: "Conflict",
      code: "Conflict",
    });
    expect((await port.get("ConfigMap", reference))?.data).toEqual({ a: "1" });
  });

  it("keeps the resource version when a patch changes nothing", async () => {
    const { port, namespace } = await makeWorld();
    const { metadata } = await port.create("ConfigMap", configMap(namespace, "facts", { a: "1" }));
    const patched = await port.patch("ConfigMap", { namespace, name: "facts" }, { data: { a: "1" } });
    expect(patched.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it("counts a new generation for a change of the spec alone", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "web" };
    const deployment = deploymentNamed("web", { replicas: 0 });
    await port.create("Deployment", { ...deployment, metadata: { namespace, name: "web" } });
    const labelled = await port.patch("Deployment", reference, { metadata: { labels: { team: "a" } } });
    expect(labelled.metadata.generation).toBe(1);
    const changed = await port.patch("Deployment", reference, {
      spec: { template: { metadata: { labels: { v: "2" } } } },
    });
    expect(changed.metadata.generation).toBe(2);
  });

  it("hands out copies", async () => {
    const { port, namespace } = await makeWorld();
    const created = await port.create("ConfigMap", configMap(namespace, "facts", { a: "1" }));
    if (created.data !== undefined) created.data.a = "changed";
    expect((await port.get("ConfigMap", { namespace, name: "facts" }))?.data).toEqual({ a: "1" });
  });
}

function statusContract(makeWorld: MakeWorld): void {
  it("leaves the status alone in a patch of the object, and the spec in a patch of the status", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "web" };
    await port.create("Pod", pod(namespace, "web"));
    const main = await port.patch("Pod", reference, { metadata: { labels: { a: "1" } }, status: { phase: "Failed" } });
    expect([main.status?.phase, main.metadata.labels?.a]).toEqual(["Pending", "1"]);
    const status = await port.patch(
      "Pod",
      reference,
      { spec: { nodeName: "elsewhere" }, status: { nominatedNodeName: "node-1" } },
      { subresource: "status" },
    );
    expect([status.spec.nodeName, status.status?.nominatedNodeName]).toEqual([undefined, "node-1"]);
  });

  it("starts a pod with a fresh status and the server's defaults", async () => {
    const { port, namespace } = await makeWorld();
    const created = await port.create("Pod", { ...pod(namespace, "web"), status: { phase: "Running" } });
    expect(created.status?.phase).toBe("Pending");
    expect(created.spec).toMatchObject({ schedulerName: "default-scheduler", terminationGracePeriodSeconds: 30 });
  });
}

function listContract(makeWorld: MakeWorld): void {
  it("lists by namespace, labels and fields, in the order of names", async () => {
    const { port, namespace, nodeName } = await makeWorld();
    await port.create("Pod", pod(namespace, "c", { labels: { app: "web" } }));
    await port.create("Pod", pod(namespace, "a", { labels: { app: "web" }, spec: { nodeName } }));
    await port.create("Pod", pod(namespace, "b", { labels: { app: "db" } }));
    await port.patch("Pod", { namespace, name: "b" }, { status: { phase: "Failed" } }, { subresource: "status" });
    const names = async (options: { fieldSelector?: string; labelSelector?: string }): Promise<string[]> =>
      (await port.list("Pod", { namespace, ...options })).map(({ metadata }) => metadata.name);
    expect(await names({})).toEqual(["a", "b", "c"]);
    expect(await names({ labelSelector: "app=web" })).toEqual(["a", "c"]);
    expect(await names({ labelSelector: "app!=web" })).toEqual(["b"]);
    expect(await names({ fieldSelector: "spec.nodeName=" })).toEqual(["b", "c"]);
    expect(await names({ fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" })).toEqual(["a", "c"]);
    expect(await names({ fieldSelector: "metadata.name=b" })).toEqual(["b"]);
    expect(await port.list("ConfigMap", { namespace, labelSelector: "app=web" })).toEqual([]);
  });

  it("lists what was created and deleted since the last list", async () => {
    const { port, namespace } = await makeWorld();
    const names = async () => (await port.list("ConfigMap", { namespace })).map(({ metadata }) => metadata.name);
    await port.create("ConfigMap", configMap(namespace, "earlier"));
    const before = await names();
    await port.create("ConfigMap", configMap(namespace, "facts"));
    expect(await names()).toEqual([...before, "facts"].sort());
    await port.delete("ConfigMap", { namespace, name: "facts" });
    expect(await names()).toEqual(before);
  });

  it("refuses a field that the server does not select by", async () => {
    const { port } = await makeWorld();
    await expect(port.list("Pod", { fieldSelector: "spec.priority=1" })).rejects.toMatchObject({ kind: "Invalid" });
  });
}

function deletionContract(makeWorld: MakeWorld): void {
  it("deletes once, and says absent from then on", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "facts" };
    await port.create("ConfigMap", configMap(namespace, "facts"));
    expect(await port.delete("ConfigMap", reference)).toBe("deleted");
    expect(await port.delete("ConfigMap", reference)).toBe("absent");
    expect(await port.get("ConfigMap", reference)).toBeUndefined();
  });

  it("deletes only the object of the uid that it is given", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "facts" };
    await port.create("ConfigMap", configMap(namespace, "facts"));
    const wrong = port.delete("ConfigMap", reference, { uid: "00000000-0000-4000-8000-000000000000" });
    await expect(wrong).rejects.toMatchObject({ kind: "Conflict" });
    expect(await port.get("ConfigMap", reference)).toBeDefined();
  });

  it("keeps a deleted object until its last finalizer is gone, and lets none be added", async () => {
    const { port, namespace } = await makeWorld();
    const reference = { namespace, name: "facts" };
    const finalizers = ["example.com/a", "example.com/b"];
    await port.create("ConfigMap", {
      ...configMap(namespace, "facts"),
      metadata: { namespace, name: "facts", finalizers },
    });
    expect(await port.delete("ConfigMap", reference)).toBe("deleted");
    expect((await port.get("ConfigMap", reference))?.metadata.deletionTimestamp).toBeDefined();
    const added = port.patch("ConfigMap", reference, { metadata: { finalizers: [...finalizers, "example.com/c"] } });
    await expect(added).rejects.toMatchObject({ kind: "Invalid" });
    await port.patch("ConfigMap", reference, { metadata: { finalizers: ["example.com/b"] } });
    expect(await port.get("ConfigMap", reference)).toBeDefined();
    await port.patch("ConfigMap", reference, { metadata: { finalizers: null } });
    expect(await port.get("ConfigMap", reference)).toBeUndefined();
  });

  it("lets a pod on a node end in its grace period, which a later delete can only shorten", async () => {
    const { port, namespace, nodeName } = await makeWorld();
    const reference = { namespace, name: "web" };
    await port.create("Pod", pod(namespace, "web", { spec: { nodeName, terminationGracePeriodSeconds: 600 } }));
    const grace = async (): Promise<number | undefined> =>
      (await port.get("Pod", reference))?.metadata.deletionGracePeriodSeconds;
    await port.delete("Pod", reference);
    expect(await grace()).toBe(600);
    await port.delete("Pod", reference, { gracePeriodSeconds: 300 });
    expect(await grace()).toBe(300);
    await port.delete("Pod", reference, { gracePeriodSeconds: 400 });
    expect(await grace()).toBe(300);
    await port.delete("Pod", reference, { gracePeriodSeconds: 0 });
    expect(await port.get("Pod", reference)).toBeUndefined();
  });

  it("deletes a pod without a node at once", async () => {
    const { port, namespace } = await makeWorld();
    await port.create("Pod", pod(namespace, "web"));
    await port.delete("Pod", { namespace, name: "web" });
    expect(await port.get("Pod", { namespace, name: "web" })).toBeUndefined();
  });
}

function evictionContract(makeWorld: MakeWorld): void {
  it("evicts a pod that no budget selects, gracefully", async () => {
    const world = await makeWorld();
    const { port, namespace } = world;
    await runningPod(world, "web");
    expect(await port.evict({ namespace, name: "web" })).toEqual({ kind: "evicted" });
    expect((await port.get("Pod", { namespace, name: "web" }))?.metadata.deletionTimestamp).toBeDefined();
  });

  it("calls a pod absent that is not there, or there under another uid", async () => {
    const world = await makeWorld();
    const { port, namespace } = world;
    await runningPod(world, "web");
    expect(await port.evict({ namespace, name: "other" })).toEqual({ kind: "absent" });
    const uid = "00000000-0000-4000-8000-000000000000";
    expect(await port.evict({ namespace, name: "web" }, { uid })).toEqual({ kind: "absent" });
    expect((await port.get("Pod", { namespace, name: "web" }))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("evicts as many pods as a budget allows and blocks the next", async () => {
    const world = await makeWorld();
    const { port, namespace } = world;
    for (const name of ["a", "b", "c"]) await runningPod(world, name);
    const selector = { matchLabels: { app: "web" } };
    await port.create("PodDisruptionBudget", budgetNamed("web", { minAvailable: 2, selector }, { namespace }));
    await world.settle();
    expect(await port.evict({ namespace, name: "a" })).toEqual({ kind: "evicted" });
    expect(await port.evict({ namespace, name: "b" })).toMatchObject({
      kind: "blocked",
      reason: expect.stringContaining("disruption budget"),
    });
  });

  it("blocks the eviction of a pod that two budgets select", async () => {
    const world = await makeWorld();
    const { port, namespace } = world;
    for (const name of ["a", "b"]) await runningPod(world, name);
    const selector = { matchLabels: { app: "web" } };
    for (const name of ["one", "two"]) {
      await port.create("PodDisruptionBudget", budgetNamed(name, { minAvailable: 1, selector }, { namespace }));
    }
    await world.settle();
    expect(await port.evict({ namespace, name: "a" })).toMatchObject({
      kind: "blocked",
      reason: expect.stringContaining("more than one PodDisruptionBudget"),
    });
  });
}

function configMap(namespace: string, name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

function pod(namespace: string, name: string, input: PodInput = {}): Pod {
  return podNamed(name, { ...input, metadata: { namespace } });
}

/** A pod with the label app=web that runs and is ready. */
async function runningPod({ port, namespace, nodeName }: KubernetesContractWorld, name: string): Promise<void> {
  await port.create("Pod", pod(namespace, name, { labels: { app: "web" }, spec: { nodeName } }));
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await port.patch("Pod", { namespace, name }, { status }, { subresource: "status" });
}
