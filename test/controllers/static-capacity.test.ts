import { describe, expect, it } from "vitest";
import { annotation, label } from "../../shared/api/labels.ts";
import { disrupt } from "../../shared/controllers/disruption.ts";
import { ProviderError } from "../../shared/ports.ts";
import { addPod, addRunningNode, controllerWorld } from "../support/controller-world.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../support/planner-world.ts";

describe("a pass for a static NodePool", () => {
  it("launches its replicas, with the template's shape and no list of instance types", async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 3, types: ["m5.large", "m5.xlarge"], labels: { team: "shop" } });

    const result = await world.provision();

    expect(world.living()).toHaveLength(3);
    expect(world.requests).toHaveLength(1);
    expect(result).toMatchObject({ plan: { nodeClaims: [{ pods: [] }, { pods: [] }, { pods: [] }] } });
    const [claim] = world.claims();
    expect(claim?.metadata.labels).toMatchObject({ team: "shop", [label.nodePool]: "fixed" });
    expect(claim?.metadata.annotations?.[annotation.reason]).toMatch(/^NodePool fixed keeps 3 nodes, 0 are there: m5/);
    const types = claim?.spec.requirements.find(({ key }) => key === label.instanceType);
    expect(types?.values).toEqual(["m5.large", "m5.xlarge"]);
    expect(world.telemetry.total("karpenter_nodeclaims_created_total")).toBe(3);
  });

  it("makes no more on the next ones", async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 2 });
    for (let pass = 0; pass < 3; pass++) await world.provision();

    expect(world.claims()).toHaveLength(2);
    expect(world.living()).toHaveLength(2);
  });

  it("goes on where one was cut off: what is written counts, and the rest is made", async () => {
    let writes = 0;
    const world = plannerWorld({
      afterCall: (verb, kind) => {
        if (verb === "create" && kind === "NodeClaim" && ++writes === 2) {
          throw new ProviderError("Unknown", "Timeout", "no answer");
        }
      },
    });
    addNodePool(world, "fixed", { replicas: 3 });

    await expect(world.provision()).rejects.toThrow("no answer");
    await world.provision();

    expect(world.claims()).toHaveLength(3);
    expect(world.living()).toHaveLength(3);
  });

  it("plans no pods on new nodes of it, and launches other pools' nodes as ever", async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 1 });
    addNodePool(world, "default");
    addPendingPod(world, "web");

    await world.provision();

    const pools = world.claims().map(({ metadata }) => metadata.labels?.[label.nodePool]);
    expect(pools.toSorted()).toEqual(["default", "fixed"]);
  });

  it("keeps to the cluster's limits, which count its nodes before those for pods", async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 2 });
    addNodePool(world, "default");
    addPendingPod(world, "web");
    Object.assign(world.settings, { maxNodes: 2 });

    const result = await world.provision();

    expect(world.living()).toHaveLength(2);
    expect(result).toMatchObject({ plan: { unschedulable: [{ pod: { name: "web" } }] } });
  });

  it("says why nodes are missing", async () => {
    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 3, limits: { nodes: "1" } });
    addNodePool(world, "odd", { replicas: 1, types: ["m5.huge"] });

    await world.provision();

    const said = world.telemetry.lines.filter(({ message }) => message === "static NodePool lacks nodes");
    expect(said.map(({ fields }) => fields)).toMatchObject([
      { nodePool: "fixed", nodes: 2, reason: expect.stringContaining("limit of 1 node") },
      { nodePool: "odd", nodes: 1, reason: "no instance type suits its requirements and is available" },
    ]);
  });
});

describe("the disruption tick for a static NodePool", () => {
  it("deletes what is beyond its replicas at once, and sends for its pods' new capacity", async () => {
    const world = controllerWorld();
    addNodePool(world, "default", { replicas: 1 });
    addRunningNode(world, "busy");
    addPod(world, "app", "busy");
    addRunningNode(world, "bare");
    addRunningNode(world, "bare-too");

    await disrupt(world.ports, world.settings);

    const going = ["busy", "bare", "bare-too"].filter((name) => world.claim(name)?.metadata.deletionTimestamp);
    expect(going).toEqual(["bare", "bare-too"]);
    expect(world.sent.map(({ hint }) => hint.kind).toSorted()).toEqual([
      "provision",
      "provision",
      "termination",
      "termination",
    ]);
    expect(world.telemetry.total("karpenter_nodeclaims_disrupted_total")).toBe(2);
  });

  it("takes no empty node of it that belongs to its replicas", async () => {
    const world = controllerWorld();
    addNodePool(world, "default", { replicas: 1 });
    addRunningNode(world, "bare");
    await world.advance(3_600);

    await disrupt(world.ports, world.settings);

    expect(world.claim("bare")?.metadata.deletionTimestamp).toBeUndefined();
  });
});
