import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { metric } from "../../shared/metrics.ts";
import { type Ec2Instance, ProviderError } from "../../shared/ports.ts";
import { formatReplacement } from "../../shared/state/replacement.ts";
import {
  addClaim,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";

function collect(world: ControllerWorld): Promise<void> {
  return collectGarbage(world.ports, world.settings);
}

function addLeak(world: ControllerWorld, instanceId: string, tags: Ec2Instance["tags"] = {}): void {
  world.ec2.add({ instanceId, launchedAt: world.now(), tags: { "eks:eks-cluster-name": "cluster", ...tags } });
}

function breakNode(world: ControllerWorld, name: string): void {
  const notReady = [{ type: "Ready", status: "Unknown" }];
  world.server.patch("Node", { name: `node-${name}` }, { status: { conditions: notReady } }, { subresource: "status" });
}

function isDeleting(world: ControllerWorld, name: string): boolean {
  return world.claim(name)?.metadata.deletionTimestamp !== undefined;
}

describe("an instance without claim", () => {
  it("is ended, but not in its first minute", async () => {
    const world = controllerWorld();
    addLeak(world, "i-leak");
    await world.advance(59);
    await collect(world);
    expect(world.ec2.terminated).toEqual([]);
    await world.advance(1);
    await collect(world);
    expect(world.ec2.terminated).toEqual(["i-leak"]);
    expect(world.telemetry.total(metric.orphansCollected)).toBe(1);
  });

  it("is left while a claim waits for it, and ended when the claim has another", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.instances.clear();
    world.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    addLeak(world, "i-two", { "karpenter.sh/nodeclaim": "one" });
    await world.advance(60);
    await collect(world);
    expect(world.ec2.terminated).toEqual([]);
    world.ec2.add({ instanceId: "i-one" });
    const status = { providerID: "aws:///us-east-1a/i-one" };
    world.server.patch("NodeClaim", { name: "one" }, { status }, { subresource: "status" });
    await collect(world);
    expect(world.ec2.terminated).toEqual(["i-two"]);
  });

  it("is left while a member of its launch group has none, whatever other tags it has", async () => {
    const world = controllerWorld();
    const launch = { version: 1, role: "member", group: "g", leader: "leader" };
    addClaim(world, "one", { annotations: { "journeyman.sh/launch": JSON.stringify(launch) } });
    world.ec2.instances.clear();
    world.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    addLeak(world, "i-one", { "journeyman.sh/launch-group": "g" });
    addLeak(world, "i-other", { "journeyman.sh/launch-group": "another" });
    await world.advance(60);
    await collect(world);
    expect(world.ec2.terminated).toEqual(["i-other"]);
  });

  it("is left when its claim appears between the lists and the end", async () => {
    const world = controllerWorld({
      beforeCall: (verb, kind) => {
        if (verb === "get" && kind === "NodeClaim" && world.claim("late") === undefined) addClaim(world, "late");
      },
    });
    addLeak(world, "i-late", { "karpenter.sh/nodeclaim": "late" });
    await world.advance(60);
    await collect(world);
    expect(world.ec2.terminated).toEqual([]);
  });
});

describe("a claim without instance", () => {
  it("is deleted once its node is not Ready", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    await world.advance(60);
    world.ec2.end("i-one");
    await collect(world);
    expect(isDeleting(world, "one")).toBe(false);
    breakNode(world, "one");
    await collect(world);
    expect(isDeleting(world, "one")).toBe(true);
  });

  it("is left when it was launched within the last minute", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.instances.clear();
    await world.advance(59);
    await collect(world);
    expect(isDeleting(world, "one")).toBe(false);
    await world.advance(1);
    await collect(world);
    expect(isDeleting(world, "one")).toBe(true);
  });
});

describe("a node with neither", () => {
  it("is removed with its pods", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    breakNode(world, "one");
    const metadata = { finalizers: [] };
    world.server.patch("NodeClaim", { name: "one" }, { metadata });
    world.server.delete("NodeClaim", { name: "one" });
    world.ec2.end("i-one");
    await world.advance(60);
    await collect(world);
    expect([world.node("node-one"), world.pod("app")]).toEqual([undefined, undefined]);
  });
});

describe("a sweep", () => {
  it("collects nothing when there is too much to collect", async () => {
    const world = controllerWorld();
    for (const name of ["a", "b", "c", "d"]) addLeak(world, `i-${name}`);
    await world.advance(60);
    await collect(world);
    expect(world.ec2.terminated).toEqual([]);
    expect(world.telemetry.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("collects up to a tenth of a large fleet", async () => {
    const world = controllerWorld();
    for (let index = 0; index < 36; index++) addClaim(world, `c${index}`);
    for (const name of ["a", "b", "c", "d"]) addLeak(world, `i-${name}`);
    await world.advance(60);
    await collect(world);
    expect(world.ec2.terminated).toHaveLength(4);
  });

  it("collects nothing when EC2 does not answer, and says so", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    breakNode(world, "one");
    await world.advance(60);
    world.ec2.failure = new ProviderError("Throttled", "RequestLimitExceeded", "slow down");
    await expect(collect(world)).rejects.toThrow("slow down");
    expect(isDeleting(world, "one")).toBe(false);
  });

  it("revives a termination step that is overdue by 30 s", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    world.server.delete("NodeClaim", { name: "one" });
    const step = JSON.stringify({ n: 7, dueAt: world.now() });
    world.server.patch("NodeClaim", { name: "one" }, { metadata: { annotations: { "journeyman.sh/step": step } } });
    await world.advance(30);
    await collect(world);
    expect(world.sent).toEqual([]);
    await world.advance(1);
    await collect(world);
    expect(world.sent).toMatchObject([{ hint: { kind: "termination", nodeClaim: "one", step: 7 } }]);
  });

  it("carries on a departure that a crash cut off after the mark", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    const mark = formatReplacement({
      reason: "spot-interruption",
      noticedAt: world.now(),
      deadlineAt: world.now() + 120_000,
    });
    world.server.patch("Node", { name: "node-one" }, { metadata: { annotations: { "journeyman.sh/replace": mark } } });
    await collect(world);
    expect(isDeleting(world, "one")).toBe(true);
  });

  it("reminds the planner of claims that nobody has launched", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.instances.clear();
    world.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    await world.advance(31);
    await collect(world);
    expect(world.sent).toMatchObject([{ hint: { kind: "provision", reason: "claim-unlaunched" } }]);
  });
});
