import { expect } from "vitest";
import { conditionOf } from "../../../shared/state/conditions.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, addNode, addRunningNode, type ControllerWorld, nodeNameOf } from "../../support/controller-world.ts";
import { addOwnedClaim, addTaintedNode, eventsOn, pooledWorld, poolOf, see, told } from "../../support/lifecycle.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { throttledError as throttled } from "../../support/planner-world.ts";
import { provisionStatus } from "../../support/pool-status.ts";

function taintsOf(world: ControllerWorld, claim: string): readonly string[] {
  return (world.node(nodeNameOf(claim))?.spec?.taints ?? []).map(({ key }) => key);
}

conforms("reg | node appears | Registered True, label, taint removed, ownerRef once, nodeName set", async () => {
  const world = pooledWorld();
  const { metadata } = addClaim(world, "one");
  await see(world);
  expect(told(world, "one", "Registered")).toMatchObject({ status: "Unknown", reason: "NodeNotFound" });

  addNode(world, "one");
  await see(world);
  await see(world);

  const node = world.node("node-one");
  expect(told(world, "one", "Registered")?.status).toBe("True");
  expect(node?.metadata.labels?.["karpenter.sh/registered"]).toBe("true");
  expect(taintsOf(world, "one")).toEqual([]);
  expect(node?.metadata.ownerReferences).toEqual([
    { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name: "one", uid: metadata.uid, blockOwnerDeletion: true },
  ]);
  expect(node?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
  expect(world.claim("one")?.status?.nodeName).toBe("node-one");
});

conforms("reg | unregistered taint missing | registers, warning event", async () => {
  const world = pooledWorld();
  addClaim(world, "one");
  addNode(world, "one", { taints: [], isReady: false });
  await see(world);
  await see(world);
  expect(told(world, "one", "Registered")?.status).toBe("True");
  expect(eventsOn(world, "one")).toEqual(["UnregisteredTaintMissing"]);

  addClaim(world, "two");
  addNode(world, "two");
  await see(world);
  expect(eventsOn(world, "two")).toEqual([]);
});

conforms("reg | labels, annotations, taints, startupTaints | synced", async () => {
  const world = pooledWorld();
  addClaim(world, "one", {
    labels: { team: "shop" },
    annotations: { note: "of the pool" },
    taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }],
    startupTaints: [{ key: "cilium", effect: "NoExecute" }],
  });
  addNode(world, "one", { isReady: false });
  await see(world);
  const node = world.node("node-one");
  expect(node?.metadata.labels).toMatchObject({ team: "shop", "karpenter.sh/nodepool": "default" });
  expect(node?.metadata.annotations).toMatchObject({ note: "of the pool" });
  expect(node?.spec?.taints).toEqual([
    { key: "karpenter.sh/unregistered", effect: "NoExecute" },
    { key: "gpu", value: "yes", effect: "NoSchedule" },
    { key: "cilium", effect: "NoExecute" },
  ]);
});

conforms('reg | do-not-sync-taints "true" / other value (x4) | not synced / synced', async () => {
  const world = pooledWorld();
  const taints = [{ key: "gpu", effect: "NoSchedule" as const }];
  const startupTaints = [{ key: "cilium", effect: "NoExecute" as const }];
  const only = { one: "true", two: "false", three: "yes", four: "True" };
  for (const [name, value] of Object.entries(only)) {
    addClaim(world, name, { taints, startupTaints });
    addNode(world, name, { isReady: false });
    const labels = { "karpenter.sh/do-not-sync-taints": value };
    world.server.patch("Node", { name: nodeNameOf(name) }, { metadata: { labels } });
  }
  await see(world);
  expect(taintsOf(world, "one")).toEqual(["karpenter.sh/unregistered"]);
  for (const name of ["two", "three", "four"]) {
    expect(taintsOf(world, name), name).toEqual(["karpenter.sh/unregistered", "gpu", "cilium"]);
  }
});

conforms("reg | startup taint removed by daemon | not re-added", async () => {
  const world = pooledWorld();
  addClaim(world, "one", { startupTaints: [{ key: "cilium", effect: "NoExecute" }] });
  addTaintedNode(world, "one");
  await see(world);
  expect(taintsOf(world, "one")).toContain("cilium");
  const taints = [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }];
  world.server.patch("Node", { name: "node-one" }, { spec: { taints } });
  await see(world);
  await see(world);
  expect(taintsOf(world, "one")).toEqual([]);
  expect(told(world, "one", "Initialized")?.status).toBe("True");
});

function health(world: ControllerWorld): string | undefined {
  return conditionOf(poolOf(world), "NodeRegistrationHealthy")?.status;
}

/** A launch of the pool that becomes a node, or never does. */
async function launch(world: ControllerWorld, name: string, becomesNode: boolean): Promise<void> {
  addOwnedClaim(world, name);
  if (becomesNode) addNode(world, name);
  else await world.advance(world.settings.registrationTimeoutSeconds);
  await see(world);
  await provisionStatus(world);
}

conforms(
  "reg | pool was unhealthy, success | NodeRegistrationHealthy True; with two earlier failures stays False",
  async () => {
    const world = pooledWorld();
    await launch(world, "one", false);
    await launch(world, "two", true);
    expect(health(world)).toBe("True");
    await launch(world, "three", false);
    await launch(world, "four", true);
    expect(health(world)).toBe("False");
    await launch(world, "five", true);
    await launch(world, "six", true);
    // The last four: one failure, and three nodes.
    expect(health(world)).toBe("True");
  },
);

conforms("reg | owning pool deleted | health untouched", async () => {
  const world = pooledWorld();
  await launch(world, "one", false);
  await launch(world, "two", false);
  addOwnedClaim(world, "three");
  const { spec } = poolOf(world);
  world.server.delete("NodePool", { name: "default" });
  addNode(world, "three");
  await see(world);
  expect(told(world, "three", "Registered")?.status).toBe("True");
  // Another of the same name is not the one that made the claim.
  world.server.create("NodePool", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec,
  });
  addClaim(world, "four");
  addNode(world, "four");
  await see(world);
  await provisionStatus(world);
  expect(health(world)).toBe("Unknown");
});

const group = { id: "pg-1", name: "spread-out", strategy: "partition", partitionCount: 3 };

/** A world whose class is in a placement group with partitions. */
function partitioned(...faults: Parameters<typeof pooledWorld>): ControllerWorld {
  const world = pooledWorld(...faults);
  world.server.delete("EC2NodeClass", { name: "default" });
  const object = nodeClass({ placementGroupSelector: { name: group.name } });
  const annotations = { "journeyman.sh/placement-group": JSON.stringify(group) };
  world.server.create("EC2NodeClass", { ...object, metadata: { ...object.metadata, annotations } });
  return world;
}

const partitionLabel = "karpenter.k8s.aws/placement-group-partition";
const inGroup = { "karpenter.k8s.aws/placement-group-id": group.id };

conforms(
  "reg.hooks | pass; not ready; error; second not ready; all pass; parallel listing; becomes ready; empty; nil; hook adds labels (x10) | register / defer / error / … / labels on node and claim",
  async () => {
    // We have one hook, EC2's partition of a placement group. Without a group there is nothing to wait for.
    const world = partitioned();
    addClaim(world, "plain");
    addNode(world, "plain");
    addClaim(world, "settled", { labels: { ...inGroup, [partitionLabel]: "2" } });
    addNode(world, "settled");
    addClaim(world, "open", { labels: inGroup });
    addNode(world, "open");
    addClaim(world, "second", { labels: inGroup });
    addNode(world, "second");
    await see(world);
    expect(told(world, "plain", "Registered")?.status).toBe("True");
    expect(told(world, "settled", "Registered")?.status).toBe("True");
    for (const name of ["open", "second"]) {
      expect(told(world, name, "Registered")).toMatchObject({ status: "Unknown", reason: "RegistrationHookPending" });
      expect(taintsOf(world, name)).toEqual(["karpenter.sh/unregistered"]);
      expect(world.node(nodeNameOf(name))?.metadata.labels?.["karpenter.sh/registered"]).toBeUndefined();
    }

    world.ec2.add({ instanceId: "i-open", partitionNumber: 3 });
    await see(world);
    expect(told(world, "open", "Registered")?.status).toBe("True");
    expect(world.claim("open")?.metadata.labels?.[partitionLabel]).toBe("3");
    expect(world.node("node-open")?.metadata.labels?.[partitionLabel]).toBe("3");
    expect(told(world, "second", "Registered")?.status).toBe("Unknown");

    world.ec2.add({ instanceId: "i-second", partitionNumber: 1 });
    world.ec2.failure = throttled();
    await see(world);
    expect(told(world, "second", "Registered")?.status).toBe("Unknown");
    await see(world);
    expect(told(world, "second", "Registered")?.status).toBe("True");
    addRunningNode(world, "running");
    await see(world);
    expect(told(world, "running", "Registered")?.status).toBe("True");
  },
);
