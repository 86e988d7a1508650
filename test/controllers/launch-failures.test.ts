import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import { addClaim, type ControllerWorld, controllerWorld } from "../support/controller-world.ts";
import { nodeClaim } from "../support/node-claims.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

type World = Pick<ControllerWorld, "server">;

function facts({ server }: World, name: string): Readonly<Record<string, string>> {
  return server.get("ConfigMap", { name: `journeyman-${name}`, namespace: "journeyman" })?.data ?? {};
}

function eventsOf({ server }: World, kind: string): readonly string[] {
  const events = server.list("Event").filter(({ involvedObject }) => involvedObject.kind === kind);
  return events.map(({ reason }) => reason);
}

function health({ server }: World, pool: string) {
  const conditions = server.get("NodePool", { name: pool })?.status?.conditions ?? [];
  const find = (wanted: string) => conditions.find(({ type }) => type === wanted);
  return { launches: find("LaunchHealthy"), ready: find("Ready") };
}

describe("a NodePool whose launches fail", () => {
  it("rests ever longer, is not Ready meanwhile, and is served again after a success", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "one");
    world.aws.faults.failNext("RunInstances", "UnauthorizedOperation", 3);
    const tried: number[] = [];
    for (let minute = 0; minute < 10; minute++) {
      const before = world.requests.length;
      await world.provision();
      if (world.requests.length > before) tried.push(minute);
      if (minute === 0) {
        expect(health(world, "default").ready).toMatchObject({ status: "False" });
        expect(health(world, "default").launches).toMatchObject({ status: "False", reason: "Unauthorized" });
        expect(JSON.parse(facts(world, "launch-breakers").default ?? "{}")).toMatchObject({ failures: 1 });
      }
      await world.advance(62);
    }
    expect(tried).toEqual([0, 1, 3, 7]);
    expect(facts(world, "launch-breakers")).toEqual({});
    expect(health(world, "default")).toMatchObject({ launches: { status: "True" }, ready: { status: "True" } });
    expect(eventsOf(world, "NodePool")).toEqual(["Unauthorized", "Unauthorized", "Unauthorized"]);
  });

  it("has its pods planned on another one meanwhile", async () => {
    const world = plannerWorld();
    addNodePool(world, "broken");
    addNodePool(world, "sound", { types: ["m6i.large"] });
    addPendingPod(world, "one", { pool: "broken" });
    world.aws.faults.failNext("RunInstances", "UnauthorizedOperation");
    await world.provision();
    addPendingPod(world, "two");
    await world.advance(1);

    await world.provision();

    expect(world.living().map(({ instanceType }) => instanceType)).toEqual(["m6i.large"]);
  });
});

describe("the spread placement group's limit", () => {
  it("closes the zone for the group alone", async () => {
    const world = plannerWorld();
    const group = JSON.stringify({ id: "pg-1", name: "far", strategy: "spread" });
    const metadata = { annotations: { "journeyman.sh/placement-group": group } };
    const spec = { placementGroupSelector: { name: "far" } };
    world.server.patch("EC2NodeClass", { name: "default" }, { metadata, spec });
    addNodePool(world, "default", { zones: ["us-east-1a", "us-east-1b"] });
    addPendingPod(world, "one");
    const message = "You cannot launch more than 7 instances in a spread placement group in an Availability Zone";
    world.aws.faults.failNext("RunInstances", "InsufficientInstanceCapacity", 1, message);

    await world.provision();

    expect(Object.keys(facts(world, "unavailable-offerings"))).toEqual(["pg-1_us-east-1a_any"]);
    expect(world.living()).toMatchObject([{ zone: "us-east-1b" }]);
    addPendingPod(world, "two");
    await world.advance(1);
    await world.provision();
    expect(world.requests.map(({ subnetId }) => subnetId)).toEqual([
      "subnet-us-east-1a",
      "subnet-us-east-1b",
      "subnet-us-east-1b",
    ]);
  });
});

describe("an instance that ends before it is a node", () => {
  async function dies(world: ControllerWorld, stateReason: string): Promise<void> {
    addClaim(world, "one");
    world.ec2.add({ instanceId: "i-one", state: "terminated", stateReason });
    const hint = { kind: "instance-changed", instanceId: "i-one", at: world.now() } as const;
    await lifecycle(world.ports, world.settings, [hint]);
  }

  it("for want of room marks its offering", async () => {
    const world = controllerWorld();
    await dies(world, "Server.InsufficientInstanceCapacity");
    expect(Object.keys(facts(world, "unavailable-offerings"))).toEqual(["m5.large_us-east-1a_spot"]);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
    expect(eventsOf(world, "NodeClaim")).toEqual(["InsufficientCapacity"]);
  });

  it.each([
    ["Client.InternalError", "Unauthorized"],
    ["Client.VolumeLimitExceeded", "LaunchFailed"],
  ])("of %s stops its NodePool", async (code, reason) => {
    const world = controllerWorld();
    addNodePool(world, "default");
    await dies(world, code);
    expect(JSON.parse(facts(world, "launch-breakers").default ?? "{}")).toMatchObject({ code, reason, failures: 1 });
    expect(eventsOf(world, "NodePool")).toEqual([reason]);
  });

  it("because somebody asked for it says nothing", async () => {
    const world = controllerWorld();
    await dies(world, "Client.UserInitiatedShutdown");
    expect([facts(world, "unavailable-offerings"), facts(world, "launch-breakers")]).toEqual([{}, {}]);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("says so too when only the collection finds it gone", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.add({ instanceId: "i-one", state: "terminated", stateReason: "Server.InsufficientInstanceCapacity" });
    await world.advance(120);
    await collectGarbage(world.ports, world.settings);
    expect(Object.keys(facts(world, "unavailable-offerings"))).toEqual(["m5.large_us-east-1a_spot"]);
  });

  it("keeps its NodePool stopped, however many launches EC2 accepts, until one is a node", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    const breaker = {
      ...{ failures: 2, openedAt: "2026-11-30T11:00:00Z", until: "2026-11-30T11:02:00Z" },
      ...{ code: "Client.InternalError", reason: "Unauthorized", message: "key" },
    };
    const metadata = { name: "journeyman-launch-breakers", namespace: "journeyman" };
    const data = { default: JSON.stringify(breaker) };
    world.server.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    addPendingPod(world, "one");
    await world.provision();
    expect(world.living()).toHaveLength(1);
    expect(Object.keys(facts(world, "launch-breakers"))).toEqual(["default"]);
    const [claim] = world.claims();
    const registered = { type: "Registered", status: "True", reason: "", message: "" };
    const conditions = [{ ...registered, lastTransitionTime: "2026-11-30T12:01:00Z" }];
    const name = claim?.metadata.name ?? "";
    world.server.patch("NodeClaim", { name }, { status: { conditions } }, { subresource: "status" });
    await world.advance(60);
    await world.provision();
    expect(facts(world, "launch-breakers")).toEqual({});
  });
});

describe("the cluster's limits", () => {
  function addUnplanned(world: PlannerWorld, names: readonly string[]): void {
    for (const name of names) {
      const { spec, ...claim } = nodeClaim(name);
      const requirements = [{ key: label.instanceType, operator: "In" as const, values: ["m5.large"] }];
      world.server.create("NodeClaim", { ...claim, spec: { ...spec, requirements } });
    }
  }

  it("hold for claims that nobody planned, which say so", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    Object.assign(world.settings, { maxNodes: 2 });
    addUnplanned(world, ["by-hand-1", "by-hand-2", "by-hand-3"]);
    await world.provision();
    expect(world.living()).toHaveLength(2);
    const held = world.claims().filter(({ status }) => status?.providerID === undefined);
    expect(held).toHaveLength(1);
    const condition = held[0]?.status?.conditions?.find(({ type }) => type === "Launched");
    expect(condition).toMatchObject({ status: "Unknown", reason: "ClusterLimitReached" });
    expect(condition?.message).toContain("maxNodes is 2");
    expect(world.telemetry.total("journeyman_limit_reached_total")).toBe(1);
  });

  it("are counted when they keep a pod without its node", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    Object.assign(world.settings, { maxLaunchesPerTenMinutes: 1 });
    for (const name of ["one", "two"]) addPendingPod(world, name);
    await world.provision();
    expect(world.living()).toHaveLength(1);
    expect(world.telemetry.total("journeyman_limit_reached_total")).toBe(1);
  });
});
