import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { type NodePool, nodePool } from "../../shared/api/node-pool.ts";
import { conditionOf } from "../../shared/state/conditions.ts";
import { nodeNamed } from "../support/cluster-objects.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

function poolOf({ server }: PlannerWorld, name: string): NodePool {
  const pool = server.get("NodePool", { name });
  if (pool === undefined) throw new Error(`no NodePool ${name}`);
  return pool;
}

function addNode({ server }: PlannerWorld, name: string, pool: string, taints: readonly string[] = []): void {
  const spec = { taints: taints.map((key) => ({ key, effect: "NoSchedule" as const })) };
  server.create("Node", nodeNamed(name, { labels: { [label.nodePool]: pool }, spec }));
}

function theirs({ spec }: { readonly spec: Pick<NodePool["spec"]["template"]["spec"], "nodeClassRef"> }): NodePool {
  const metadata = { name: "theirs" };
  const template = { spec: { ...spec, requirements: [] } };
  return nodePool.parse({ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata, spec: { template } });
}

describe("a NodePool's status", () => {
  it("says that it is ready, with all that this rests on", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    await world.provision();
    for (const type of ["ValidationSucceeded", "NodeClassReady", "Ready"]) {
      expect(conditionOf(poolOf(world, "general"), type)).toMatchObject({ status: "True", reason: type });
    }
  });

  it("names the key and the value of a requirement that nothing can meet, and stops no other NodePool", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    const bad = addNodePool(world, "bad");
    const requirements = [{ key: label.capacityType, operator: "In", values: ["xspot"] }];
    world.server.patch("NodePool", { name: bad.metadata.name }, { spec: { template: { spec: { requirements } } } });
    addPendingPod(world, "web");

    await world.provision();

    const pool = poolOf(world, "bad");
    expect(conditionOf(pool, "ValidationSucceeded")).toMatchObject({
      status: "False",
      reason: "NodePoolValidationFailed",
    });
    for (const type of ["ValidationSucceeded", "Ready"]) {
      expect(conditionOf(pool, type)?.message).toContain("xspot");
      expect(conditionOf(pool, type)?.message).toContain(label.capacityType);
    }
    expect(conditionOf(poolOf(world, "general"), "Ready")?.status).toBe("True");
    expect(world.claims().map(({ metadata }) => metadata.labels?.[label.nodePool])).toEqual(["general"]);
  });

  it("tells of a class that is missing, leaving or not ready", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    const patch = { spec: { template: { spec: { nodeClassRef: { name: "another" } } } } };
    world.server.patch("NodePool", { name: "general" }, patch);
    await world.provision();
    expect(conditionOf(poolOf(world, "general"), "NodeClassReady")).toMatchObject({
      status: "False",
      reason: "NodeClassNotFound",
      message: "EC2NodeClass another does not exist",
    });
    expect(conditionOf(poolOf(world, "general"), "Ready")?.message).toContain("EC2NodeClass another does not exist");
  });

  it("is not believed when it is out of date", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    const ready = {
      type: "Ready",
      status: "False",
      reason: "Stale",
      message: "",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    };
    world.server.patch("NodePool", { name: "general" }, { status: { conditions: [ready] } }, { subresource: "status" });
    addPendingPod(world, "web");
    await world.provision();
    expect(world.claims()).toHaveLength(1);
    expect(conditionOf(poolOf(world, "general"), "Ready")?.status).toBe("True");
  });

  it("adds up the capacity of the nodes that stay, and has the usual resources where there are none", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    addNodePool(world, "empty");
    addNode(world, "n1", "general");
    addNode(world, "n2", "general");
    addNode(world, "n3", "general", ["karpenter.sh/disrupted"]);
    await world.provision();
    expect(poolOf(world, "general").status).toMatchObject({
      nodes: 2,
      resources: { cpu: "8", memory: "32Gi", pods: "116", nodes: "2", "ephemeral-storage": "0" },
    });
    expect(poolOf(world, "empty").status).toMatchObject({
      nodes: 0,
      resources: { cpu: "0", memory: "0", pods: "0", nodes: "0", "ephemeral-storage": "0" },
    });
  });

  it("forgets resources that no node has any more, and keeps what others wrote", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    const healthy = {
      type: "NodeRegistrationHealthy",
      status: "True",
      reason: "x",
      message: "",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    };
    const status = { resources: { "nvidia.com/gpu": "4" }, conditions: [healthy] };
    world.server.patch("NodePool", { name: "general" }, { status }, { subresource: "status" });
    await world.provision();
    expect(poolOf(world, "general").status?.resources).not.toHaveProperty("nvidia.com/gpu");
    expect(conditionOf(poolOf(world, "general"), "NodeRegistrationHealthy")).toMatchObject(healthy);
  });

  it("is written only when it changes", async () => {
    const world = plannerWorld();
    addNodePool(world, "general");
    await world.provision();
    const before = poolOf(world, "general").metadata.resourceVersion;
    await world.advance(60);
    await world.provision();
    expect(poolOf(world, "general").metadata.resourceVersion).toBe(before);
    addNode(world, "n1", "general");
    await world.advance(60);
    await world.provision();
    expect(poolOf(world, "general").metadata.resourceVersion).not.toBe(before);
  });

  it("of another provider's NodePool is left alone", async () => {
    const world = plannerWorld();
    const template = { spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" } } };
    world.server.create("NodePool", theirs(template));
    await world.provision();
    expect(poolOf(world, "theirs").status?.conditions ?? []).toEqual([]);
  });
});
