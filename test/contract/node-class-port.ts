import { describe, expect, it } from "vitest";
import type { NodeClassPort } from "../../shared/account-ports.ts";
import type { RunInstancesRequest } from "../../shared/ports.ts";
import type { Ec2Api } from "../../shared/simulator/ec2-request-limits.ts";
import { startAt } from "../support/simulated-aws.ts";

/** The account of node-class-account.ts behind a port, as a contract test needs it. */
export interface NodeClassContractWorld {
  readonly port: NodeClassPort;
  /** Waits for an answer, in whatever time the port lives in. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** A valid request. */
  readonly request: RunInstancesRequest;
  /** The next call of this API is refused with the code. */
  failNext(api: Ec2Api, code: string): void;
  /** How many instances there are. */
  instances(): number;
}

type MakeWorld = () => Promise<NodeClassContractWorld> | NodeClassContractWorld;

/** What every NodeClassPort does. */
export function nodeClassPortContract(name: string, makeWorld: MakeWorld): void {
  describe(`${name} as a NodeClassPort`, () => {
    networkContract(makeWorld);
    imageContract(makeWorld);
    placeContract(makeWorld);
    instanceProfileContract(makeWorld);
    dryRunContract(makeWorld);
  });
}

function ids(found: readonly { readonly id: string }[]): readonly string[] {
  return found.map(({ id }) => id).sort();
}

const byTag = { name: "tag:cluster", values: ["shop"] };

function networkContract(makeWorld: MakeWorld): void {
  it("finds subnets that meet every filter", async () => {
    const { port, settle } = await makeWorld();
    const found = async (...filters: Parameters<typeof port.subnets>[0]) => ids(await settle(port.subnets(filters)));
    expect(await found(byTag)).toEqual(["subnet-a", "subnet-b"]);
    expect(await found(byTag, { name: "tag-key", values: ["backup"] })).toEqual(["subnet-b"]);
    expect(await found({ name: "tag:cluster", values: ["shop", "bank"] })).toHaveLength(3);
    expect(await found({ name: "tag:cluster", values: ["s*p"] })).toEqual(["subnet-a", "subnet-b"]);
    expect(await found({ name: "tag:cluster", values: ["none"] })).toEqual([]);
  });

  it("describes a subnet with zone, zone id and free addresses, and leaves out an id that does not exist", async () => {
    const { port, settle } = await makeWorld();
    expect(await settle(port.subnets([{ name: "subnet-id", values: ["subnet-b", "subnet-none"] }]))).toEqual([
      { id: "subnet-b", zone: "us-east-1b", zoneId: "use1-az1", vpcId: "vpc-1", availableIpAddressCount: 12 },
    ]);
  });

  it("finds security groups by id, by name and by tag", async () => {
    const { port, settle } = await makeWorld();
    const found = (name: string, ...values: readonly string[]) => settle(port.securityGroups([{ name, values }]));
    expect(await found("group-id", "sg-3", "sg-none")).toEqual([{ id: "sg-3", name: "default" }]);
    expect(ids(await found("group-name", "nodes*"))).toEqual(["sg-1", "sg-2"]);
    expect(ids(await found("tag:cluster", "shop"))).toEqual(["sg-1", "sg-2"]);
  });

  it("passes on that a call is not allowed", async () => {
    const { port, settle, failNext } = await makeWorld();
    failNext("DescribeSubnets", "UnauthorizedOperation");
    await expect(settle(port.subnets([byTag]))).rejects.toMatchObject({
      name: "ProviderError",
      kind: "Denied",
      code: "UnauthorizedOperation",
    });
  });
}

function imageContract(makeWorld: MakeWorld): void {
  it("finds images of everybody, or of the owners alone", async () => {
    const { port, settle } = await makeWorld();
    const owned = async (...owners: readonly string[]) =>
      ids(await settle(port.images({ filters: [{ name: "name", values: ["own-*", "al2023-?"] }], owners })));
    expect(await owned("self")).toEqual(["ami-0a", "ami-0b"]);
    expect(await owned("self", "amazon")).toEqual(["ami-0a", "ami-0b", "ami-0d", "ami-0e"]);
    expect(await owned("999999999999")).toEqual(["ami-0c"]);
    expect(ids(await settle(port.images({ filters: [byTag] })))).toEqual(["ami-0a", "ami-0b", "ami-0c"]);
  });

  it("describes an image, also one that is deprecated", async () => {
    const { port, settle } = await makeWorld();
    const filters = [{ name: "image-id", values: ["ami-0b", "ami-0e", "ami-none"] }];
    const found = [...(await settle(port.images({ filters })))].sort((x, y) => (x.id < y.id ? -1 : 1));
    const day = 86_400_000;
    expect(found).toEqual([
      { id: "ami-0b", name: "own-2", architecture: "arm64", createdAt: startAt - day, isDeprecated: true },
      { id: "ami-0e", name: "al2023-2", architecture: "x86_64", createdAt: startAt - 2 * day, isDeprecated: false },
    ]);
  });

  it("reads a parameter, and has no value for one that does not exist", async () => {
    const { port, settle } = await makeWorld();
    expect(await settle(port.parameter("/aws/service/eks/optimized-ami/1.34/image_id"))).toBe("ami-0d");
    expect(await settle(port.parameter("/aws/service/none"))).toBeUndefined();
  });
}

function placeContract(makeWorld: MakeWorld): void {
  it("finds active capacity reservations by tag and by id", async () => {
    const { port, settle } = await makeWorld();
    const found = async (query: Parameters<typeof port.capacityReservations>[0]) =>
      ids(await settle(port.capacityReservations(query)));
    expect(await found({ filters: [byTag] })).toEqual(["cr-1", "cr-3"]);
    expect(await found({ filters: [{ name: "instance-match-criteria", values: ["open"] }] })).toEqual(["cr-3"]);
    expect(await found({ filters: [], id: "cr-2" })).toEqual(["cr-2"]);
    expect(await found({ filters: [], id: "cr-4" })).toEqual([]);
    expect(await found({ filters: [], id: "cr-none" })).toEqual([]);
  });

  it("describes a capacity block with its end", async () => {
    const { port, settle } = await makeWorld();
    expect(await settle(port.capacityReservations({ filters: [], id: "cr-2" }))).toEqual([
      {
        id: "cr-2",
        instanceType: "m5.large",
        zone: "us-east-1a",
        ownerId: "123456789012",
        instanceMatchCriteria: "targeted",
        reservationType: "capacity-block",
        interruptible: false,
        availableInstanceCount: 3,
        endsAt: startAt + 3_600_000,
      },
    ]);
  });

  it("finds a placement group by name or id, if there is one", async () => {
    const { port, settle } = await makeWorld();
    expect(await settle(port.placementGroup({ name: "close" }))).toEqual({
      id: "pg-1",
      name: "close",
      strategy: "cluster",
    });
    expect(await settle(port.placementGroup({ id: "pg-2" }))).toMatchObject({ name: "apart", partitionCount: 3 });
    expect(await settle(port.placementGroup({ name: "none" }))).toBeUndefined();
    expect(await settle(port.placementGroup({ id: "pg-none" }))).toBeUndefined();
  });
}

function instanceProfileContract(makeWorld: MakeWorld): void {
  const made = { name: "new", path: "/karpenter/us-east-1/shop/3/", tags: { "eks:eks-cluster-name": "shop" } };

  it("reads an instance profile, if there is one", async () => {
    const { port, settle } = await makeWorld();
    const given = { name: "given", roles: ["node"], createdAt: startAt - 5_000 };
    expect(await settle(port.instanceProfile("given"))).toEqual(given);
    expect(await settle(port.instanceProfile("none"))).toBeUndefined();
  });

  it("lists the instance profiles of a path and below", async () => {
    const { port, settle } = await makeWorld();
    const found = await settle(port.instanceProfiles("/karpenter/us-east-1/shop/"));
    expect(found.map(({ name }) => name).sort()).toEqual(["shop-1", "shop-2"]);
  });

  it("makes an instance profile with a role, again and again without complaint", async () => {
    const { port, settle } = await makeWorld();
    for (let times = 0; times < 2; times++) {
      await settle(port.createInstanceProfile(made));
      await settle(port.addRole("new", "node"));
    }
    expect(await settle(port.instanceProfile("new"))).toMatchObject({ name: "new", roles: ["node"] });
    expect((await settle(port.instanceProfiles(made.path))).map(({ name }) => name)).toEqual(["new"]);
  });

  it("says NotFound of a role or a profile that does not exist", async () => {
    const { port, settle } = await makeWorld();
    const notFound = { name: "ProviderError", kind: "NotFound" };
    await expect(settle(port.addRole("shop-2", "none"))).rejects.toMatchObject(notFound);
    await expect(settle(port.addRole("none", "node"))).rejects.toMatchObject(notFound);
  });

  it("does not take a second role for the first", async () => {
    const { port, settle } = await makeWorld();
    await expect(settle(port.addRole("shop-1", "another"))).rejects.toMatchObject({ name: "ProviderError" });
    expect(await settle(port.instanceProfile("shop-1"))).toMatchObject({ roles: ["node"] });
  });

  it("deletes an instance profile with the role in it, again and again without complaint", async () => {
    const { port, settle } = await makeWorld();
    await settle(port.deleteInstanceProfile("shop-1"));
    await settle(port.deleteInstanceProfile("shop-1"));
    await settle(port.deleteInstanceProfile("shop-2"));
    expect(await settle(port.instanceProfiles("/karpenter/us-east-1/shop/"))).toEqual([]);
  });
}

function dryRunContract(makeWorld: MakeWorld): void {
  it("tries a launch and launches nothing", async () => {
    const { port, settle, request, instances } = await makeWorld();
    expect(await settle(port.dryRun(request))).toEqual({ kind: "allowed" });
    expect(instances()).toBe(0);
  });

  it("tells what is wrong with a launch", async () => {
    const { port, settle, request, failNext } = await makeWorld();
    const refused = (code: string) => ({ kind: "refused", code });
    expect(await settle(port.dryRun({ ...request, subnetId: "subnet-none" }))).toMatchObject(
      refused("InvalidSubnetID.NotFound"),
    );
    failNext("RunInstances", "UnauthorizedOperation");
    expect(await settle(port.dryRun(request))).toMatchObject(refused("UnauthorizedOperation"));
  });

  it("fails when EC2 does not say whether a launch would do", async () => {
    const { port, settle, request, failNext } = await makeWorld();
    failNext("RunInstances", "RequestLimitExceeded");
    await expect(settle(port.dryRun(request))).rejects.toMatchObject({ name: "ProviderError", kind: "Throttled" });
    failNext("RunInstances", "InternalError");
    await expect(settle(port.dryRun(request))).rejects.toMatchObject({ name: "ProviderError", kind: "Unknown" });
  });
}
