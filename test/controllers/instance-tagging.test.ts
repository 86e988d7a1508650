import { describe, expect, it } from "vitest";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import { tagInstance } from "../../shared/controllers/instance-tagging.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

/** Two claims of one RunInstances call, once EC2 shows their instances. */
async function launchedWorld(): Promise<PlannerWorld> {
  const world = plannerWorld();
  addNodePool(world, "default");
  for (const name of ["a", "b"]) addPendingPod(world, name);
  await world.provision();
  await world.advance(5);
  return world;
}

async function tagAll(world: PlannerWorld): Promise<void> {
  for (const claim of world.claims())
    await world.settle(tagInstance(world.ports, world.settings, claim, nodeOf(claim)));
}

function nodeOf({ metadata }: NodeClaim): string {
  return `node-of-${metadata.name}`;
}

function tagsByInstance({ aws }: PlannerWorld) {
  return Object.fromEntries(aws.instances().map(({ instanceId, tags }) => [instanceId, tags]));
}

describe("tagging", () => {
  it("names each instance after its own claim and node", async () => {
    const world = await launchedWorld();

    await tagAll(world);

    for (const claim of world.claims()) {
      const instanceId = claim.status?.providerID?.split("/").at(-1) ?? "";
      expect(tagsByInstance(world)[instanceId]).toMatchObject({
        Name: nodeOf(claim),
        "karpenter.sh/nodeclaim": claim.metadata.name,
        "eks:eks-cluster-name": "cluster",
      });
      expect(claim.metadata.annotations?.["karpenter.k8s.aws/tagged"]).toBe("true");
    }
  });

  it("is done once", async () => {
    const world = await launchedWorld();

    await tagAll(world);
    await tagAll(world);

    expect(world.aws.apiCalls().get("CreateTags")).toBe(2);
  });

  it("is tried again after a failure", async () => {
    const world = await launchedWorld();
    world.aws.faults.failNext("CreateTags", "RequestLimitExceeded", 2);

    await tagAll(world);
    await tagAll(world);

    expect(Object.values(tagsByInstance(world)).every(({ Name }) => Name?.startsWith("node-of-"))).toBe(true);
  });
});
