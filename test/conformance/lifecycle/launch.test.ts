import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { conforms, differs } from "../../support/conformance.ts";
import { addForeignClaim, eventsOn, isGoing, see, told } from "../../support/lifecycle.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { addNodePool, type PlannerWorld, plannerWorld } from "../../support/planner-world.ts";

/** A claim that a person made: of on-demand m5.large in zone a. */
function addByHand({ server }: PlannerWorld, name: string): NodeClaim {
  const claim = nodeClaim(name);
  const requirements = [
    { key: label.instanceType, operator: "In" as const, values: ["m5.large"] },
    { key: label.capacityType, operator: "In" as const, values: ["on-demand"] },
    { key: label.zone, operator: "In" as const, values: ["us-east-1a"] },
  ];
  return server.create("NodeClaim", { ...claim, spec: { ...claim.spec, requirements } });
}

function pooled(): PlannerWorld {
  const world = plannerWorld();
  addNodePool(world, "default");
  return world;
}

conforms("launch | new claim | instance created, Launched True", async () => {
  const world = pooled();
  addByHand(world, "one");
  await see(world, { kind: "node-claim", name: "one" });
  expect(world.claim("one")?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);

  await world.provision();

  const [instance] = world.living();
  expect(world.living()).toHaveLength(1);
  expect(world.claim("one")?.status?.providerID).toBe(`aws:///us-east-1a/${instance?.instanceId}`);
  expect(told(world, "one", "Launched")).toMatchObject({ status: "True", reason: "Launched" });
});

conforms("launch | other provider's claim | ignored", async () => {
  const world = pooled();
  addForeignClaim(world, "theirs");
  world.server.patch("NodeClaim", { name: "theirs" }, { status: { providerID: null } }, { subresource: "status" });
  const before = world.claim("theirs");

  await see(world);
  await world.provision();

  expect(world.living()).toEqual([]);
  expect(world.claim("theirs")).toEqual(before);
});

differs(
  "launch | InsufficientCapacity; NodeClassNotReady (x2) | claim deleted",
  "A claim whose class is not ready says so and waits for the launch timeout, for a class is often back within a minute; without capacity it goes at once (decision record 0011).",
  async () => {
    const scarce = pooled();
    addByHand(scarce, "one");
    scarce.aws.faults.failNext("RunInstances", "InsufficientInstanceCapacity", 10);
    for (let pass = 0; pass < 3; pass++) await scarce.provision();
    expect(isGoing(scarce, "one")).toBe(true);
    expect(eventsOn(scarce, "one")).toContain("InsufficientCapacity");

    const world = pooled();
    const notReady = { type: "Ready", status: "False", reason: "SubnetsNotFound", message: "no subnet" };
    const status = { conditions: [{ ...notReady, lastTransitionTime: "2026-01-01T00:00:00Z" }] };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    addByHand(world, "two");
    await world.provision();
    expect(told(world, "two", "Launched")?.status).toBe("Unknown");
    expect(isGoing(world, "two")).toBe(false);
    await world.advance(world.settings.launchTimeoutSeconds);
    await see(world);
    expect(isGoing(world, "two")).toBe(true);
    expect(world.living()).toEqual([]);
  },
);

conforms("launch | CreateError | reason/message on Launched", async () => {
  const world = pooled();
  addByHand(world, "one");
  world.aws.faults.failNext("RunInstances", "UnauthorizedOperation", 1, "not allowed to run this");
  await world.provision();
  const launched = told(world, "one", "Launched");
  expect(launched).toMatchObject({ status: "Unknown", reason: "Unauthorized" });
  expect(launched?.message).toContain("not allowed to run this");
});
