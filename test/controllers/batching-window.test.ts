import { describe, expect, it } from "vitest";
import { waitForQuiet } from "../../shared/controllers/batching-window.ts";
import type { Hint } from "../../shared/hints.ts";
import { addPendingPod, hintAt, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

/** How long the window stays open, in milliseconds. */
async function windowOf(world: PlannerWorld, hints: readonly Hint[] = []): Promise<number> {
  const before = world.now();
  await world.settle(waitForQuiet(world.ports, world.settings, hints));
  return world.now() - before;
}

/** A pod each so many milliseconds, from now on. */
function addPodsEvery(world: PlannerWorld, milliseconds: number, count: number): void {
  for (let index = 1; index <= count; index++) {
    world.loop.schedule(index * milliseconds, "a pod arrives", () => void addPendingPod(world, `late-${index}`));
  }
}

describe("the batching window", () => {
  it("does not open when nothing is pending or the newest pod is old enough", async () => {
    const world = plannerWorld();
    expect(await windowOf(world)).toBe(0);
    addPendingPod(world, "web");
    await world.advance(0.5);
    expect(await windowOf(world)).toBe(0);
  });

  it("stays open until the newest pod is half a second old", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    await world.advance(0.2);

    expect(await windowOf(world)).toBe(300);
  });

  it("knows from its hints what whole seconds of creation do not tell", async () => {
    const world = plannerWorld();
    await world.advance(0.9);
    addPendingPod(world, "web");
    const hint = hintAt(world.now(), "pods-pending");
    await world.advance(0.1);

    expect(await windowOf(world, [hint])).toBe(400);
  });

  it("takes no retry or sweep for the arrival of a pod", async () => {
    const world = plannerWorld();

    expect(await windowOf(world, [hintAt(world.now(), "retry"), hintAt(world.now(), "sweep")])).toBe(0);
  });

  it("stays open while pods go on arriving, five seconds at most", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    addPodsEvery(world, 400, 3);
    expect(await windowOf(world)).toBeGreaterThanOrEqual(1_700);

    const busy = plannerWorld();
    addPendingPod(busy, "web");
    addPodsEvery(busy, 400, 50);
    expect(await windowOf(busy)).toBe(5_000);
  });

  it("is as long as the settings say", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    const settings = { ...world.settings, batchIdleMilliseconds: 10_000, batchMaxMilliseconds: 2_000 };
    const before = world.now();

    await world.settle(waitForQuiet(world.ports, settings, []));

    expect(world.now() - before).toBe(2_000);
  });

  it("is not prolonged by a clock that runs ahead of ours", async () => {
    const world = plannerWorld();

    expect(await windowOf(world, [hintAt(world.now() + 60_000, "pods-pending")])).toBeLessThanOrEqual(5_000);
  });
});
