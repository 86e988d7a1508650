import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { lifecycle } from "../../../shared/controllers/lifecycle.ts";
import { conditionOf } from "../../../shared/state/conditions.ts";
import { conforms } from "../../support/conformance.ts";
import { addClaim, addNode, controllerWorld } from "../../support/controller-world.ts";
import { isGoing, patchNodeStatus, poolOf, see, told } from "../../support/lifecycle.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../../support/planner-world.ts";
import { stepUntil } from "../../support/termination-steps.ts";

/** A sweep of the lifecycle controller, in a world that launches. */
async function sweep(world: PlannerWorld, settings = world.settings): Promise<void> {
  await world.settle(lifecycle(world.ports, settings, [{ kind: "lifecycle-sweep", at: world.now() }]));
}

function living(world: PlannerWorld) {
  return world.claims().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

conforms(
  "B5.08 GPU node registers, nvidia.com/gpu never shows -> never initialised, masks pending pod, blocks consolidation -> initialisation timeout -> replace. [Azure/karpenter-provider-azure#1790, KA#3794, KA#1914]",
  async () => {
    const world = controllerWorld();
    addClaim(world, "one", { resources: { requests: { "nvidia.com/gpu": "1" } } });
    addNode(world, "one");
    patchNodeStatus(world, "one", { allocatable: { cpu: "4", "nvidia.com/gpu": "0" } });
    await see(world);
    expect(told(world, "one", "Initialized")).toMatchObject({ status: "Unknown", reason: "ResourceNotRegistered" });
    await world.advance(world.settings.initializationTimeoutSeconds - 1);
    await see(world);
    expect(isGoing(world, "one")).toBe(false);
    await world.advance(1);
    await see(world);
    expect(isGoing(world, "one")).toBe(true);
    // Its pods are planned again, and its machine ends.
    expect(world.sent.map(({ hint }) => hint)).toMatchObject([
      { kind: "provision", reason: "node-leaving" },
      { kind: "termination", nodeClaim: "one" },
    ]);
    await stepUntil(world, () => world.ec2.terminated.includes("i-one"));
  },
);

conforms(
  "B5.09 Not registered in 15 min -> kill; user bootstrap takes 20 min -> kill/relaunch loop -> configurable TTL; backoff after 2. [KS#357, KA#7212]",
  async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    await world.provision();
    // Twenty minutes are no fault where they are allowed.
    await world.advance(1_200);
    await sweep(world, { ...world.settings, registrationTimeoutSeconds: 1_500 });
    expect(living(world)).toHaveLength(1);

    await sweep(world);
    await world.provision();
    expect([world.claims().length, living(world).length]).toEqual([2, 1]);
    await world.advance(900);
    await sweep(world);
    // The second in a row: the NodePool rests, and says why.
    await world.provision();
    expect(living(world)).toEqual([]);
    const health = conditionOf(poolOf(world), "LaunchHealthy");
    expect(health).toMatchObject({ status: "False", reason: "RegistrationFailed" });
    expect(health?.message).toContain("not registered within 900 s");
    expect(conditionOf(poolOf(world), "Ready")?.status).toBe("False");
    expect(conditionOf(poolOf(world), "NodeRegistrationHealthy")?.status).toBe("False");

    // A try a minute later, and after its failure a rest of two.
    await world.advance(60);
    await world.provision();
    expect(living(world)).toHaveLength(1);
    await world.advance(900);
    await sweep(world);
    await world.advance(119);
    await world.provision();
    expect(living(world)).toEqual([]);
    await world.advance(1);
    await world.provision();
    expect(living(world)).toHaveLength(1);
    // What registers ends the rest.
    const [claim] = living(world);
    const providerID = claim?.status?.providerID ?? "";
    world.server.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: { providerID } });
    await sweep(world);
    await world.provision();
    expect(conditionOf(poolOf(world), "LaunchHealthy")?.status).toBe("True");
    expect(conditionOf(poolOf(world), "Ready")?.status).toBe("True");
  },
);

conforms(
  "B5.10 Timed out at 5 min but instance ran > 8 h -> timeout must terminate too. [CAS#6810]; group without spot stuck > 1 h -> backoff to others. [CAS#1996, CAS#5000, CAS#547]",
  async () => {
    const lost = controllerWorld();
    addClaim(lost, "one", { conditions: [] });
    lost.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    // The launch came through, and nobody wrote it down.
    lost.ec2.add({
      instanceId: "i-one",
      tags: { "karpenter.sh/nodeclaim": "one", "eks:eks-cluster-name": "cluster" },
    });
    await lost.advance(lost.settings.launchTimeoutSeconds);
    await see(lost);
    expect(isGoing(lost, "one")).toBe(true);
    await stepUntil(lost, () => lost.ec2.terminated.includes("i-one"));
    lost.ec2.end("i-one");
    await stepUntil(lost, () => lost.claim("one") === undefined);

    const world = plannerWorld();
    addNodePool(world, "spot", { capacityTypes: ["spot"] });
    addNodePool(world, "on-demand");
    world.server.patch("NodePool", { name: "spot" }, { spec: { weight: 100 } });
    world.aws.setCapacity({ capacityType: "spot" }, 0);
    addPendingPod(world, "web");
    const beganAt = world.now();
    while (world.living().length === 0 && world.now() - beganAt < 300_000) {
      await world.provision();
      await world.advance(world.sent.at(-1)?.delaySeconds ?? 10);
    }
    expect(world.living().map(({ capacityType }) => capacityType)).toEqual(["on-demand"]);
    expect(world.now() - beganAt).toBeLessThan(60_000);
  },
);

conforms(
  "B5.18 Node name / label value > 63 chars -> registration fails late -> validate up front. [AWS Architecture blog, Salesforce lessons, 2026-01]",
  async () => {
    const world = plannerWorld();
    const long = "x".repeat(64);
    addNodePool(world, "labelled", { types: ["m5.large"] });
    const template = { metadata: { labels: { team: long } } };
    world.server.patch("NodePool", { name: "labelled" }, { spec: { template } });
    addNodePool(world, long);
    addPendingPod(world, "web");
    await world.provision();
    for (const name of ["labelled", long]) {
      const validated = conditionOf(poolOf(world, name), "ValidationSucceeded");
      expect([validated?.status, validated?.reason], name).toEqual(["False", "NodePoolValidationFailed"]);
      expect(validated?.message).toContain("63");
    }
    expect(world.claims()).toEqual([]);

    // The longest name that can be had is no trouble for the names that follow from it.
    const longest = "x".repeat(63);
    addNodePool(world, longest);
    await world.provision();
    const [claim] = world.claims();
    expect(claim?.metadata.labels?.[label.nodePool]).toBe(longest);
    expect(claim?.metadata.name.length).toBeLessThanOrEqual(63);
    expect(world.living()).toHaveLength(1);
  },
);
