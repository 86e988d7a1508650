import { describe, expect, it } from "vitest";
import type { Ec2Port, RunInstancesRequest } from "../../shared/ports.ts";

/** One EC2 account behind a port, as a contract test needs it. */
export interface Ec2ContractWorld {
  readonly port: Ec2Port;
  /** Waits for an answer, in whatever time the port lives in. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Lets at least so much time pass, so that new instances have become visible (10 s) or terminated (60 s). */
  advance(milliseconds: number): Promise<void>;
  /** A valid request for one on-demand instance of the cluster that the port serves, by its tags. */
  readonly request: RunInstancesRequest;
  /** A subnet in another zone than the request's. */
  readonly otherZoneSubnetId: string;
  /** Room for so many instances, and no more, in the pool of the request. */
  setCapacity(instances: number): void;
  /** A reservation for the type and zone of the request, with room for so many instances. */
  addReservation(id: string, instances: number): void;
  /** A placement group with so many partitions. */
  addPartitionGroup(id: string, partitions: number): void;
  /** The next call of this API is refused with the code. */
  failNext(api: "RunInstances" | "DescribeInstances", code: string): void;
}

/** What every Ec2Port does. */
export function ec2PortContract(name: string, makeWorld: () => Promise<Ec2ContractWorld> | Ec2ContractWorld): void {
  describe(`${name} as an Ec2Port`, () => {
    launchContract(makeWorld);
    reservationContract(makeWorld);
    partitionContract(makeWorld);
    readAndEndContract(makeWorld);
  });
}

function launchContract(makeWorld: () => Promise<Ec2ContractWorld> | Ec2ContractWorld): void {
  it("launches as many as asked for and describes them as requested", async () => {
    const { port, settle, request } = await makeWorld();
    const instances = await settle(port.runInstances({ ...request, maxCount: 3 }));
    expect(new Set(instances.map(({ instanceId }) => instanceId)).size).toBe(3);
    const { instanceType, imageId, subnetId, capacityType, clientToken } = request;
    for (const instance of instances) {
      expect(instance).toMatchObject({ instanceType, imageId, subnetId, capacityType, clientToken, state: "pending" });
      expect(instance.tags).toMatchObject(request.tags);
      expect(instance.instanceId).toMatch(/^i-[0-9a-f]{17}$/);
    }
  });

  it("launches fewer when there is no room for more", async () => {
    const { port, settle, request, setCapacity } = await makeWorld();
    setCapacity(2);
    expect(await settle(port.runInstances({ ...request, maxCount: 5 }))).toHaveLength(2);
  });

  it("says NoCapacity, with EC2's code, when there is room for none", async () => {
    const { port, settle, request, setCapacity } = await makeWorld();
    setCapacity(0);
    await expect(settle(port.runInstances(request))).rejects.toMatchObject({
      name: "ProviderError",
      kind: "NoCapacity",
      code: "InsufficientInstanceCapacity",
    });
  });

  it("answers a repeated client token with the same instances", async () => {
    const { port, settle, request } = await makeWorld();
    const first = await settle(port.runInstances(request));
    const second = await settle(port.runInstances(request));
    expect(second.map(({ instanceId }) => instanceId)).toEqual(first.map(({ instanceId }) => instanceId));
  });

  it("launches again for the same client token in another zone", async () => {
    const { port, settle, request, otherZoneSubnetId } = await makeWorld();
    const [first] = await settle(port.runInstances(request));
    const [second] = await settle(port.runInstances({ ...request, subnetId: otherZoneSubnetId }));
    expect(second?.instanceId).not.toBe(first?.instanceId);
    expect(second?.zone).not.toBe(first?.zone);
  });

  it("says Conflict when a client token comes with other parameters", async () => {
    const { port, settle, request } = await makeWorld();
    await settle(port.runInstances(request));
    await expect(settle(port.runInstances({ ...request, maxCount: 2 }))).rejects.toMatchObject({
      kind: "Conflict",
      code: "IdempotentParameterMismatch",
    });
  });

  it("passes throttling on as Throttled", async () => {
    const { port, settle, request, failNext } = await makeWorld();
    failNext("RunInstances", "RequestLimitExceeded");
    await expect(settle(port.runInstances(request))).rejects.toMatchObject({ kind: "Throttled" });
  });

  it("does not retry a launch by itself", async () => {
    const { port, settle, request, failNext } = await makeWorld();
    failNext("RunInstances", "InternalError");
    await expect(settle(port.runInstances(request))).rejects.toMatchObject({ kind: "Unknown", code: "InternalError" });
  });
}

function partitionContract(makeWorld: () => Promise<Ec2ContractWorld> | Ec2ContractWorld): void {
  const group = { placementGroup: { id: "pg-1" } };

  async function partitionsOf({ port, settle }: Ec2ContractWorld, request: RunInstancesRequest) {
    return (await settle(port.runInstances(request))).map(({ partitionNumber }) => partitionNumber);
  }

  it("spreads instances evenly over the partitions of their placement group, zone by zone, when none is asked for", async () => {
    const world = await makeWorld();
    world.addPartitionGroup("pg-1", 3);
    const request = { ...world.request, ...group, maxCount: 3 };
    expect((await partitionsOf(world, request)).sort()).toEqual([1, 2, 3]);
    const more = { ...request, clientToken: "token-more", maxCount: 2 };
    expect(new Set(await partitionsOf(world, more)).size).toBe(2);
    expect((await partitionsOf(world, { ...request, subnetId: world.otherZoneSubnetId })).sort()).toEqual([1, 2, 3]);
  });

  it("puts instances into the partition that is asked for, and others elsewhere", async () => {
    const world = await makeWorld();
    world.addPartitionGroup("pg-1", 2);
    const asked = { ...world.request, placementGroup: { id: "pg-1", partition: 1 }, maxCount: 2 };
    expect(await partitionsOf(world, asked)).toEqual([1, 1]);
    expect(await partitionsOf(world, { ...world.request, ...group, clientToken: "token-any" })).toEqual([2]);
    const beyond = { ...asked, clientToken: "token-beyond", placementGroup: { id: "pg-1", partition: 3 } };
    await expect(world.settle(world.port.runInstances(beyond))).rejects.toMatchObject({
      code: "InvalidParameterValue",
    });
  });

  it("names no partition without such a group", async () => {
    const world = await makeWorld();
    expect(await partitionsOf(world, world.request)).toEqual([undefined]);
  });
}

function reservationContract(makeWorld: () => Promise<Ec2ContractWorld> | Ec2ContractWorld): void {
  const reserved = { capacityType: "reserved", capacityReservationId: "cr-1" } as const;

  it("launches from the capacity reservation that is named, and says so of the instances", async () => {
    const { port, settle, request, addReservation } = await makeWorld();
    addReservation("cr-1", 1);
    expect(await settle(port.runInstances({ ...request, ...reserved }))).toMatchObject([reserved]);
  });

  it("counts a reservation down, and up again when an instance is gone", async () => {
    const { port, settle, advance, request, addReservation } = await makeWorld();
    addReservation("cr-1", 2);
    const launch = (clientToken: string) => settle(port.runInstances({ ...request, ...reserved, clientToken }));
    const usedUp = { kind: "NoCapacity", code: "ReservationCapacityExceeded" };
    const [first] = await launch("one");
    await launch("two");
    await expect(launch("three")).rejects.toMatchObject(usedUp);
    await advance(10_000);
    await settle(port.terminateInstances([first?.instanceId ?? ""]));
    await advance(60_000);
    expect(await launch("four")).toHaveLength(1);
  });

  it("refuses a reservation that does not exist, and launches nothing elsewhere instead", async () => {
    const { port, settle, request } = await makeWorld();
    await expect(settle(port.runInstances({ ...request, ...reserved }))).rejects.toMatchObject({
      code: "InvalidCapacityReservationId.NotFound",
    });
  });
}

function readAndEndContract(makeWorld: () => Promise<Ec2ContractWorld> | Ec2ContractWorld): void {
  it("finds the cluster's instances, those named and those tagged", async () => {
    const { port, settle, advance, request } = await makeWorld();
    const [own] = await settle(port.runInstances({ ...request, tags: { ...request.tags, group: "one" } }));
    await settle(port.runInstances({ ...request, clientToken: "foreign", tags: { group: "two" } }));
    await advance(10_000);
    const ids = async (work: ReturnType<typeof port.describeInstances>) =>
      (await settle(work)).map(({ instanceId }) => instanceId);
    const id = own?.instanceId ?? "";
    expect(await ids(port.describeInstances({ by: "cluster" }))).toEqual([id]);
    expect(await ids(port.describeInstances({ by: "tag", key: "group", value: "one" }))).toEqual([id]);
    expect(await ids(port.describeInstances({ by: "ids", instanceIds: [id, "i-00000000000000000"] }))).toEqual([id]);
  });

  it("finds nothing when nothing is named", async () => {
    const { port, settle, advance, request } = await makeWorld();
    await settle(port.runInstances(request));
    await advance(10_000);
    expect(await settle(port.describeInstances({ by: "ids", instanceIds: [] }))).toEqual([]);
  });

  it("adds and replaces tags", async () => {
    const { port, settle, advance, request } = await makeWorld();
    const [instance] = await settle(
      port.runInstances({ ...request, tags: { ...request.tags, kept: "1", changed: "1" } }),
    );
    await advance(10_000);
    const instanceIds = [instance?.instanceId ?? ""];
    await settle(port.createTags(instanceIds, { changed: "2", Name: "node" }));
    const [described] = await settle(port.describeInstances({ by: "ids", instanceIds }));
    expect(described?.tags).toMatchObject({ ...request.tags, kept: "1", changed: "2", Name: "node" });
  });

  it("terminates, again and again without complaint, and then no longer counts the instance as the cluster's", async () => {
    const { port, settle, advance, request } = await makeWorld();
    const [instance] = await settle(port.runInstances(request));
    await advance(10_000);
    const instanceIds = [instance?.instanceId ?? ""];
    await settle(port.terminateInstances(instanceIds));
    await settle(port.terminateInstances(instanceIds));
    await advance(60_000);
    const [described] = await settle(port.describeInstances({ by: "ids", instanceIds }));
    expect(described).toMatchObject({ state: "terminated", stateReason: "Client.UserInitiatedShutdown" });
    expect(await settle(port.describeInstances({ by: "cluster" }))).toEqual([]);
  });

  it("terminates none when one id is unknown", async () => {
    const { port, settle, advance, request } = await makeWorld();
    const [instance] = await settle(port.runInstances(request));
    await advance(10_000);
    const instanceIds = [instance?.instanceId ?? "", "i-00000000000000000"];
    await expect(settle(port.terminateInstances(instanceIds))).rejects.toMatchObject({
      kind: "NotFound",
      code: "InvalidInstanceID.NotFound",
    });
    const [described] = await settle(port.describeInstances({ by: "cluster" }));
    expect(described?.state).toMatch(/pending|running/);
  });

  it("fails a read with an error, never with a partial answer", async () => {
    const { port, settle, failNext } = await makeWorld();
    failNext("DescribeInstances", "UnauthorizedOperation");
    await expect(settle(port.describeInstances({ by: "cluster" }))).rejects.toMatchObject({ kind: "Denied" });
  });
}
