import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { interrupt } from "../../shared/controllers/interruption.ts";
import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import {
  addClaim,
  addNode,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";

function facts({ server }: ControllerWorld, name: string): Readonly<Record<string, string>> {
  return server.get("ConfigMap", { name: `journeyman-${name}`, namespace: "journeyman" })?.data ?? {};
}

/** A node of m5.large registers that reports so much memory. */
async function register(world: ControllerWorld, name: string, memory: string): Promise<void> {
  addClaim(world, name, { status: { imageID: "ami-1" } });
  addNode(world, name);
  world.server.patch("Node", { name: `node-${name}` }, { status: { capacity: { memory } } }, { subresource: "status" });
  await lifecycle(world.ports, world.settings, [{ kind: "node", name: `node-${name}`, at: world.now() }]);
}

describe("the memory of a type and image", () => {
  it("is learned when a node registers, and is the least that one has reported", async () => {
    const world = controllerWorld();
    for (const [name, memory] of [
      ["one", "7900Mi"],
      ["two", "7800Mi"],
      ["three", "7850Mi"],
    ] as const) {
      await register(world, name, memory);
    }
    const { "m5.large_ami-1": fact = "{}", ...others } = facts(world, "learned-memory");
    expect(JSON.parse(fact)).toMatchObject({ capacityBytes: 7_800 * 2 ** 20 });
    expect(others).toEqual({});
    const { learnedMemory } = await readSnapshot(world.ports, world.settings);
    expect(learnedMemory).toMatchObject([{ instanceType: "m5.large", imageId: "ami-1" }]);
  });

  it("is looked at once for each node", async () => {
    const reads: string[] = [];
    const world = controllerWorld({
      beforeCall: (verb, kind) => {
        if (kind === "ConfigMap") reads.push(verb);
      },
    });
    await register(world, "one", "7900Mi");
    const first = reads.length;
    await lifecycle(world.ports, world.settings, [{ kind: "lifecycle-sweep", at: world.now() }]);
    expect([first > 0, reads.length]).toEqual([true, first]);
  });

  it("is left unknown where the node reports none", async () => {
    const world = controllerWorld();
    await register(world, "one", "0");
    expect(facts(world, "learned-memory")).toEqual({});
  });
});

describe("the history of spot reclaims", () => {
  function notice(world: ControllerWorld, instanceId: string) {
    return {
      version: "0",
      id: `notice-${instanceId}`,
      source: "aws.ec2",
      account: "123456789012",
      region: "us-east-1",
      time: new Date(world.now()).toISOString(),
      resources: [],
      "detail-type": "EC2 Spot Instance Interruption Warning",
      detail: { "instance-id": instanceId, "instance-action": "terminate" },
    };
  }

  it("counts each instance of a batch once, however often its notice comes", async () => {
    const world = controllerWorld();
    for (const name of ["one", "two"]) addRunningNode(world, name);
    addRunningNode(world, "far", { labels: { [label.zone]: "us-east-1b" } });
    const all = ["one", "two", "far"].map((name) => notice(world, `i-${name}`));
    await interrupt(world.ports, world.settings, [...all, ...all]);
    await interrupt(world.ports, world.settings, all);
    const stored = facts(world, "reclaims");
    expect(Object.keys(stored).sort()).toEqual(["m5.large_us-east-1a", "m5.large_us-east-1b"]);
    expect(JSON.parse(stored["m5.large_us-east-1a"] ?? "{}")).toMatchObject({ reclaims: 2 });
    const { reclaimsPerHour } = await readSnapshot(world.ports, world.settings);
    expect([...(reclaimsPerHour?.keys() ?? [])].sort()).toEqual([
      "m5.large/us-east-1a/spot",
      "m5.large/us-east-1b/spot",
    ]);
  });
});
