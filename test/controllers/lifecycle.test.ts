import { describe, expect, it } from "vitest";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import type { Hint } from "../../shared/hints.ts";
import { ProviderError } from "../../shared/ports.ts";
import { isTrue } from "../../shared/state/conditions.ts";
import { formatNominations } from "../../shared/state/nominations.ts";
import { podRecord } from "../../shared/state/pod-decoding.ts";
import { podNamed } from "../support/cluster-objects.ts";
import {
  addClaim,
  addNode,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";

async function see(world: ControllerWorld, hint: Partial<Hint> = { kind: "lifecycle-sweep" }): Promise<void> {
  await lifecycle(world.ports, world.settings, [{ at: world.now(), ...hint } as Hint]);
}

/** The types of a claim's conditions that are True. */
function truths(world: ControllerWorld, name: string): readonly string[] {
  const { conditions = [] } = world.claim(name)?.status ?? {};
  return conditions.filter(({ status }) => status === "True").map(({ type }) => type);
}

describe("registration", () => {
  it("gives the Node what its kubelet may not set, and keeps the unregistered taint while it is not ready", async () => {
    const world = controllerWorld();
    const annotations = { team: "a", "journeyman.sh/reason": "pods" };
    const startupTaints = [{ key: "cilium", effect: "NoExecute" as const }];
    const claim = addClaim(world, "one", { annotations, labels: { tier: "gold" }, startupTaints });
    addNode(world, "one", { isReady: false });
    await see(world, { kind: "node", name: "node-one" });
    const node = world.node("node-one");
    expect(node?.metadata.labels).toMatchObject({ tier: "gold", "karpenter.sh/registered": "true" });
    expect(node?.metadata.annotations).toEqual({ team: "a" });
    expect(node?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
    expect(node?.metadata.ownerReferences).toMatchObject([{ kind: "NodeClaim", uid: claim.metadata.uid }]);
    expect(node?.spec?.taints?.map(({ key }) => key)).toEqual(["karpenter.sh/unregistered", "cilium"]);
    expect(world.claim("one")?.status?.nodeName).toBe("node-one");
    expect(truths(world, "one")).toEqual(["Launched", "Registered"]);
  });

  it("leaves the taints alone where the node says so", async () => {
    const world = controllerWorld();
    addClaim(world, "one", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
    addNode(world, "one", { isReady: false });
    world.server.patch(
      "Node",
      { name: "node-one" },
      { metadata: { labels: { "karpenter.sh/do-not-sync-taints": "true" } } },
    );
    await see(world);
    expect(world.node("node-one")?.spec?.taints?.map(({ key }) => key)).toEqual(["karpenter.sh/unregistered"]);
  });

  it("is refused when two Nodes have the provider id", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    const { metadata, spec } = addNode(world, "one");
    world.server.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "twin" }, ...(spec && { spec }) });
    await see(world);
    expect(world.claim("one")?.status?.conditions).toContainEqual(
      expect.objectContaining({ reason: "MultipleNodesFound" }),
    );
    expect(world.node(metadata.name)?.metadata.finalizers).toBeUndefined();
  });
});

describe("initialization", () => {
  it("waits for Ready, startup taints and requested resources, and says for which", async () => {
    const world = controllerWorld();
    const obstacle = () => world.claim("one")?.status?.conditions?.find(({ type }) => type === "Initialized")?.reason;
    addClaim(world, "one", { startupTaints: [{ key: "cilium", effect: "NoExecute" }] });
    addNode(world, "one", { isReady: false });
    await see(world);
    expect(obstacle()).toBe("NodeNotReady");
    const ready = { type: "Ready", status: "True" };
    world.server.patch("Node", { name: "node-one" }, { status: { conditions: [ready] } }, { subresource: "status" });
    await see(world);
    expect(obstacle()).toBe("StartupTaintsExist");
    const taints = [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }];
    world.server.patch("Node", { name: "node-one" }, { spec: { taints } });
    await see(world);
    expect(truths(world, "one")).toEqual(["Launched", "Registered", "Initialized", "ConsistentStateFound", "Ready"]);
    expect(world.node("node-one")?.spec?.taints).toEqual([]);
    expect(world.node("node-one")?.metadata.labels?.["karpenter.sh/initialized"]).toBe("true");
  });

  it("nominates the claim's pending pods, found by UID or as successors, and no pod that somebody else has nominated", async () => {
    const world = controllerWorld();
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "web" };
    const first = world.server.create("Pod", podNamed("first"));
    const taken = world.server.create("Pod", podNamed("taken"));
    const successor = world.server.create("Pod", podNamed("successor", { metadata: { ownerReferences: [owner] } }));
    world.server.create("Pod", podNamed("stranger"));
    const reference = { name: "taken", namespace: "default" };
    world.server.patch("Pod", reference, { status: { nominatedNodeName: "elsewhere" } }, { subresource: "status" });
    const nominations = [
      { uid: first.metadata.uid ?? "", owner: "", class: podRecord(first).classKey },
      { uid: taken.metadata.uid ?? "", owner: "", class: podRecord(taken).classKey },
      { uid: "evicted", owner: "web", class: podRecord(successor).classKey },
    ];
    addClaim(world, "one", { annotations: { "journeyman.sh/nominated-pods": formatNominations(nominations) } });
    addNode(world, "one");
    await see(world);
    const nominated = (name: string) => world.pod(name)?.status?.nominatedNodeName;
    expect(nominated("first")).toBe("node-one");
    expect(nominated("successor")).toBe("node-one");
    expect(nominated("taken")).toBe("elsewhere");
    expect(nominated("stranger")).toBeUndefined();
  });

  it("nominates before the taint goes, so that kube-scheduler finds the nomination", async () => {
    const order: string[] = [];
    const world = controllerWorld({
      afterCall: (verb, kind) => {
        const isOpen = (world.node("node-one")?.spec?.taints ?? []).length === 0;
        if (verb.startsWith("patch") && kind !== "NodeClaim") order.push(`${kind} ${isOpen ? "open" : "closed"}`);
      },
    });
    const pod = world.server.create("Pod", podNamed("app"));
    const nomination = { uid: pod.metadata.uid ?? "", owner: "", class: podRecord(pod).classKey };
    addClaim(world, "one", { annotations: { "journeyman.sh/nominated-pods": formatNominations([nomination]) } });
    addNode(world, "one");
    await see(world);
    expect(order).toEqual(["Node closed", "Pod closed", "Node open"]);
  });

  it("is completed by the next sweep, wherever a crash cut it off", async () => {
    const writes = await crashAfter(Number.POSITIVE_INFINITY);
    expect(writes).toBeGreaterThan(3);
    for (let write = 1; write <= writes; write++) await crashAfter(write);
  });

  async function crashAfter(limit: number): Promise<number> {
    let writes = 0;
    const world = controllerWorld({
      afterCall: (verb) => {
        if (verb.startsWith("patch") && ++writes === limit)
          throw new ProviderError("Unknown", "Timeout", "lost answer");
      },
    });
    addClaim(world, "one", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
    addNode(world, "one");
    await see(world);
    await see(world);
    expect(truths(world, "one")).toEqual(["Launched", "Registered", "Initialized", "ConsistentStateFound", "Ready"]);
    expect(world.node("node-one")?.spec?.taints).toEqual([{ key: "gpu", effect: "NoSchedule" }]);
    return writes;
  }
});

describe("a claim that takes too long", () => {
  it("is deleted, and its pods are planned again", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    await world.advance(899);
    await see(world);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeUndefined();
    await world.advance(1);
    await see(world);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
    expect(world.sent.map(({ hint }) => hint.kind)).toEqual(["provision", "termination"]);
  });

  it("is not deleted for a delay of ours: what has arrived is registered first", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    addNode(world, "one", { isReady: false });
    await world.advance(3_600);
    await see(world);
    expect(truths(world, "one")).toEqual(["Launched", "Registered"]);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("other ends", () => {
  it("a Node that somebody deletes takes its claim along", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    world.server.delete("Node", { name: "node-one" });
    await see(world, { kind: "node", name: "node-one" });
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("a claim that somebody deletes gets its first termination step", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    world.server.delete("NodeClaim", { name: "one" });
    await see(world, { kind: "node-claim", name: "one" });
    expect(world.sent).toMatchObject([{ hint: { kind: "termination", nodeClaim: "one", step: 0 } }]);
  });

  it("an instance that ends takes its claim along", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    await see(world, { kind: "instance-changed", instanceId: "i-one" });
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeUndefined();
    world.ec2.end("i-one");
    await see(world, { kind: "instance-changed", instanceId: "i-one" });
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
  });
});

describe("pod activity", () => {
  it("moves lastPodEventTime when pods come or go, and only then", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    const last = () => world.claim("one")?.status?.lastPodEventTime;
    await see(world);
    expect(last()).toBeUndefined();
    addPod(world, "app", "one");
    await world.advance(60);
    await see(world);
    const arrived = last();
    expect(arrived).toBe("2026-11-30T12:01:00.000Z");
    await world.advance(60);
    await see(world);
    expect(last()).toBe(arrived);
    world.server.delete("Pod", { name: "app", namespace: "default" });
    await see(world);
    expect(last()).toBe("2026-11-30T12:02:00.000Z");
    const claim = world.claim("one");
    expect(claim !== undefined && isTrue(claim, "Consolidatable")).toBe(false);
  });
});
