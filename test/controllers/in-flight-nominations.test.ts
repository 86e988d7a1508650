import { describe, expect, it } from "vitest";
import { nominateToInFlight } from "../../shared/controllers/in-flight-nominations.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { formatNominations, nominationsOf } from "../../shared/state/nominations.ts";
import { podRecord } from "../../shared/state/pod-decoding.ts";
import { podNamed } from "../support/cluster-objects.ts";
import {
  addClaim,
  addNode,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../support/planner-world.ts";

/** A pod that a claim is made for, and one that came later. */
function worldWithPods() {
  const world = controllerWorld();
  const [first, later] = ["first", "later"].map((name) => world.server.create("Pod", podNamed(name, { cpu: "100m" })));
  if (first === undefined || later === undefined) throw new Error("no pods");
  const nominations = [{ uid: first.metadata.uid ?? "", owner: "", class: podRecord(first).classKey }];
  return { world, first, later, annotations: { "journeyman.sh/nominated-pods": formatNominations(nominations) } };
}

async function placeLater(world: ControllerWorld, on: string): Promise<void> {
  const snapshot = await readSnapshot(world.ports, world.settings);
  const pods = snapshot.pods.filter(({ name }) => name === "later");
  await nominateToInFlight(world.ports, { existing: [{ name: on, pods }] }, snapshot);
}

function nominated(world: ControllerWorld, name: string): readonly string[] {
  const claim = world.server.list("NodeClaim").find(({ metadata }) => metadata.name === name);
  return claim === undefined ? [] : nominationsOf(claim).map(({ uid }) => uid);
}

describe("pods planned on a node that is still to come", () => {
  it("get a place on its claim, beside those that it was made for", async () => {
    const { world, first, later, annotations } = worldWithPods();
    const claim = addClaim(world, "one", { annotations });
    await placeLater(world, claim.metadata.name);
    expect(nominated(world, claim.metadata.name).toSorted()).toEqual(
      [first.metadata.uid, later.metadata.uid].toSorted(),
    );
  });

  it("get it as well when the node has registered", async () => {
    const { world, first, later, annotations } = worldWithPods();
    const claim = addClaim(world, "one", { annotations });
    addNode(world, "one");
    await placeLater(world, "node-one");
    expect(nominated(world, claim.metadata.name).toSorted()).toEqual(
      [first.metadata.uid, later.metadata.uid].toSorted(),
    );
  });

  it("get none on a node that takes pods already", async () => {
    const { world, first, annotations } = worldWithPods();
    addRunningNode(world, "one", { annotations });
    const [claim] = world.server.list("NodeClaim");
    await placeLater(world, "node-one");
    expect(nominated(world, claim?.metadata.name ?? "")).toEqual([first.metadata.uid]);
  });

  it("get it in the pass that plans them", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "first");
    await world.provision();
    addPendingPod(world, "later", { cpu: "10m", memory: "1Mi" });
    await world.provision();
    const claims = world.claims();
    expect(claims.flatMap((claim) => nominationsOf(claim)).length).toBe(2);
    expect(claims.length).toBe(1);
  });
});
