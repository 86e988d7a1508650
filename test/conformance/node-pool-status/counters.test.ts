import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { nodePool } from "../../../shared/api/node-pool.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, addRunningNode, type ControllerWorld } from "../../support/controller-world.ts";
import { patchNodeStatus, pooledWorld, poolOf } from "../../support/lifecycle.ts";
import { addNodePool } from "../../support/planner-world.ts";
import { provisionStatus } from "../../support/pool-status.ts";

const zeros = { cpu: "0", memory: "0", pods: "0", "ephemeral-storage": "0", nodes: "0" };

async function resources(world: ControllerWorld, pool = "default") {
  await provisionStatus(world);
  return poolOf(world, pool).status?.resources;
}

/** A running node of a pool, of 4 CPU. */
function addNodeOf(world: ControllerWorld, name: string, pool = "default"): void {
  addRunningNode(world, name, { labels: { [label.nodePool]: pool } });
  world.server.patch("Node", { name: `node-${name}` }, { metadata: { labels: { [label.nodePool]: pool } } });
}

function remove({ server }: ControllerWorld, name: string): void {
  for (const [kind, object] of [
    ["NodeClaim", name],
    ["Node", `node-${name}`],
  ] as const) {
    server.patch(kind, { name: object }, { metadata: { finalizers: null } });
    server.delete(kind, { name: object });
  }
}

function addForeignPool({ server }: ControllerWorld): void {
  const template = {
    spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" }, requirements: [] },
  };
  const metadata = { name: "theirs" };
  server.create(
    "NodePool",
    nodePool.parse({ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata, spec: { template } }),
  );
}

conforms(
  "counter | foreign; no nodes; claim then node; add; remove; all gone (x6) | ignored; zeros; capacity tracked; up; down; zero",
  async () => {
    const world = pooledWorld();
    addForeignPool(world);
    expect(await resources(world)).toEqual(zeros);
    expect(poolOf(world, "theirs").status).toBeUndefined();

    addClaim(world, "flying", { status: { capacity: { cpu: "8", memory: "32Gi" } } });
    expect(await resources(world)).toMatchObject({ cpu: "8", memory: "32Gi", nodes: "1" });
    addNodeOf(world, "one");
    expect(await resources(world)).toMatchObject({ cpu: "12", memory: "48Gi", nodes: "2" });
    addNodeOf(world, "two");
    expect(await resources(world)).toMatchObject({ cpu: "16", nodes: "3" });
    // A node that is going counts no more.
    world.server.delete("NodeClaim", { name: "two" });
    expect(await resources(world)).toMatchObject({ cpu: "12", nodes: "2" });
    remove(world, "one");
    expect(await resources(world)).toMatchObject({ cpu: "8", nodes: "1" });
    world.server.delete("NodeClaim", { name: "flying" });
    expect(await resources(world)).toEqual(zeros);
  },
);

conforms("counter.nodes | 0, 2, changes, several pools incl. static (x5) | status.nodes correct", async () => {
  const world = pooledWorld();
  addNodePool(world, "fixed", { replicas: 3 });
  const counts = async () => {
    await provisionStatus(world);
    return [poolOf(world).status?.nodes, poolOf(world, "fixed").status?.nodes];
  };
  expect(await counts()).toEqual([0, 0]);
  addNodeOf(world, "one");
  addNodeOf(world, "two");
  expect(await counts()).toEqual([2, 0]);
  for (const name of ["three", "four", "five"]) addNodeOf(world, name, "fixed");
  expect(await counts()).toEqual([2, 3]);
  remove(world, "one");
  remove(world, "five");
  expect(await counts()).toEqual([1, 2]);
});

conforms("state.capacity | initialised; claim only; uninitialised (x3) | includes nodes=1", async () => {
  const world = pooledWorld();
  addNodeOf(world, "one");
  expect(await resources(world)).toMatchObject({ cpu: "4", nodes: "1" });
  remove(world, "one");
  addClaim(world, "two", { status: { capacity: { cpu: "8" } } });
  expect(await resources(world)).toMatchObject({ cpu: "8", nodes: "1" });
  // The kubelet has not told of its GPUs yet, as its claim does.
  addRunningNode(world, "two-node", {
    conditions: ["Launched"],
    status: { capacity: { cpu: "4", "nvidia.com/gpu": "1" } },
  });
  patchNodeStatus(world, "two-node", { capacity: { cpu: "4", "nvidia.com/gpu": "0" } });
  expect(await resources(world)).toMatchObject({ cpu: "12", "nvidia.com/gpu": "1", nodes: "2" });
});

conforms(
  "state.pool | several pools; node moves pool; providerID changes; node or claim half removed (x5) | per-pool totals follow",
  async () => {
    const world = pooledWorld();
    addNodePool(world, "other");
    addNodeOf(world, "one");
    addNodeOf(world, "two", "other");
    const cpus = async () => [(await resources(world))?.cpu, (await resources(world, "other"))?.cpu];
    expect(await cpus()).toEqual(["4", "4"]);

    const moved = { metadata: { labels: { [label.nodePool]: "other" } } };
    world.server.patch("Node", { name: "node-one" }, moved);
    world.server.patch("NodeClaim", { name: "one" }, moved);
    expect(await cpus()).toEqual(["0", "8"]);

    // An instance that is replaced under the same claim: the old Node is nobody's, and still there.
    const providerID = "aws:///us-east-1a/i-new";
    world.server.patch(
      "NodeClaim",
      { name: "two" },
      { status: { providerID, capacity: { cpu: "2" } } },
      { subresource: "status" },
    );
    expect(await cpus()).toEqual(["0", "10"]);
    world.server.patch("Node", { name: "node-two" }, { metadata: { finalizers: null } });
    world.server.delete("Node", { name: "node-two" });
    expect(await cpus()).toEqual(["0", "6"]);
    remove(world, "one");
    expect(await cpus()).toEqual(["0", "2"]);
  },
);
