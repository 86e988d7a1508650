import { describe, expect, it } from "vitest";
import { acquireLease, holdsLease, releaseLease, renewLease, withLease } from "../../shared/controllers/lease.ts";
import { type ControllerWorld, controllerWorld } from "../support/controller-world.ts";

const lease = { name: "journeyman-planner", namespace: "journeyman", durationSeconds: 70 };

function as(world: ControllerWorld, requestId: string): ControllerWorld["ports"] {
  world.invocation.requestId = requestId;
  return world.ports;
}

describe("a Lease", () => {
  it("is held by one invocation until it is released", async () => {
    const world = controllerWorld();
    expect(await acquireLease(as(world, "a"), lease)).toMatchObject({ kind: "acquired" });
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "held", holder: "a" });
    await releaseLease(as(world, "a"), lease);
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "acquired" });
  });

  it("falls to another when its duration is over, and its old holder is told", async () => {
    const world = controllerWorld();
    await acquireLease(as(world, "a"), lease);
    await world.advance(69.9);
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "held" });
    expect(await holdsLease(as(world, "a"), lease)).toBe(true);
    await world.advance(0.1);
    expect(await holdsLease(as(world, "a"), lease)).toBe(false);
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "acquired" });
    expect(await renewLease(as(world, "a"), lease)).toBe(false);
    expect(await holdsLease(as(world, "b"), lease)).toBe(true);
  });

  it("of a clock that was a day ahead falls to the next", async () => {
    const world = controllerWorld();
    await acquireLease(as(world, "a"), lease);
    const renewTime = "2026-12-01T12:00:00.000000Z";
    const { name, namespace } = lease;
    world.server.patch("Lease", { name, namespace }, { spec: { renewTime } });
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "acquired" });
    expect(await holdsLease(as(world, "a"), lease)).toBe(false);
    expect(await holdsLease(as(world, "b"), lease)).toBe(true);
  });

  it("lasts longer when it is renewed", async () => {
    const world = controllerWorld();
    await acquireLease(as(world, "a"), lease);
    await world.advance(60);
    expect(await renewLease(as(world, "a"), lease)).toBe(true);
    await world.advance(60);
    expect(await holdsLease(as(world, "a"), lease)).toBe(true);
  });

  it("carries annotations from one holder to the next, and only its holder can release it", async () => {
    const world = controllerWorld();
    await acquireLease(as(world, "a"), lease);
    await releaseLease(as(world, "b"), lease, { "journeyman.sh/last-pass-started-at": "1" });
    expect(await holdsLease(as(world, "a"), lease)).toBe(true);
    await releaseLease(as(world, "a"), lease, { "journeyman.sh/last-pass-started-at": "2" });
    const next = await acquireLease(as(world, "b"), lease);
    expect(next).toMatchObject({ lease: { metadata: { annotations: { "journeyman.sh/last-pass-started-at": "2" } } } });
  });

  it("goes to one of two that race for it", async () => {
    const world = controllerWorld();
    const attempts = await Promise.all([acquireLease(as(world, "a"), lease), acquireLease(as(world, "b"), lease)]);
    expect(attempts.map(({ kind }) => kind).sort()).toEqual(["acquired", "held"]);
  });

  it("writes its times with the six decimals that the API server insists on", async () => {
    const world = controllerWorld();
    await acquireLease(world.ports, lease);
    expect(world.server.get("Lease", lease)?.spec.renewTime).toBe("2026-11-30T12:00:00.000000Z");
  });

  it("is released when the work under it throws", async () => {
    const world = controllerWorld();
    const work = withLease(as(world, "a"), lease, () => Promise.reject(new Error("no luck")));
    await expect(work).rejects.toThrow("no luck");
    expect(await acquireLease(as(world, "b"), lease)).toMatchObject({ kind: "acquired" });
  });
});
