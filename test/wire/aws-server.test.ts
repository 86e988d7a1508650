import { DescribeInstanceStatusCommand, EC2Client } from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import type { RunInstancesRequest } from "../../shared/ports.ts";
import type { InstanceStatus } from "../support/aws-server/cloud.ts";
import { launchOf } from "../support/aws-server/launch-form.ts";
import { QueryForm } from "../support/aws-server/query-form.ts";
import { awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { wireCloud } from "../support/simulated-account.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";

/** The simulated EC2 over HTTP, with the real adapter and SDK in front. */
async function wireWorld(impaired: ReadonlyMap<string, InstanceStatus> = new Map()) {
  const { ec2, loop } = simulatedEc2();
  const time = new DrivenTime(loop);
  const cloud = wireCloud(ec2, { now: () => loop.now(), impaired });
  const server = await awsServer(cloud, (work) => time.settle(work));
  const client = new EC2Client(server.clientOptions);
  return {
    ...server,
    ec2,
    client,
    sleep: (seconds: number) => time.sleep(seconds * 1_000),
    port: ec2Port({ client, launchClient: client, clusterName: "test" }),
  };
}

const everything: RunInstancesRequest = {
  ...runRequest({ userData: "#!/bin/bash\necho 'ä & <b>'\n", tags: { "a/b:c": "d e", empty: "" } }),
  maxCount: 7,
  securityGroupIds: ["sg-1", "sg-2"],
  networkInterfaces: [
    {
      networkCardIndex: 0,
      deviceIndex: 0,
      interfaceType: "efa",
      ipv4PrefixCount: 4,
      ipv6: true,
      connectionTracking: { tcpEstablishedTimeout: 600, udpTimeout: 30 },
    },
    { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only" },
  ],
  tenancy: "dedicated",
  placementGroup: { id: "pg-1", partition: 3 },
  nestedVirtualization: "enabled",
  enclave: true,
  detailedMonitoring: true,
  blockDeviceMappings: [
    {
      deviceName: "/dev/xvda",
      volumeSizeGib: 20,
      volumeType: "gp3",
      iops: 3000,
      throughputMibps: 125,
      encrypted: true,
    },
    { deviceName: "/dev/xvdb", snapshotId: "snap-1", initializationRateMibps: 200, deleteOnTermination: false },
  ],
};

describe("RunInstances on the wire", () => {
  it.each<readonly [string, Partial<RunInstancesRequest>]>([
    ["on demand", {}],
    ["of spot", { capacityType: "spot" }],
    [
      "with a public address",
      {
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface", associatePublicIpAddress: false },
        ],
      },
    ],
    [
      "from a capacity block",
      { capacityType: "reserved", capacityReservationId: "cr-1", capacityReservationType: "capacity-block" },
    ],
    [
      "from borrowed capacity",
      { capacityType: "reserved", capacityReservationId: "cr-1", capacityReservationInterruptible: true },
    ],
  ])("carries every field of a request %s", async (_, changes) => {
    await using world = await wireWorld();
    const request = { ...everything, ...changes };
    await world.port.runInstances(request).catch(() => undefined);
    expect(launchOf(new QueryForm(new URLSearchParams(world.requests[0]?.body)))).toEqual(request);
  });

  it("is refused when the request bucket is empty, and taken again when it has refilled", async () => {
    await using world = await wireWorld();
    world.ec2.faults.setLatency("RunInstances", [0, 0]);
    const launch = (clientToken: string) => world.port.runInstances(runRequest({ clientToken }));
    const outcomes = await Promise.allSettled(Array.from({ length: 7 }, (_, index) => launch(`token-${index}`)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    await expect(launch("late")).rejects.toMatchObject({ kind: "Throttled", code: "RequestLimitExceeded" });
    await world.sleep(1);
    expect(await launch("late")).toHaveLength(1);
  });

  it("whose answer is lost ends as an error of the network, after EC2 has acted", async () => {
    await using world = await wireWorld();
    world.ec2.faults.loseAnswers("RunInstances");
    await expect(world.port.runInstances(runRequest())).rejects.toMatchObject({
      kind: "Unknown",
      code: "TimeoutError",
    });
    expect(world.ec2.instances()).toHaveLength(1);
  });
});

describe("a new instance on the wire", () => {
  it("is unknown to other calls for a while", async () => {
    await using world = await wireWorld();
    world.ec2.faults.hideLaunches(30_000);
    const [instance] = await world.port.runInstances(runRequest());
    const instanceIds = [instance?.instanceId ?? ""];
    expect(await world.port.describeInstances({ by: "ids", instanceIds })).toEqual([]);
    await expect(world.port.terminateInstances(instanceIds)).rejects.toMatchObject({ kind: "NotFound" });
    await world.sleep(30);
    expect(await world.port.describeInstances({ by: "ids", instanceIds })).toHaveLength(1);
  });

  it("shows its failed checks and scheduled events once it runs", async () => {
    const impaired = new Map<string, InstanceStatus>();
    await using world = await wireWorld(impaired);
    const [instance] = await world.port.runInstances(runRequest({ maxCount: 2 }));
    impaired.set(instance?.instanceId ?? "", { system: "impaired", eventCode: "instance-retirement" });
    await world.sleep(60);
    const statuses = async (Name: string, value: string) => {
      const command = new DescribeInstanceStatusCommand({ Filters: [{ Name, Values: [value] }] });
      return (await world.client.send(command)).InstanceStatuses?.map(({ InstanceId }) => InstanceId);
    };
    expect(await statuses("system-status.status", "impaired")).toEqual([instance?.instanceId]);
    expect(await statuses("event.code", "instance-retirement")).toEqual([instance?.instanceId]);
    expect(await statuses("instance-status.status", "impaired")).toEqual([]);
  });
});
