import { describe, expect, it } from "vitest";
import { annotation } from "../../shared/api/labels.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { noteRoom } from "../../shared/controllers/room-notes.ts";
import { Lazy } from "../../shared/provisioning/lazily.ts";
import type { ProvisioningPlan } from "../../shared/provisioning/plan.ts";
import { replacementOf } from "../../shared/state/replacement.ts";
import { addPod, addRunningNode, type ControllerWorld, controllerWorld } from "../support/controller-world.ts";
import { noNodeCost } from "../support/plans.ts";

/** A node that leaves with two pods on it, and another. */
function worldWithLeavingNode(): ControllerWorld {
  const world = controllerWorld();
  addRunningNode(world, "leaving");
  addRunningNode(world, "staying");
  for (const name of ["a", "b"]) addPod(world, name, "leaving");
  const mark = JSON.stringify({ reason: "spot-interruption", noticedAt: world.now(), deadlineAt: world.now() + 1 });
  world.server.patch("Node", { name: "node-leaving" }, { metadata: { annotations: { [annotation.replace]: mark } } });
  return world;
}

async function noteRoomFor(world: ControllerWorld, podName: string, on: string): Promise<void> {
  const snapshot = await readSnapshot(world.ports, world.settings);
  const pods = snapshot.pods.filter(({ name }) => name === podName);
  const plan: ProvisioningPlan = {
    nodeClaims: [],
    existing: [{ name: on, pods }],
    unschedulable: [],
    priceUsdPerHour: 0,
    nodeCost: noNodeCost,
    spotFlexibilityUsdPerHour: 0,
    spotSpreadUsdPerHour: 0,
    waiting: [],
    podsByZone: new Map(),
    preferenceCostUsdPerHour: 0,
    lowerBoundUsdPerHour: 0,
    instancesLowerBound: new Lazy(() => 0),
  };
  await noteRoom(world.ports, plan, snapshot);
}

function roomFor(world: ControllerWorld): readonly string[] | undefined {
  const node = world.node("node-leaving");
  return node && replacementOf(node)?.roomFor;
}

describe("a note of room", () => {
  it("names the pods of a leaving node that fit on a Ready one, and keeps the rest of the mark", async () => {
    const world = worldWithLeavingNode();

    await noteRoomFor(world, "a", "node-staying");
    await noteRoomFor(world, "b", "node-staying");

    expect(roomFor(world)?.toSorted()).toEqual(["a", "b"].map((name) => world.pod(name)?.metadata.uid).toSorted());
    const node = world.node("node-leaving");
    expect(node && replacementOf(node)).toMatchObject({ reason: "spot-interruption", deadlineAt: world.now() + 1 });
  });

  it("is not written twice", async () => {
    const world = worldWithLeavingNode();
    await noteRoomFor(world, "a", "node-staying");
    const { resourceVersion } = world.node("node-leaving")?.metadata ?? {};

    await noteRoomFor(world, "a", "node-staying");

    expect(world.node("node-leaving")?.metadata.resourceVersion).toBe(resourceVersion);
  });

  it("is not written for a node that is still to come, nor on one that nobody has marked", async () => {
    const world = worldWithLeavingNode();
    addPod(world, "c", "staying");

    await noteRoomFor(world, "a", "claim-on-its-way");
    await noteRoomFor(world, "c", "node-leaving");

    expect(roomFor(world)).toBeUndefined();
    expect(world.node("node-staying")?.metadata.annotations?.[annotation.replace]).toBeUndefined();
  });
});
