import { describe, expect, it } from "vitest";
import { readRegistrations } from "../../shared/controllers/registration-store.ts";
import { conditionOf } from "../../shared/state/conditions.ts";
import { nodeNamed } from "../support/cluster-objects.ts";
import { addNode, type ControllerWorld, nodeNameOf } from "../support/controller-world.ts";
import { addOwnedClaim, pooledWorld, poolOf, see, told } from "../support/lifecycle.ts";
import { provisionStatus } from "../support/pool-status.ts";

/** What is known of the NodePools' registrations: claims by UID and whether they failed. */
async function known({ ports, settings }: ControllerWorld): Promise<readonly boolean[]> {
  return (await readRegistrations(ports, settings)).map(({ failure }) => failure === undefined);
}

async function ended(world: ControllerWorld, name: string, stateReason: string): Promise<void> {
  world.ec2.add({ instanceId: `i-${name}`, state: "terminated", stateReason });
  await see(world, { kind: "instance-changed", instanceId: `i-${name}` });
}

describe("what is remembered of registrations", () => {
  it("is nothing where all goes well, once the NodePool says so", async () => {
    const world = pooledWorld();
    addOwnedClaim(world, "one");
    addNode(world, "one");
    await see(world);
    await provisionStatus(world);
    expect(conditionOf(poolOf(world), "NodeRegistrationHealthy")?.status).toBe("True");
    const before = await readRegistrations(world.ports, world.settings);
    addOwnedClaim(world, "two");
    addNode(world, "two");
    await see(world);
    expect(await readRegistrations(world.ports, world.settings)).toEqual(before);
  });

  it("counts an instance that died before it was a node, and not one that spot or a person took", async () => {
    const world = pooledWorld();
    for (const name of ["one", "two", "three"]) addOwnedClaim(world, name);
    await ended(world, "one", "Server.SpotInstanceTermination");
    await ended(world, "two", "Client.UserInitiatedShutdown");
    expect(await known(world)).toEqual([]);
    await ended(world, "three", "Client.InstanceInitiatedShutdown");
    await ended(world, "three", "Client.InstanceInitiatedShutdown");
    expect(await known(world)).toEqual([false]);
  });

  it("counts each claim once, and four of a NodePool", async () => {
    const world = pooledWorld();
    for (let index = 0; index < 6; index++) addOwnedClaim(world, `c${index}`);
    await world.advance(world.settings.registrationTimeoutSeconds);
    await see(world);
    await see(world);
    expect(await known(world)).toEqual([false, false, false, false]);
    // All of one launch: the NodePool rests once, for the shortest time.
    expect(world.telemetry.total("journeyman_launch_breakers_opened_total")).toBe(1);
  });

  it("forgets what was launched before the NodePool was changed", async () => {
    const world = pooledWorld();
    const key = "karpenter.sh/nodepool-hash";
    addOwnedClaim(world, "one", { annotations: { [key]: "older", [`${key}-version`]: "journeyman-v1" } });
    await world.advance(world.settings.registrationTimeoutSeconds);
    await see(world);
    expect(await known(world)).toEqual([]);
  });

  it("names the launch's error where there was no instance", async () => {
    const world = pooledWorld();
    for (const name of ["one", "two"]) {
      addOwnedClaim(world, name, { conditions: [] });
      const launched = {
        type: "Launched",
        status: "Unknown",
        reason: "Unauthorized",
        message: "",
        lastTransitionTime: "2026-11-30T12:00:00Z",
      };
      const status = { providerID: null, conditions: [launched] };
      world.server.patch("NodeClaim", { name }, { status }, { subresource: "status" });
    }
    await world.advance(world.settings.launchTimeoutSeconds);
    await see(world);
    await provisionStatus(world);
    const health = conditionOf(poolOf(world), "NodeRegistrationHealthy");
    expect(health).toMatchObject({ status: "False", reason: "Unauthorized", message: "not launched within 300 s" });
  });
});

describe("several Nodes of one provider id", () => {
  it("are told, and the time to register begins anew", async () => {
    const world = pooledWorld();
    addOwnedClaim(world, "one");
    await world.advance(600);
    const { spec } = addNode(world, "one");
    world.server.create("Node", nodeNamed("twin", { ...(spec && { spec }) }));
    await see(world);
    expect(told(world, "one", "Registered")).toMatchObject({ status: "False", reason: "MultipleNodesFound" });
    expect(told(world, "one", "Ready")).toMatchObject({ status: "False", reason: "UnhealthyDependents" });
    await world.advance(899);
    await see(world);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeUndefined();
    await world.advance(1);
    await see(world);
    expect(world.claim("one")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("leave a registered claim with its own", async () => {
    const world = pooledWorld();
    addOwnedClaim(world, "one");
    const { spec } = addNode(world, "one", { isReady: false });
    await see(world);
    world.server.create("Node", nodeNamed("twin", { ...(spec && { spec }) }));
    await see(world, { kind: "node", name: "twin" });
    expect(world.claim("one")?.status?.nodeName).toBe(nodeNameOf("one"));
    expect(world.node("twin")?.metadata.labels?.["karpenter.sh/registered"]).toBeUndefined();
  });
});
