import { expect } from "vitest";
import { formatTime } from "../../../shared/api/time.ts";
import { terminate } from "../../../shared/controllers/termination.ts";
import { nodeNamed } from "../../support/cluster-objects.ts";
import { conforms, differs } from "../../support/conformance.ts";
import {
  addClaim,
  addNode,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
  startAt,
} from "../../support/controller-world.ts";
import { addForeignClaim, see } from "../../support/lifecycle.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { throttledError } from "../../support/planner-world.ts";
import { deleteByHand, nextStep, stepUntil } from "../../support/termination-steps.ts";

const terminationTimestamp = "karpenter.sh/nodeclaim-termination-timestamp";

/** Steps until the instance is being ended, ends it, and steps on until the claim is gone. */
async function terminated(world: ControllerWorld, name: string): Promise<void> {
  await stepUntil(world, () => world.ec2.terminated.includes(`i-${name}`));
  world.ec2.end(`i-${name}`);
  await stepUntil(world, () => world.claim(name) === undefined);
}

conforms("ncterm | foreign claim | ignored", async () => {
  const world = controllerWorld();
  addForeignClaim(world, "theirs");
  world.ec2.add({ instanceId: "i-theirs" });
  world.server.delete("NodeClaim", { name: "theirs" });
  const before = world.claim("theirs");
  await see(world);
  await terminate(world.ports, world.settings, [
    { kind: "termination", nodeClaim: "theirs", step: 0, at: world.now() },
  ]);
  expect(world.claim("theirs")).toEqual(before);
  expect(world.ec2.terminated).toEqual([]);
  expect(world.sent).toEqual([]);
});

conforms("ncterm | root condition unaffected; quantities re-serialised | still deletes", async () => {
  const world = controllerWorld();
  addRunningNode(world, "one", { status: { capacity: { cpu: "4000m", memory: "17179869184" } } });
  await see(world);
  deleteByHand(world, "one");
  await nextStep(world);
  const capacity = { cpu: "4", memory: "16Gi" };
  world.server.patch("NodeClaim", { name: "one" }, { status: { capacity } }, { subresource: "status" });
  await terminated(world, "one");
  expect(world.node("node-one")).toBeUndefined();
});

conforms("ncterm | provider error | requeued", async () => {
  const world = controllerWorld();
  addClaim(world, "one");
  deleteByHand(world, "one");
  const hints = world.sent.map(({ hint }) => hint);
  world.ec2.failure = throttledError();
  await expect(terminate(world.ports, world.settings, hints)).rejects.toThrow("slow down");
  expect(world.claim("one")?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
  // The queue brings the same hint again.
  await terminated(world, "one");
});

conforms("ncterm | instance still present | finalizer stays", async () => {
  const world = controllerWorld();
  addRunningNode(world, "one");
  deleteByHand(world, "one");
  await stepUntil(world, () => world.ec2.terminated.length > 0);
  for (let step = 0; step < 5; step++) await nextStep(world);
  expect(world.claim("one")?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
  expect(world.node("node-one")?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
  world.ec2.end("i-one");
  await stepUntil(world, () => world.claim("one") === undefined);
});

conforms("ncterm | several Nodes | all deleted and awaited", async () => {
  const world = controllerWorld();
  addClaim(world, "one");
  const { spec } = addNode(world, "one");
  world.server.create("Node", nodeNamed("twin", { ...(spec && { spec }) }));
  world.server.create("Node", nodeNamed("other", { spec: { providerID: "aws:///us-east-1a/i-other" } }));
  await see(world);
  deleteByHand(world, "one");
  await stepUntil(world, () => world.ec2.terminated.length > 0);
  expect(world.server.list("Node")).toHaveLength(3);
  world.ec2.end("i-one");
  await stepUntil(world, () => world.claim("one") === undefined);
  expect(world.server.list("Node").map(({ metadata }) => metadata.name)).toEqual(["other"]);
});

conforms("ncterm | not launched | no provider Delete; nodes without providerID untouched", async () => {
  const world = controllerWorld();
  world.server.create("NodeClaim", {
    ...nodeClaim("one"),
    metadata: { ...nodeClaim("one").metadata, finalizers: ["karpenter.sh/termination"] },
  });
  world.server.create("Node", nodeNamed("bare"));
  const before = world.node("bare");
  deleteByHand(world, "one");
  await stepUntil(world, () => world.claim("one") === undefined);
  expect(world.ec2.terminated).toEqual([]);
  expect(world.node("bare")).toEqual(before);
});

conforms("ncterm | no TGP / TGP / annotation exists (x3) | none / deadline annotated / unchanged", async () => {
  const world = controllerWorld();
  const given = formatTime(startAt + 60_000);
  const claims = {
    none: {},
    some: { terminationGracePeriod: "30m" },
    set: { terminationGracePeriod: "30m", annotations: { [terminationTimestamp]: given } },
  };
  for (const [name, input] of Object.entries(claims)) {
    addRunningNode(world, name, input);
    deleteByHand(world, name);
  }
  await nextStep(world);
  const deadline = (name: string) => world.claim(name)?.metadata.annotations?.[terminationTimestamp];
  expect(deadline("none")).toBeUndefined();
  expect(deadline("some")).toBe(formatTime(world.now() + 1_800_000));
  expect(deadline("set")).toBe(given);
});

differs(
  "ncterm | not registered | Nodes not deleted",
  "The Node of a machine that has ended is deleted with its claim, registered or not: nobody else would take it away at once (decision record 0011). It stays as long as the instance.",
  async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    addNode(world, "one", { isReady: false });
    deleteByHand(world, "one");
    await stepUntil(world, () => world.ec2.terminated.length > 0);
    for (let step = 0; step < 3; step++) await nextStep(world);
    expect(world.node("node-one")?.metadata.deletionTimestamp).toBeUndefined();
    world.ec2.end("i-one");
    await stepUntil(world, () => world.claim("one") === undefined);
    expect(world.node("node-one")).toBeUndefined();
  },
);
