import { describe, expect, it } from "vitest";
import { budgetAnnotation, formatBudget, parseBudget } from "../../shared/cloud/request-budget.ts";
import { acquireLease, plannerLease, releaseLease } from "../../shared/controllers/lease.ts";
import { accountWorld, addNodeClass, conditionNamed } from "../support/account-world.ts";

type World = ReturnType<typeof accountWorld>;

const minute = 60;

/** The planner's Lease as a pass leaves it that has so many requests left. */
async function leaveRequests({ ports, settings }: World, requests: number): Promise<void> {
  const lease = { name: plannerLease, namespace: settings.namespace, durationSeconds: 70 };
  await acquireLease(ports, lease);
  const budget = formatBudget({ requests, instances: 900, at: ports.clock.now() });
  await releaseLease(ports, lease, { [budgetAnnotation]: budget });
}

function budgetOf({ server, settings, now }: World) {
  const lease = server.get("Lease", { name: plannerLease, namespace: settings.namespace });
  return parseBudget(lease?.metadata.annotations?.[budgetAnnotation], now());
}

function tries({ calls }: World): number {
  return calls.filter((call) => call === "dryRun").length;
}

function validation(world: World, name = "default") {
  return conditionNamed(world.nodeClass(name), "ValidationSucceeded");
}

describe("launches that are only tried", () => {
  it("come out of the requests that launches have, and leave the instances alone", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await leaveRequests(world, 3);
    world.ec2.faults.failNext("RunInstances", "UnauthorizedOperation");
    await world.reconcile();
    expect(tries(world)).toBe(2);
    expect(budgetOf(world)).toMatchObject({ requests: 1, instances: 900 });
    expect(validation(world)?.status).toBe("True");
  });

  it("never take the last one, and come later", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await leaveRequests(world, 1.9);
    await world.reconcile();
    expect(tries(world)).toBe(0);
    expect(validation(world)).toMatchObject({ status: "Unknown", reason: "AwaitingRequests" });
    await world.advance(minute);
    await world.reconcile();
    expect(validation(world)?.status).toBe("True");
    expect(budgetOf(world).requests).toBe(5 - tries(world));
  });

  it("wait while a pass has its own count, and what was found before stays so", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await leaveRequests(world, 5);
    await world.reconcile();
    await world.advance(31 * minute);
    world.calls.length = 0;
    world.invocation.requestId = "the-planner";
    await acquireLease(world.ports, { name: plannerLease, namespace: world.settings.namespace, durationSeconds: 70 });
    world.invocation.requestId = "the-catalog";
    await world.reconcile();
    expect(tries(world)).toBe(0);
    expect(validation(world)?.status).toBe("True");
    // Whoever held it is certainly dead by then.
    await world.advance(71);
    await world.reconcile();
    expect(tries(world)).toBeGreaterThan(0);
  });

  it("are never more than the bucket holds, however many classes there are", async () => {
    const world = accountWorld();
    const names = ["a", "b", "c", "d", "e", "f"];
    const template = addNodeClass(world);
    for (const name of names) {
      world.server.create("EC2NodeClass", { ...template, metadata: { name, uid: `ec2nodeclass-${name}` } });
    }
    await leaveRequests(world, 5);
    // EC2 does not know the first of their subnets, so that each takes two tries.
    for (let pass = 1; pass <= 4; pass++) {
      world.calls.length = 0;
      await world.reconcile();
      expect(tries(world)).toBeLessThanOrEqual(4);
      expect(budgetOf(world).requests).toBeGreaterThanOrEqual(1);
      await world.advance(minute);
    }
    for (const name of names) expect(validation(world, name)?.status, name).toBe("True");
  });

  it("that a tag policy refuses have Karpenter's reason", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "TagPolicyViolation", 3);
    await world.reconcile();
    expect(validation(world)).toMatchObject({ status: "False", reason: "TagValidationFailed" });
  });
});
