import { expect } from "vitest";
import { conditionOf } from "../../../shared/state/conditions.ts";
import { conforms } from "../../support/conformance.ts";
import { addNode, addRunningNode } from "../../support/controller-world.ts";
import { addOwnedClaim, isGoing, pooledWorld, poolOf, see, told } from "../../support/lifecycle.ts";
import { provisionStatus } from "../../support/pool-status.ts";

conforms("live | not registered after 15 min | deleted", async () => {
  const world = pooledWorld();
  addOwnedClaim(world, "one");
  await world.advance(899);
  await see(world);
  expect(isGoing(world, "one")).toBe(false);
  await world.advance(1);
  await see(world);
  expect(isGoing(world, "one")).toBe(true);
  expect(world.telemetry.total("karpenter_nodeclaims_disrupted_total")).toBe(1);
  expect(world.sent.map(({ hint }) => hint.kind)).toEqual(["provision", "termination"]);
  // Not launched within 5 minutes is too long too.
  addOwnedClaim(world, "two", { conditions: [] });
  world.server.patch("NodeClaim", { name: "two" }, { status: { providerID: null } }, { subresource: "status" });
  await world.advance(299);
  await see(world);
  expect(isGoing(world, "two")).toBe(false);
  await world.advance(1);
  await see(world);
  expect(isGoing(world, "two")).toBe(true);
});

conforms("live | registered | kept", async () => {
  const world = pooledWorld();
  addOwnedClaim(world, "one");
  addNode(world, "one", { isReady: false });
  await see(world);
  await world.advance(899);
  await see(world);
  expect(told(world, "one", "Registered")?.status).toBe("True");
  expect(isGoing(world, "one")).toBe(false);
});

conforms("live | pool deleted | not updated", async () => {
  const world = pooledWorld();
  addOwnedClaim(world, "one");
  addOwnedClaim(world, "two");
  const { spec } = poolOf(world);
  world.server.delete("NodePool", { name: "default" });
  world.server.create("NodePool", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec,
  });
  await world.advance(900);
  await see(world);
  await provisionStatus(world);
  expect([isGoing(world, "one"), isGoing(world, "two")]).toEqual([true, true]);
  expect(conditionOf(poolOf(world), "NodeRegistrationHealthy")?.status).toBe("Unknown");
});

conforms(
  "final | generation rises after conditions are True, or while deleting (x2) | observedGeneration refreshed",
  async () => {
    const world = pooledWorld();
    addOwnedClaim(world, "one");
    addNode(world, "one");
    await see(world);
    const observed = () => [
      ...new Set(
        ["Launched", "Registered", "Initialized", "Ready"].map((type) => told(world, "one", type)?.observedGeneration),
      ),
    ];
    const outdated = (world.claim("one")?.status?.conditions ?? []).map((one) => ({ ...one, observedGeneration: 0 }));
    const at = { name: "one" };
    world.server.patch("NodeClaim", at, { status: { conditions: outdated } }, { subresource: "status" });
    const before = told(world, "one", "Ready")?.lastTransitionTime;
    await world.advance(60);
    await see(world);
    expect(observed()).toEqual([1]);
    expect(told(world, "one", "Ready")?.lastTransitionTime).toBe(before);

    world.server.delete("NodeClaim", at);
    expect(world.claim("one")?.metadata.generation).toBe(2);
    await see(world);
    expect(observed()).toEqual([2]);
    addRunningNode(world, "two");
    await see(world);
    expect(told(world, "two", "Initialized")?.observedGeneration).toBeUndefined();
  },
);
