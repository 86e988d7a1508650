import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../shared/api/kinds.ts";
import { label } from "../../shared/api/labels.ts";
import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { deploymentNamed } from "../support/cluster-objects.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { apply, livingInstances, restlessness, secondsToRest, wholeStack } from "../support/whole-stack.ts";

/** A static pool of spot nodes; what the API server fills in is left out. */
function fixedPool(replicas: number): KubernetesObject {
  const requirements = [
    oneOf(label.capacityType, "spot"),
    oneOf(label.instanceType, "m5.large", "c5.large", "m5a.large"),
  ];
  const { metadata, ...pool } = nodePool("fixed", { replicas, requirements });
  return { ...pool, metadata: { name: metadata.name } };
}

async function expectNodes(world: SimulatedWorld, nodes: number, withinSeconds: number): Promise<void> {
  await secondsToRest(world, { pods: 0, claims: nodes }, withinSeconds);
  expect(restlessness(world, { pods: 0, claims: nodes })).toEqual([]);
  expect(world.bugs).toEqual([]);
}

function run(world: SimulatedWorld, seconds: number): Promise<void> {
  return world.loop.runUntil(world.loop.now() + seconds * 1_000);
}

describe("a static NodePool in the whole stack", () => {
  it("reaches its replicas, makes up for a lost node, and keeps to a smaller number", async () => {
    const world = wholeStack();
    const invariants = startInvariants(world);
    apply(world, [fixedPool(3)]);
    await expectNodes(world, 3, 180);
    const first = livingInstances(world).map(({ instanceId }) => instanceId);

    world.ec2.interruptSpot(first[0] ?? "none");
    await run(world, 240);
    await expectNodes(world, 3, 240);
    const second = livingInstances(world).map(({ instanceId }) => instanceId);
    expect(second.filter((id) => first.includes(id))).toHaveLength(2);

    await run(world, 600);
    expect(livingInstances(world).map(({ instanceId }) => instanceId)).toEqual(second);

    apply(world, [fixedPool(1)]);
    await expectNodes(world, 1, 300);
    await run(world, 300);
    await expectNodes(world, 1, 0);
    expect(world.ec2.instances()).toHaveLength(4);
    invariants.check();
    invariants.atEnd();
    expect(invariants.verdicts().filter(({ holds }) => !holds)).toEqual([]);
  });

  it("takes pods that it has room for, so that no other node is made for them", async () => {
    const world = wholeStack();
    apply(world, [fixedPool(2)]);
    await expectNodes(world, 2, 180);
    apply(world, [deploymentNamed("web", { replicas: 2, cpu: "800m" })]);
    await secondsToRest(world, { pods: 2, claims: 2 }, 120);
    expect(restlessness(world, { pods: 2, claims: 2 })).toEqual([]);
  });
});
