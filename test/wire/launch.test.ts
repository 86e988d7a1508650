import { EC2Client } from "@aws-sdk/client-ec2";
import { afterAll, describe, expect, it } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { provision } from "../../shared/controllers/provisioning.ts";
import type { Ports } from "../../shared/ports.ts";
import { type AwsServer, awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { addNodePool, addPendingPod, hintAt, plannerWorld } from "../support/planner-world.ts";
import { wireCloud } from "../support/simulated-account.ts";

const open: AwsServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The planner with the production EC2 adapter, over HTTP, in front of the simulated EC2; only Kubernetes is reached without a network. */
async function launchWorld(pods: number, zones: readonly string[] = ["us-east-1a"]) {
  const world = plannerWorld();
  const { aws, loop, settings } = world;
  const time = new DrivenTime(loop);
  const cloud = wireCloud(aws, { catalog: embeddedCatalog(settings.region), now: () => loop.now(), pageLimit: 50 });
  const server = await awsServer(cloud, (work) => time.settle(work));
  open.push(server);
  const client = new EC2Client(server.clientOptions);
  const ports: Ports = {
    ...world.ports,
    ec2: ec2Port({ client, launchClient: client, clusterName: settings.clusterName }),
    clock: { ...world.ports.clock, sleep: (milliseconds) => time.sleep(milliseconds) },
  };
  addNodePool(world, "default", { zones });
  for (let index = 0; index < pods; index++) addPendingPod(world, `pod-${index}`);
  return {
    ...world,
    sleep: (seconds: number) => time.sleep(seconds * 1_000),
    /** One pass, as an invocation of its own. */
    pass: (): Promise<unknown> => {
      world.invocation.requestId = `pass-${server.requests.length}-${loop.now()}`;
      return provision(ports, settings, [hintAt(loop.now())]);
    },
    collect: () => collectGarbage(ports, settings),
    calls: (action: string) => server.actions().filter((one) => one === action).length,
    /** Ids of the claims' instances, sorted. */
    claimed: () =>
      world
        .claims()
        .map(({ status }) => status?.providerID?.split("/").at(-1) ?? "none")
        .sort(),
    /** Ids of all instances there have ever been, sorted. */
    launched: () =>
      aws
        .instances()
        .map(({ instanceId }) => instanceId)
        .sort(),
  };
}

describe("a launch over the wire", () => {
  it("starts 200 nodes alike with few calls", async () => {
    const world = await launchWorld(200);
    await world.pass();
    expect(world.launched()).toHaveLength(200);
    expect(world.claimed()).toEqual(world.launched());
    expect(world.calls("RunInstances")).toBeLessThanOrEqual(5);
  });

  it("starts nothing twice when the connection is cut after EC2 has acted", async () => {
    const world = await launchWorld(3);
    world.aws.faults.loseAnswers("RunInstances");
    await world.pass();
    await world.sleep(30);
    await world.pass();
    expect(world.launched()).toHaveLength(3);
    expect(world.claimed()).toEqual(world.launched());
  });

  it("starts nothing twice when the answer is lost and EC2 does not show the instances yet", async () => {
    const world = await launchWorld(3);
    world.aws.faults.hideLaunches(60_000);
    world.aws.faults.loseAnswers("RunInstances");
    await world.pass();
    await world.sleep(10);
    await world.pass();
    expect(world.launched()).toHaveLength(3);
    expect(world.claimed()).toEqual(world.launched());
    expect(world.calls("RunInstances")).toBe(2);
  });

  it("does not take an instance for dead that EC2 does not show yet", async () => {
    const world = await launchWorld(2);
    world.aws.faults.hideLaunches(60_000);
    await world.pass();
    const launched = world.launched();
    for (const seconds of [2, 20, 30]) {
      await world.sleep(seconds);
      await world.collect();
      await world.pass();
    }
    expect(world.launched()).toEqual(launched);
    expect(world.claimed()).toEqual(launched);
    expect(world.claims().filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
    expect(world.living()).toHaveLength(2);
  });

  it("gets the rest elsewhere in the same pass when EC2 has some of what is asked for", async () => {
    const world = await launchWorld(4, ["us-east-1a", "us-east-1b"]);
    world.aws.setCapacity({ zone: "us-east-1a" }, 3);
    await world.pass();
    expect(world.launched()).toHaveLength(4);
    expect(world.claimed()).toEqual(world.launched());
    expect(world.calls("RunInstances")).toBe(2);
  });
});
