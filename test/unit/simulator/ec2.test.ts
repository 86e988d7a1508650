import { describe, expect, it } from "vitest";
import { runRequest, simulatedEc2, startAt } from "../../support/simulated-aws.ts";

const code = (text: string) => expect.objectContaining({ code: text });

describe("launching", () => {
  it("launches nothing when the minimum does not fit, and what fits otherwise", async () => {
    const { ec2, settle } = simulatedEc2();
    ec2.setCapacity({ zone: "us-east-1a" }, 2);
    const atLeastThree = { ...runRequest({ maxCount: 3 }), minCount: 3 };
    await expect(settle(ec2.runInstances(atLeastThree))).rejects.toEqual(code("InsufficientInstanceCapacity"));
    expect(ec2.instances()).toEqual([]);
    expect(await settle(ec2.runInstances(runRequest({ maxCount: 3 })))).toHaveLength(2);
  });

  it("finds room again once an instance has ended", async () => {
    const { ec2, settle, advance } = simulatedEc2();
    ec2.setCapacity({}, 1);
    const [first] = await settle(ec2.runInstances(runRequest()));
    await advance(10_000);
    await settle(ec2.terminateInstances([first?.instanceId ?? ""]));
    await expect(settle(ec2.runInstances(runRequest({ clientToken: "2" })))).rejects.toEqual(
      code("InsufficientInstanceCapacity"),
    );
    await advance(60_000);
    expect(await settle(ec2.runInstances(runRequest({ clientToken: "2" })))).toHaveLength(1);
  });

  it("keeps a client token to its zone: another subnet of the zone is another parameter", async () => {
    const { ec2, settle } = simulatedEc2();
    await settle(ec2.runInstances(runRequest({ subnetId: "subnet-a" })));
    await settle(ec2.runInstances(runRequest({ subnetId: "subnet-b" })));
    await expect(settle(ec2.runInstances(runRequest({ subnetId: "subnet-a2" })))).rejects.toEqual(
      code("IdempotentParameterMismatch"),
    );
    expect(ec2.instances()).toHaveLength(2);
  });

  it("does not spend a client token on a refused launch", async () => {
    const { ec2, settle } = simulatedEc2();
    ec2.setCapacity({}, 0);
    await expect(settle(ec2.runInstances(runRequest()))).rejects.toThrow("sufficient m5.large capacity");
    ec2.setCapacity({}, 1);
    expect(await settle(ec2.runInstances(runRequest()))).toHaveLength(1);
  });

  it("refuses the token of instances that are all terminated", async () => {
    const { ec2, settle, advance } = simulatedEc2();
    const [instance] = await settle(ec2.runInstances(runRequest()));
    await advance(10_000);
    await settle(ec2.terminateInstances([instance?.instanceId ?? ""]));
    expect(await settle(ec2.runInstances(runRequest()))).toMatchObject([{ state: "shutting-down" }]);
    await advance(60_000);
    await expect(settle(ec2.runInstances(runRequest()))).rejects.toEqual(code("IdempotentInstanceTerminated"));
  });

  it("throttles the sixth call at once", async () => {
    const { ec2, settle } = simulatedEc2();
    ec2.faults.setLatency("RunInstances", [1_000, 1_000]);
    const calls = Array.from({ length: 6 }, (_, n) => ec2.runInstances(runRequest({ clientToken: `token-${n}` })));
    const outcomes = await settle(Promise.allSettled(calls));
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(5).fill("fulfilled"), "rejected"]);
    expect(ec2.apiCalls().get("RunInstances")).toBe(6);
  });

  it.each([
    [
      "a type that the zone lacks on this market",
      { subnetId: "subnet-b", capacityType: "spot" as const },
      "Unsupported",
    ],
    ["an unknown type", { instanceType: "m1.none" }, "InvalidParameterValue"],
    ["an unknown subnet", { subnetId: "subnet-x" }, "InvalidSubnetID.NotFound"],
    ["a token of 65 characters", { clientToken: "x".repeat(65) }, "InvalidParameterValue"],
    ["user data beyond 16 KiB", { userData: "x".repeat(16_385) }, "InvalidParameterValue"],
    ["a reserved instance without reservation", { capacityType: "reserved" as const }, "ReservationCapacityExceeded"],
  ])("refuses %s", async (_title, changes, expected) => {
    const { ec2, settle } = simulatedEc2();
    await expect(settle(ec2.runInstances(runRequest(changes)))).rejects.toEqual(code(expected));
  });

  it("never lacks capacity for a token that has launched", async () => {
    const { ec2, settle } = simulatedEc2();
    const [first] = await settle(ec2.runInstances(runRequest()));
    ec2.faults.failRandomly("RunInstances", 1, "InsufficientInstanceCapacity");
    const [again] = await settle(ec2.runInstances(runRequest()));
    expect(again?.instanceId).toBe(first?.instanceId);
    await expect(settle(ec2.runInstances(runRequest({ clientToken: "token-2" })))).rejects.toMatchObject({
      code: "InsufficientInstanceCapacity",
    });
  });

  it("launches although the caller sees a timeout, and the token finds the instances", async () => {
    const { ec2, settle } = simulatedEc2();
    ec2.faults.loseAnswers("RunInstances");
    await expect(settle(ec2.runInstances(runRequest({ maxCount: 2 })))).rejects.toEqual(code("TimeoutError"));
    expect(await settle(ec2.runInstances(runRequest({ maxCount: 2 })))).toHaveLength(2);
    expect(ec2.instances()).toHaveLength(2);
  });

  it("may hide a new instance from Describe and Terminate for up to two seconds", async () => {
    const { ec2, settle, advance } = simulatedEc2();
    for (const api of ["RunInstances", "DescribeInstances", "TerminateInstances"] as const) {
      ec2.faults.setLatency(api, [0, 0]);
    }
    const launched = await settle(ec2.runInstances(runRequest({ maxCount: 20 })));
    const ids = launched.map(({ instanceId }) => instanceId);
    expect((await settle(ec2.describeInstances({}))).length).toBeLessThan(20);
    await expect(settle(ec2.terminateInstances(ids))).rejects.toEqual(code("InvalidInstanceID.NotFound"));
    await advance(2_000);
    expect(await settle(ec2.describeInstances({ instanceIds: ids }))).toHaveLength(20);
  });
});

describe("the life of an instance", () => {
  const states = (events: { bodies(): readonly string[] }) =>
    events.bodies().flatMap((body) => /"state":"([a-z-]+)"/.exec(body)?.[1] ?? []);

  it("boots 25 to 45 seconds after its launch with its user data, and every change of state is an event", async () => {
    const boots: (string | number)[] = [];
    const world = simulatedEc2({ onBoot: (_instance, userData) => void boots.push(userData, world.loop.now()) });
    const { ec2, events, settle, advance } = world;
    const [instance] = await settle(ec2.runInstances(runRequest({ userData: "hello" })));
    await advance(60_000);
    expect(boots[0]).toBe("hello");
    expect(Number(boots[1]) - (instance?.launchedAt ?? 0)).toBeGreaterThanOrEqual(25_000);
    expect(Number(boots[1]) - (instance?.launchedAt ?? 0)).toBeLessThanOrEqual(45_000);
    await settle(ec2.terminateInstances([instance?.instanceId ?? ""]));
    await advance(60_000);
    expect(states(events)).toEqual(["pending", "running", "shutting-down", "terminated"]);
  });

  it("tells when the machine stops, by the name of its node", async () => {
    const stops: unknown[] = [];
    const { ec2, settle, advance } = simulatedEc2({ onStop: ({ privateDnsName }) => void stops.push(privateDnsName) });
    const [instance] = await settle(ec2.runInstances(runRequest()));
    await advance(60_000);
    await settle(ec2.terminateInstances([instance?.instanceId ?? ""]));
    expect(stops).toEqual(["ip-10-0-0-0.ec2.internal"]);
  });

  it("forgets a terminated instance an hour after its end", async () => {
    const { ec2, settle, advance } = simulatedEc2();
    const [instance] = await settle(ec2.runInstances(runRequest()));
    await advance(10_000);
    await settle(ec2.terminateInstances([instance?.instanceId ?? ""]));
    await advance(60_000);
    expect(await settle(ec2.describeInstances({}))).toMatchObject([{ state: "terminated" }]);
    await advance(3_600_000);
    expect(await settle(ec2.describeInstances({}))).toEqual([]);
  });

  it("never boots, or dies while pending, when told to", async () => {
    const booted: string[] = [];
    const { ec2, settle, advance } = simulatedEc2({ onBoot: ({ instanceId }) => void booted.push(instanceId) });
    ec2.faults.preventBoots(1);
    ec2.faults.failLaunchesLater("Client.InternalError");
    const [silent, dead, healthy] = await settle(ec2.runInstances(runRequest({ maxCount: 3 })));
    await advance(120_000);
    expect(booted).toEqual([healthy?.instanceId]);
    expect(ec2.instances()).toMatchObject([
      { instanceId: silent?.instanceId, state: "running" },
      { instanceId: dead?.instanceId, state: "terminated", stateReason: "Client.InternalError" },
      { instanceId: healthy?.instanceId, state: "running" },
    ]);
  });

  it("repeats itself for a seed, and not for another", async () => {
    const history = async (seed: number) => {
      const { ec2, events, settle, advance } = simulatedEc2({}, seed);
      await settle(ec2.runInstances(runRequest({ maxCount: 3 })));
      await advance(60_000);
      return events.bodies();
    };
    expect(await history(5)).toEqual(await history(5));
    expect(await history(5)).not.toEqual(await history(6));
  });
});

describe("the bill", () => {
  it("counts the seconds an instance runs, a minute at least", async () => {
    const { ec2, settle, loop } = simulatedEc2();
    await settle(ec2.runInstances(runRequest({ maxCount: 2 })));
    await loop.runUntil(startAt + 20_000);
    expect(ec2.costUsd()).toBeCloseTo((2 * 0.1) / 60);
    expect(ec2.priceUsdPerHour()).toBeCloseTo(0.2);
    await loop.runUntil(startAt + 3_600_000);
    expect(ec2.costUsd()).toBeGreaterThan(0.199);
    expect(ec2.costUsd()).toBeLessThan(0.2);
  });

  it("stops when the instance does", async () => {
    const { ec2, settle, advance } = simulatedEc2();
    const [instance] = await settle(ec2.runInstances(runRequest()));
    await advance(600_000);
    await settle(ec2.terminateInstances([instance?.instanceId ?? ""]));
    const cost = ec2.costUsd();
    await advance(600_000);
    expect(ec2.costUsd()).toBe(cost);
    expect(ec2.priceUsdPerHour()).toBe(0);
  });
});
