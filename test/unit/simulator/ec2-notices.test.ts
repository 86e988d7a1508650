import { describe, expect, it } from "vitest";
import { runRequest, simulatedEc2 } from "../../support/simulated-aws.ts";

async function spotInstance() {
  const world = simulatedEc2();
  const [instance] = await world.settle(world.ec2.runInstances(runRequest({ capacityType: "spot" })));
  await world.advance(60_000);
  const events = (detailType: string) =>
    world.events
      .bodies()
      .map((body): Record<string, unknown> => JSON.parse(body))
      .filter((event) => event["detail-type"] === detailType);
  return { ...world, events, instanceId: instance?.instanceId ?? "" };
}

describe("a spot notice", () => {
  it("reads as EC2 writes it, and the instance ends two minutes later", async () => {
    const { ec2, instanceId, events, advance } = await spotInstance();
    ec2.interruptSpot(instanceId);
    ec2.interruptSpot(instanceId);
    await advance(119_000);
    expect(ec2.instances()).toMatchObject([{ state: "running" }]);
    expect(events("EC2 Spot Instance Interruption Warning")).toEqual([
      {
        version: "0",
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        "detail-type": "EC2 Spot Instance Interruption Warning",
        source: "aws.ec2",
        account: "123456789012",
        time: expect.stringMatching(/^2026-11-30T12:0\d:\d\dZ$/),
        region: "us-east-1",
        resources: [`arn:aws:ec2:us-east-1:123456789012:instance/${instanceId}`],
        detail: { "instance-id": instanceId, "instance-action": "terminate" },
      },
    ]);
    await advance(1_000);
    expect(ec2.instances()).toMatchObject([{ state: "shutting-down", stateReason: "Server.SpotInstanceTermination" }]);
  });

  it("makes an instance free in its first hour, and not after", async () => {
    const early = await spotInstance();
    early.ec2.interruptSpot(early.instanceId);
    await early.advance(300_000);
    expect(early.ec2.costUsd()).toBe(0);
    const late = await spotInstance();
    await late.advance(3_600_000);
    late.ec2.interruptSpot(late.instanceId);
    await late.advance(300_000);
    expect(late.ec2.costUsd()).toBeGreaterThan(0.04);
  });

  it("changes nothing more when the instance is terminated before the reclaim", async () => {
    const { ec2, instanceId, settle, advance } = await spotInstance();
    ec2.interruptSpot(instanceId);
    await settle(ec2.terminateInstances([instanceId]));
    await advance(300_000);
    expect(ec2.instances()).toMatchObject([{ state: "terminated", stateReason: "Client.UserInitiatedShutdown" }]);
    expect(ec2.costUsd()).toBeGreaterThan(0);
  });

  it("is only for spot instances", async () => {
    const { ec2, settle } = simulatedEc2();
    const [instance] = await settle(ec2.runInstances(runRequest()));
    expect(() => ec2.interruptSpot(instance?.instanceId ?? "")).toThrow("only spot instances");
  });
});

describe("other notices", () => {
  it("recommend a rebalance", async () => {
    const { ec2, instanceId, events, advance } = await spotInstance();
    ec2.recommendRebalance(instanceId);
    await advance(1_000);
    expect(events("EC2 Instance Rebalance Recommendation")).toMatchObject([{ detail: { "instance-id": instanceId } }]);
  });

  it.each(["arn", "id"] as const)("announce a retirement with the instance's %s", async (form) => {
    const { ec2, loop, instanceId, events, advance } = await spotInstance();
    ec2.scheduleRetirement(instanceId, loop.now() + 14 * 86_400_000, form);
    await advance(1_000);
    const arn = `arn:aws:ec2:us-east-1:123456789012:instance/${instanceId}`;
    expect(events("AWS Health Event")).toMatchObject([
      {
        source: "aws.health",
        detail: {
          service: "EC2",
          eventTypeCategory: "scheduledChange",
          startTime: expect.stringMatching(/^Mon, 14 Dec 2026 12:\d\d:\d\d GMT$/),
          affectedEntities: [{ entityValue: form === "arn" ? arn : instanceId }],
        },
      },
    ]);
  });
});
