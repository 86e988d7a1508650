import { describe, expect, it } from "vitest";
import { conditionOf } from "../../shared/state/conditions.ts";
import { nodeOverlay } from "../support/node-overlays.ts";
import { addNodePool, plannerWorld } from "../support/planner-world.ts";

/** Two NodeOverlays of one weight on the same prices: `a` is rejected. */
function conflictingWorld() {
  const world = plannerWorld();
  addNodePool(world, "default");
  for (const name of ["a", "b"]) world.server.create("NodeOverlay", nodeOverlay(name, { price: "0.05" }));
  return world;
}

function conditions(world: ReturnType<typeof plannerWorld>, name: string) {
  const overlay = world.server.get("NodeOverlay", { name });
  return ["ValidationSucceeded", "Ready"].map((type) => {
    const { status, reason } = (overlay && conditionOf(overlay, type)) ?? {};
    return `${type} ${status} ${reason}`;
  });
}

const ready = ["ValidationSucceeded True ValidationSucceeded", "Ready True Ready"];

describe("a planner pass", () => {
  it("tells on each NodeOverlay whether it takes effect, and what stands against it", async () => {
    const world = conflictingWorld();
    await world.provision();
    expect(conditions(world, "b")).toEqual(ready);
    expect(conditions(world, "a")).toEqual(["ValidationSucceeded False Conflict", "Ready False UnhealthyDependents"]);
    const a = world.server.get("NodeOverlay", { name: "a" });
    expect(a && conditionOf(a, "ValidationSucceeded")?.message).toMatch(
      /^NodeOverlay b of the same weight, 0, also sets the price of .* in NodePool default$/,
    );
  });

  it("names the field of a NodeOverlay that the CRD let in against the rules", async () => {
    const world = plannerWorld();
    world.server.create("NodeOverlay", nodeOverlay("a", { capacity: { cpu: "1" } }));
    await world.provision();
    expect(conditions(world, "a")[0]).toBe("ValidationSucceeded False RuntimeValidation");
  });

  it("writes nothing when all is said", async () => {
    const world = conflictingWorld();
    await world.provision();
    const version = () => world.server.list("NodeOverlay").map(({ metadata }) => metadata.resourceVersion);
    const before = version();
    await world.provision();
    expect(version()).toEqual(before);
  });

  it("takes a verdict back when its cause is gone", async () => {
    const world = conflictingWorld();
    await world.provision();
    world.server.delete("NodeOverlay", { name: "b" });
    await world.provision();
    expect(conditions(world, "a")).toEqual(ready);
  });
});
