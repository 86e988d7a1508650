import { describe, expect, it } from "vitest";
import { annotation, label } from "../../shared/api/labels.ts";
import { provision } from "../../shared/controllers/provisioning.ts";
import { ProviderError } from "../../shared/ports.ts";
import { hintHandler } from "../../shared/runtime/lambda.ts";
import { lambdaContext, sqsEvent } from "../support/lambda.ts";
import { nodeClaim } from "../support/node-claims.ts";
import {
  addNodePool,
  addPendingPod,
  hintAt,
  leaderRecord,
  type PlannerWorld,
  plannerWorld,
  throttledError,
} from "../support/planner-world.ts";

const lease = { name: "journeyman-planner", namespace: "journeyman" };
const denied = () => new ProviderError("Denied", "Forbidden", "an admission policy says no");

function holder({ server }: PlannerWorld): string | null | undefined {
  return server.get("Lease", lease)?.spec.holderIdentity;
}

/** As another planner does once ours is taken for dead. */
function takeLease({ server }: PlannerWorld, by: string): void {
  server.patch("Lease", lease, { spec: { holderIdentity: by } });
}

describe("the hints of a pass", () => {
  it("are acknowledged unread when the last finished pass began after them", async () => {
    const world = plannerWorld();
    const before = world.now();
    await world.advance(1);
    await world.provision();
    addNodePool(world, "default");
    addPendingPod(world, "web");

    await expect(world.provision([hintAt(before)])).resolves.toEqual({ kind: "answered-before" });

    expect(world.claims()).toEqual([]);
  });

  it("answers hints although the last pass was by a clock that was a day ahead", async () => {
    const world = plannerWorld();
    await world.provision();
    const annotations = { "journeyman.sh/last-pass-started-at": String(world.now() + 86_400_000) };
    world.server.patch("Lease", { name: "journeyman-planner", namespace: "journeyman" }, { metadata: { annotations } });
    await expect(world.provision()).resolves.toMatchObject({ kind: "finished" });
  });

  it("are read when one of the batch is newer", async () => {
    const world = plannerWorld();
    const before = world.now();
    await world.advance(1);
    await world.provision();

    await expect(world.provision([hintAt(before), hintAt(world.now())])).resolves.toMatchObject({ kind: "finished" });
  });

  it("are read again when the pass before did not finish", async () => {
    const errors = [throttledError()];
    const world = plannerWorld({
      beforeCall: (_verb, kind) => {
        const error = kind === "DaemonSet" ? errors.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    const hint = hintAt(world.now() - 1);

    await expect(world.provision([hint])).rejects.toThrow("slow down");
    expect(holder(world)).toBeUndefined();

    await expect(world.provision([hint])).resolves.toMatchObject({ kind: "finished" });
  });

  it("leave a follow-up when another planner holds the Lease", async () => {
    const world = plannerWorld();
    await world.provision();
    takeLease(world, "another");

    await expect(world.provision()).resolves.toEqual({ kind: "held", holder: "another" });

    expect(world.sent).toEqual([{ hint: hintAt(world.now(), "retry"), delaySeconds: 2 }]);
  });

  it("are acknowledged by the handler when the pass fails, with a follow-up", async () => {
    const world = plannerWorld({
      beforeCall: (verb) => {
        if (verb === "list") throw throttledError();
      },
    });
    const { settings, telemetry, ports } = world;
    const runtime = { settings, telemetry, flush: () => {}, ports: () => ports };
    const handler = hintHandler(() => runtime, provision, { onFailure: "acknowledge" });

    const answer = await world.settle(handler(sqsEvent(JSON.stringify(hintAt(world.now()))), lambdaContext()));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(world.sent).toEqual([{ hint: hintAt(world.now(), "retry"), delaySeconds: 15 }]);
    expect(telemetry.total("journeyman_pass_failures_total")).toBe(1);
  });
});

describe("a pass", () => {
  it("has written claims and launch record when EC2 is asked", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    const seen: unknown[] = [];
    const { ec2 } = world.ports;
    const runInstances: typeof ec2.runInstances = (request) => {
      seen.push(world.claims().length, leaderRecord(world.claims())?.state, leaderRecord(world.claims())?.clientToken);
      seen.push(request.clientToken);
      return ec2.runInstances(request);
    };

    await world.provision(undefined, { ec2: { ...ec2, runInstances } });

    const token = leaderRecord(world.claims())?.clientToken;
    expect(seen).toEqual([1, "sent", token, token]);
    expect(leaderRecord(world.claims())?.state).toBe("done");
  });

  it("launches a claim that a user made", async () => {
    const world = plannerWorld();
    const claim = nodeClaim("by-hand");
    const requirements = [
      { key: label.instanceType, operator: "In" as const, values: ["m5.large"] },
      { key: label.capacityType, operator: "In" as const, values: ["on-demand"] },
    ];
    world.server.create("NodeClaim", { ...claim, spec: { ...claim.spec, requirements } });

    await world.provision();

    expect(world.living()).toMatchObject([{ instanceType: "m5.large", tags: { "karpenter.sh/nodeclaim": "by-hand" } }]);
    expect(world.claim("by-hand")?.status?.providerID).toContain(world.living()[0]?.instanceId);
  });

  it("plans nothing on a class whose subnets and images nobody has resolved", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    world.server.patch("EC2NodeClass", { name: "default" }, { status: null }, { subresource: "status" });

    const result = await world.provision();

    expect(result).toMatchObject({ plan: { nodeClaims: [], unschedulable: [{ pod: { name: "web" } }] } });
    expect(JSON.stringify(result)).toContain("not resolved yet");
  });

  it("launches nothing more once its Lease is another's", async () => {
    const worlds: PlannerWorld[] = [];
    const world = plannerWorld({
      afterCall: (verb, kind) => {
        const [frozen] = worlds;
        if (verb === "patch" && kind === "NodeClaim" && frozen !== undefined) takeLease(frozen, "another");
      },
    });
    worlds.push(world);
    for (const pool of ["a", "b"]) addPendingPod(world, addNodePool(world, pool).metadata.name, { pool });

    await world.provision();

    expect(world.requests).toEqual([]);
    expect(world.claims().filter((claim) => claim.metadata.annotations?.[annotation.launch])).toHaveLength(1);
    expect(world.sent).toMatchObject([{ delaySeconds: 2 }]);
    expect(holder(world)).toBe("another");
  });

  it("ends after 20 seconds and leaves the rest to a hint", async () => {
    const world = plannerWorld();
    world.aws.faults.setLatency("RunInstances", [11_000, 11_000]);
    for (const pool of ["a", "b", "c"]) addPendingPod(world, addNodePool(world, pool).metadata.name, { pool });

    await world.provision();

    expect(world.requests).toHaveLength(2);
    expect(world.sent).toEqual([{ hint: hintAt(world.now(), "retry"), delaySeconds: 0 }]);
    await world.provision();
    expect(world.living()).toHaveLength(3);
  });

  it("tries no further offering after 20 seconds", async () => {
    const world = plannerWorld();
    world.aws.faults.setLatency("RunInstances", [11_000, 11_000]);
    world.aws.faults.failNext("RunInstances", "InsufficientInstanceCapacity", 2);
    addNodePool(world, "default", { zones: ["us-east-1a", "us-east-1b", "us-east-1c"] });
    addPendingPod(world, "web");

    await world.provision();

    expect(world.requests).toHaveLength(2);
    expect(leaderRecord(world.claims())?.state).toBe("failed");
    expect(world.sent).toMatchObject([{ delaySeconds: 0 }]);
  });

  it("launches its first group however long it has read", async () => {
    const worlds: PlannerWorld[] = [];
    const world = plannerWorld({
      beforeCall: (verb, kind) => (verb === "list" && kind === "Namespace" ? worlds[0]?.loop.sleep(25_000) : undefined),
    });
    worlds.push(world);
    for (const pool of ["a", "b"]) addPendingPod(world, addNodePool(world, pool).metadata.name, { pool });

    await world.provision();

    expect(world.requests).toHaveLength(1);
    expect(world.sent).toMatchObject([{ delaySeconds: 0 }]);
  });

  it("does not begin a launch that its invocation may not outlive", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    world.invocation.remainingMilliseconds = 2_000;

    await world.provision();

    expect(world.requests).toEqual([]);
    expect(world.sent).toMatchObject([{ delaySeconds: 0 }]);
    world.invocation.remainingMilliseconds = 60_000;
    await world.provision();
    expect(world.living()).toHaveLength(1);
  });

  it("launches what it can when one claim cannot be written, and counts as failed", async () => {
    const refusals = [denied()];
    const world = plannerWorld({
      beforeCall: (verb, kind) => {
        const error = verb === "create" && kind === "NodeClaim" ? refusals.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    addNodePool(world, "default");
    for (const name of ["a", "b", "c"]) addPendingPod(world, name);

    await expect(world.provision()).rejects.toThrow("an admission policy says no");

    expect(world.living()).toHaveLength(2);
    await world.provision();
    expect(world.living()).toHaveLength(3);
  });

  it("launches the other groups when one of them fails", async () => {
    const refusals = [denied()];
    const world = plannerWorld({
      beforeCall: (verb, kind) => {
        const error = verb === "patch" && kind === "NodeClaim" ? refusals.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    for (const pool of ["a", "b"]) addPendingPod(world, addNodePool(world, pool).metadata.name, { pool });

    await expect(world.provision()).rejects.toThrow("an admission policy says no");

    expect(world.living()).toHaveLength(1);
    await world.provision();
    expect(world.living()).toHaveLength(2);
  });
});
