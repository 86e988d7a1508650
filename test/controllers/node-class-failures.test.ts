import { describe, expect, it } from "vitest";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { ProviderError } from "../../shared/ports.ts";
import {
  type AccountWorld,
  accountWorld,
  addClaimOf,
  addNodeClass,
  amazonImage,
  conditionNamed,
} from "../support/account-world.ts";

const unknownProfile =
  "Value (cluster_1) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name";

function denied(what: string): () => Promise<never> {
  return () => Promise.reject(new ProviderError("Denied", "AccessDenied", `${what}: AccessDenied`));
}

function changeRole(world: AccountWorld, role: string): void {
  world.server.patch("EC2NodeClass", { name: "default" }, { spec: { role } });
}

function condition(world: AccountWorld, type: string) {
  return conditionNamed(world.nodeClass(), type);
}

function imageIds(world: AccountWorld) {
  return world.nodeClass().status?.amis?.map(({ id }) => id);
}

describe("trying a launch of a class", () => {
  it("is done again in the next pass when EC2 does not know a profile that was made seconds ago (B3.16)", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "InvalidParameterValue", 1, unknownProfile);
    await world.reconcile();
    expect(condition(world, "ValidationSucceeded")).toMatchObject({
      status: "Unknown",
      reason: "InstanceProfileNotFound",
      message: expect.stringContaining("Invalid IAM Instance Profile name"),
    });
    expect(condition(world, "Ready")?.status).toBe("Unknown");
    await world.advance(60);
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("is not refused again from memory for longer than five minutes (B3.16)", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "UnauthorizedOperation", 3);
    await world.reconcile();
    await world.advance(60);
    world.calls.length = 0;
    await world.reconcile();
    expect(world.calls).not.toContain("dryRun");
    expect(condition(world, "Ready")?.status).toBe("False");
    await world.advance(240);
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("finds no fault with a class when EC2 has no room, or the account no quota", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "InsufficientInstanceCapacity");
    world.ec2.faults.failNext("RunInstances", "VcpuLimitExceeded");
    world.ec2.faults.failNext("RunInstances", "Unsupported");
    await world.reconcile();
    expect(condition(world, "ValidationSucceeded")?.status).toBe("True");
    expect(world.calls.filter((call) => call === "dryRun")).toHaveLength(3);
  });

  it("is enough in one subnet", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "UnauthorizedOperation");
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("waits when EC2 does not answer, without a word about the class", async () => {
    const world = accountWorld();
    addNodeClass(world);
    world.ec2.faults.failNext("RunInstances", "RequestLimitExceeded");
    await expect(world.reconcile()).rejects.toMatchObject({ code: "RequestLimitExceeded" });
    expect(condition(world, "Ready")?.status).toBe("Unknown");
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("is not repeated because subnets have changed places by their free addresses", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    world.calls.length = 0;
    const subnets = world.account.subnets.map((subnet, index) => ({ ...subnet, availableIpAddressCount: 300 - index }));
    await world.reconcile({}, { nodeClass: { subnets: async () => subnets } });
    expect(world.nodeClass().status?.subnets?.[0]?.id).toBe("subnet-a");
    expect(world.calls).not.toContain("dryRun");
  });

  it("needs the cluster's endpoint and service range", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile({}, { cluster: { describe: denied("DescribeCluster") } });
    expect(condition(world, "ValidationSucceeded")).toMatchObject({
      status: "Unknown",
      reason: "ClusterCIDRResolutionFailed",
      message: expect.stringContaining("DescribeCluster"),
    });
  });

  it("is not done for kubelet settings that the family cannot be given", async () => {
    const world = accountWorld();
    addNodeClass(world, {
      amiFamily: "Bottlerocket",
      amiSelectorTerms: [{ id: "ami-x86" }],
      kubelet: { podsPerCore: 4 },
    });
    await world.reconcile();
    expect(condition(world, "ValidationSucceeded")).toMatchObject({ reason: "UnsupportedKubeletConfiguration" });
    expect(world.calls).not.toContain("dryRun");
  });
});

describe("images whose parameters cannot all be read", () => {
  const terms = { amiFamily: "AL2023" as const, amiSelectorTerms: [{ ssmParameter: "/golden" }, { id: "ami-arm" }] };

  it("are those of the others, where a parameter may not be read", async () => {
    const world = accountWorld();
    addNodeClass(world, terms);
    await world.reconcile({}, { nodeClass: { parameter: denied("GetParameter /golden") } });
    expect(imageIds(world)).toEqual(["ami-arm"]);
    expect(condition(world, "AMIsReady")?.status).toBe("True");
  });

  it("are told to be unknown, with the reason, where no parameter may be read", async () => {
    const world = accountWorld();
    addNodeClass(world);
    const reconciled = world.reconcile({}, { nodeClass: { parameter: denied("GetParameter /aws/service") } });
    await expect(reconciled).rejects.toMatchObject({ code: "AccessDenied" });
    expect(condition(world, "AMIsReady")).toMatchObject({
      status: "Unknown",
      message: expect.stringContaining("GetParameter"),
    });
    expect(condition(world, "SubnetsReady")?.status).toBe("True");
  });

  it("stay as they are when SSM throttles: none is missing because it could not be read", async () => {
    const world = accountWorld();
    addNodeClass(world, terms);
    await world.reconcile({}, { nodeClass: { parameter: async () => "ami-x86" } });
    const before = imageIds(world);
    const throttled = new ProviderError("Throttled", "ThrottlingException", "GetParameter: ThrottlingException");
    await world.advance(3_600);
    const reconciled = world.reconcile({}, { nodeClass: { parameter: () => Promise.reject(throttled) } });
    await expect(reconciled).rejects.toBe(throttled);
    expect(before).toEqual(["ami-arm", "ami-x86"]);
    expect(imageIds(world)).toEqual(before);
  });

  it("are looked up again when the one in use is gone (B3.21)", async () => {
    const images = [amazonImage("ami-x86"), amazonImage("ami-next"), amazonImage("ami-arm", { architecture: "arm64" })];
    const world = accountWorld({ images });
    addNodeClass(world);
    await world.reconcile();
    images.splice(0, 1);
    await world.advance(600);
    const parameter = async (name: string) => (/x86_64.standard/.test(name) ? "ami-next" : undefined);
    await world.reconcile({}, { nodeClass: { parameter } });
    expect(imageIds(world)).toEqual(["ami-arm", "ami-next"]);
  });

  it("are not looked up again for an alias that names its release, deprecated or not", async () => {
    const name = "amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.34-v20250101";
    const parameters = new Map([[`/aws/service/eks/optimized-ami/1.34/${name}/image_id`, "ami-old"]]);
    const world = accountWorld({ parameters, images: [amazonImage("ami-old", { isDeprecated: true })] });
    addNodeClass(world, { amiSelectorTerms: [{ alias: "al2023@v20250101" }] });
    await world.reconcile();
    await world.advance(3_600);
    world.calls.length = 0;
    await world.reconcile();
    expect(world.nodeClass().status?.amis).toMatchObject([{ id: "ami-old", deprecated: true }]);
    expect(world.calls.filter((call) => call === "parameter").length).toBeLessThan(5);
  });
});

describe("the profiles of a class whose role changes", () => {
  it("are kept while a NodeClaim does not say which it was launched with", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    addClaimOf(world, "of-before", {});
    changeRole(world, "other");
    await world.advance(7_200);
    await world.reconcile();
    expect(world.account.instanceProfiles.size).toBe(2);
    world.server.delete("NodeClaim", { name: "of-before" });
    await world.advance(7_200);
    await world.reconcile();
    expect([...world.account.instanceProfiles.keys()]).toEqual([world.nodeClass().status?.instanceProfile]);
  });

  it("are not swept away when the class goes back to the role before", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const first = world.nodeClass().status?.instanceProfile ?? "";
    changeRole(world, "other");
    await world.advance(60);
    await world.reconcile();
    changeRole(world, "node");
    await world.advance(7_200);
    await world.reconcile();
    expect(world.nodeClass().status?.instanceProfile).toBe(first);
    expect([...world.account.instanceProfiles.keys()]).toEqual([first]);
  });

  it("are made again when EC2 says that one is gone, though it was looked at a minute ago (B3.16)", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    world.account.instanceProfiles.clear();
    world.server.patch("EC2NodeClass", { name: "default" }, { metadata: { annotations: { checked: "again" } } });
    world.ec2.faults.failNext("RunInstances", "InvalidParameterValue", 1, unknownProfile);
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("Unknown");
    await world.reconcile();
    expect([...world.account.instanceProfiles.keys()]).toEqual([world.nodeClass().status?.instanceProfile]);
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("get their role in the next pass where IAM does not show them at once (B3.16)", async () => {
    const world = accountWorld();
    addNodeClass(world);
    const unseen = new ProviderError("NotFound", "NoSuchEntity", "Instance Profile cluster_1 cannot be found.");
    const nodeClass = { addRole: () => Promise.reject(unseen), instanceProfile: async () => undefined };
    await expect(world.reconcile({}, { nodeClass })).rejects.toBe(unseen);
    expect(condition(world, "InstanceProfileReady")?.status).toBe("Unknown");
    const made = [...world.account.instanceProfiles.keys()];
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
    expect([...world.account.instanceProfiles.keys()]).toEqual(made);
    expect(world.nodeClass().status?.instanceProfile).toBe(made[0]);
  });

  it("cannot be made without a way to IAM: the class is told to name one, and keeps one that it has", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile({ isolatedVpc: true });
    expect(condition(world, "InstanceProfileReady")).toMatchObject({
      status: "False",
      reason: "InstanceProfileNotFound",
      message: expect.stringContaining("spec.instanceProfile"),
    });
    const status = { instanceProfile: "karpenters" };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    await world.reconcile({ isolatedVpc: true });
    expect(condition(world, "Ready")?.status).toBe("True");
    world.server.delete("EC2NodeClass", { name: "default" });
    await world.reconcile({ isolatedVpc: true });
    expect(world.server.get("EC2NodeClass", { name: "default" })).toBeUndefined();
    expect(world.calls.filter((call) => /Profile|addRole/.test(call))).toEqual([]);
  });
});

describe("a class in trouble", () => {
  it("holds up no other class", async () => {
    const world = accountWorld();
    addNodeClass(world);
    const { spec } = world.nodeClass();
    for (const name of ["a", "z"]) {
      world.server.create("EC2NodeClass", { ...world.nodeClass(), metadata: { name }, spec });
    }
    world.ec2.faults.failNext("DescribeSubnets", "RequestLimitExceeded");
    await expect(world.reconcile()).rejects.toMatchObject({ code: "RequestLimitExceeded" });
    const statuses = ["a", "default", "z"].map((name) => conditionNamed(world.nodeClass(name), "Ready")?.status);
    expect(statuses.sort()).toEqual(["True", "True", "Unknown"]);
  });

  it("that was changed while it was looked at keeps its status for the next pass to make", async () => {
    const world = accountWorld();
    addNodeClass(world);
    const changeMeanwhile = async () => {
      world.server.patch("EC2NodeClass", { name: "default" }, { spec: { detailedMonitoring: true } });
      return [];
    };
    await world.reconcile(
      {},
      { nodeClass: { capacityReservations: changeMeanwhile, securityGroups: changeMeanwhile } },
    );
    expect(world.nodeClass().status?.conditions ?? []).toEqual([]);
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });

  it("is not ready while its placement group cannot be read", async () => {
    const world = accountWorld();
    addNodeClass(world, { placementGroupSelector: { name: "close" } });
    await world.reconcile({}, { nodeClass: { placementGroup: denied("DescribePlacementGroups") } });
    expect(condition(world, "PlacementGroupReady")).toMatchObject({
      status: "False",
      reason: "PlacementGroupResolutionFailed",
      message: expect.stringContaining("DescribePlacementGroups"),
    });
  });

  it("is looked at by one pass at a time", async () => {
    const world = accountWorld();
    addNodeClass(world);
    const renewTime = new Date(world.now()).toISOString().replace("Z", "000Z");
    world.server.create("Lease", {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "journeyman-node-classes", namespace: "journeyman" },
      spec: { holderIdentity: "another", leaseDurationSeconds: 70, renewTime },
    });
    await world.reconcile();
    expect(world.calls).toEqual([]);
    await world.advance(71);
    await world.reconcile();
    expect(condition(world, "Ready")?.status).toBe("True");
  });
});

describe("what plans see of a class", () => {
  async function readiness(world: AccountWorld) {
    const [nodeClass] = (await readSnapshot(world.ports, world.settings)).nodeClasses;
    return nodeClass && conditionNamed(nodeClass, "Ready");
  }

  it("are the free addresses of its subnets, as of when they were read", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const readAt = world.now();
    await world.advance(30);
    const snapshot = await readSnapshot(world.ports, world.settings);
    expect(snapshot.subnetAddresses).toEqual(
      new Map([
        ["subnet-a", 100],
        ["subnet-b", 200],
        ["subnet-c", 300],
      ]),
    );
    expect(snapshot.subnetAddressesReadAt).toBe(readAt);
  });

  it("are the places left in its reservations", async () => {
    const places = { id: "cr-1", instanceType: "m5.large", zone: "us-east-1a", availableInstanceCount: 2 };
    const kind = { ownerId: "123456789012", instanceMatchCriteria: "open", reservationType: "default" as const };
    const capacityReservations = [{ ...places, ...kind, interruptible: false, state: "active", tags: {} }];
    const world = accountWorld({ capacityReservations });
    addNodeClass(world, { capacityReservationSelectorTerms: [{ id: "cr-1" }] });
    await world.reconcile();
    const { nodeClasses } = await readSnapshot(world.ports, world.settings);
    expect(nodeClasses[0]?.status?.capacityReservations).toMatchObject([{ id: "cr-1", availableInstanceCount: 2 }]);
  });

  it("is that it is ready, until it is changed or deleted", async () => {
    const world = accountWorld();
    addNodeClass(world);
    expect(await readiness(world)).toMatchObject({ status: "False", reason: "NotResolved" });
    await world.reconcile();
    expect(await readiness(world)).toMatchObject({ status: "True" });
    changeRole(world, "other");
    expect(await readiness(world)).toMatchObject({ status: "False", message: expect.stringContaining("generation") });
    await world.reconcile();
    // As another controller may write it: without the generation.
    const { observedGeneration: _, ...ready } = condition(world, "Ready") ?? {};
    const status = { conditions: [ready] };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    expect(await readiness(world)).toMatchObject({ status: "True" });
    world.server.delete("EC2NodeClass", { name: "default" });
    expect(await readiness(world)).toMatchObject({ status: "False", message: expect.stringContaining("deleted") });
  });
});
