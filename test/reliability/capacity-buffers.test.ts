import { describe, expect, it } from "vitest";
import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { bufferNamed, podTemplateNamed } from "../support/buffers.ts";
import { deploymentNamed } from "../support/cluster-objects.ts";
import { apply, livingInstances, restlessness, scaleTo, secondsToRest, wholeStack } from "../support/whole-stack.ts";

/** A buffer of two pods, of which one node holds both, and a workload without pods. */
function bufferedWorld(): SimulatedWorld {
  const world = wholeStack();
  const { metadata, ...buffer } = bufferNamed("spare", { replicas: 2 });
  apply(world, [
    podTemplateNamed("spare", { cpu: "800m" }),
    { ...buffer, metadata: { name: metadata.name, namespace: "default" } },
    deploymentNamed("web", { replicas: 0, cpu: "800m" }),
  ]);
  return world;
}

async function expectRest(world: SimulatedWorld, pods: number, claims: number, withinSeconds: number): Promise<void> {
  await secondsToRest(world, { pods, claims }, withinSeconds);
  expect(restlessness(world, { pods, claims })).toEqual([]);
  expect(world.bugs).toEqual([]);
}

function run(world: SimulatedWorld, seconds: number): Promise<void> {
  return world.loop.runUntil(world.loop.now() + seconds * 1_000);
}

function provisioning({ cluster }: SimulatedWorld): string | undefined {
  const buffer = cluster.server.get("CapacityBuffer", { name: "spare", namespace: "default" });
  return buffer?.status?.conditions?.find(({ type }) => type === "Provisioning")?.reason;
}

describe("a CapacityBuffer in the whole stack", () => {
  it("gets a node, keeps it although it is empty, and is launched once over many sweeps", async () => {
    const world = bufferedWorld();
    const invariants = startInvariants(world);
    await expectRest(world, 0, 1, 180);
    await run(world, 900);
    await expectRest(world, 0, 1, 0);
    expect(world.ec2.instances()).toHaveLength(1);
    expect(provisioning(world)).toBe("FitsExistingCapacity");
    expect(world.telemetry.total("karpenter_scheduler_unschedulable_pods_count")).toBe(0);
    invariants.check();
    invariants.atEnd();
    expect(invariants.verdicts().filter(({ holds }) => !holds)).toEqual([]);
  });

  it("gives its room to a pod at once, and is filled again", async () => {
    const world = bufferedWorld();
    await expectRest(world, 0, 1, 180);
    await run(world, 300);

    const [node] = world.cluster.server.list("Node");
    scaleTo(world, "web", 1);
    await run(world, 20);
    const running = { spec: { nodeName: node?.metadata.name }, status: { phase: "Running" } };
    expect(world.cluster.server.list("Pod")).toMatchObject([running]);

    await expectRest(world, 1, 2, 300);
    await run(world, 600);
    await expectRest(world, 1, 2, 0);
    expect(world.ec2.instances()).toHaveLength(2);
    expect(provisioning(world)).toBe("FitsExistingCapacity");
  });

  it("is filled again as often as it is used up, and its nodes go when it does", async () => {
    const world = bufferedWorld();
    await expectRest(world, 0, 1, 180);
    await run(world, 120);
    for (let round = 1; round <= 11; round++) {
      scaleTo(world, "web", 2 * round);
      await run(world, 300);
    }
    await expectRest(world, 22, 12, 300);
    const names = world.cluster.server.list("NodeClaim").map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(12);

    world.cluster.server.delete("CapacityBuffer", { name: "spare", namespace: "default" });
    await expectRest(world, 22, 11, 300);
    scaleTo(world, "web", 0);
    await run(world, 600);
    expect(livingInstances(world)).toEqual([]);
  });
});
