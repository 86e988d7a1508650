import { describe, expect, it } from "vitest";
import { ec2NodeClassHash, hashVersion } from "../../shared/api/hashes.ts";
import { formatTime } from "../../shared/api/time.ts";
import { aliasParameters } from "../../shared/cloud/image-selection.ts";
import {
  type AccountWorld,
  accountWorld,
  addClaimOf,
  addNodeClass,
  amazonImage,
  conditionNamed,
} from "../support/account-world.ts";
import { startAt } from "../support/controller-world.ts";

const hashKey = "karpenter.k8s.aws/ec2nodeclass-hash";
const versionKey = "karpenter.k8s.aws/ec2nodeclass-hash-version";

function expectNotReady(world: AccountWorld, type: string, reason: string, message: string): void {
  expect(conditionNamed(world.nodeClass(), type)).toMatchObject({
    status: "False",
    reason,
    message: expect.stringContaining(message),
  });
  expect(conditionNamed(world.nodeClass(), "Ready")).toMatchObject({
    status: "False",
    message: expect.stringContaining(type),
  });
}

describe("an EC2NodeClass in the account", () => {
  it("is ready when all that it selects is there and EC2 would launch a node of it", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const { status, metadata } = world.nodeClass();
    expect(status?.subnets).toEqual([
      { id: "subnet-c", zone: "us-east-1c", zoneID: "use1-az6" },
      { id: "subnet-b", zone: "us-east-1b", zoneID: "use1-az1" },
      { id: "subnet-a", zone: "us-east-1a", zoneID: "use1-az4" },
    ]);
    expect(status?.securityGroups).toEqual([{ id: "sg-1", name: "nodes" }]);
    expect(status?.amis?.map(({ id }) => id)).toEqual(["ami-arm", "ami-x86"]);
    expect(status?.instanceProfile).toMatch(/^cluster_/);
    expect(metadata.finalizers).toContain("karpenter.k8s.aws/termination");
    for (const { type, status: is, observedGeneration } of status?.conditions ?? []) {
      expect([type, is, observedGeneration]).toEqual([type, "True", metadata.generation]);
    }
    expect(status?.conditions?.map(({ type }) => type).sort()).toEqual([
      "AMIsReady",
      "CapacityReservationsReady",
      "InstanceProfileReady",
      "PlacementGroupReady",
      "Ready",
      "SecurityGroupsReady",
      "SubnetsReady",
      "ValidationSucceeded",
    ]);
    expect(world.ec2.instances()).toEqual([]);
  });

  it("is not written again where nothing has changed, nor tried again for half an hour", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const { resourceVersion } = world.nodeClass().metadata;
    await world.advance(60);
    world.calls.length = 0;
    await world.reconcile();
    expect(world.nodeClass().metadata.resourceVersion).toBe(resourceVersion);
    expect(world.calls).not.toContain("dryRun");
    expect(world.calls).not.toContain("parameter");
    expect(world.calls).not.toContain("instanceProfile");
    await world.advance(30 * 60);
    await world.reconcile();
    expect(world.calls).toContain("dryRun");
  });

  it("is tried again when a person changes it, or touches an annotation", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    world.calls.length = 0;
    world.server.patch("EC2NodeClass", { name: "default" }, { metadata: { annotations: { checked: "again" } } });
    await world.reconcile();
    expect(world.calls).toContain("dryRun");
  });

  it("says which selector finds nothing, and still tells all the rest", async () => {
    const world = accountWorld();
    addNodeClass(world, { subnetSelectorTerms: [{ tags: { team: "none" } }] });
    await world.reconcile();
    expectNotReady(world, "SubnetsReady", "SubnetsNotFound", "subnetSelectorTerms");
    expect(conditionNamed(world.nodeClass(), "SecurityGroupsReady")?.status).toBe("True");
    expect(conditionNamed(world.nodeClass(), "ValidationSucceeded")).toMatchObject({
      status: "False",
      reason: "DependenciesNotReady",
    });
    expect(world.calls).not.toContain("dryRun");
  });

  it("keeps what is known when a call fails, looks at the rest, and counts as failed", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const before = world.nodeClass().status;
    world.ec2.faults.failNext("DescribeSubnets", "RequestLimitExceeded");
    await expect(world.reconcile()).rejects.toMatchObject({ code: "RequestLimitExceeded" });
    expect(world.nodeClass().status).toEqual(before);
  });

  it("is not ready when EC2 would refuse a launch, with EC2's words", async () => {
    const world = accountWorld();
    addNodeClass(world);
    for (let zone = 0; zone < 3; zone++) world.ec2.faults.failNext("RunInstances", "UnauthorizedOperation");
    await world.reconcile();
    expectNotReady(world, "ValidationSucceeded", "RunInstancesAuthCheckFailed", "UnauthorizedOperation");
  });

  it("is ready without being tried where trying is switched off", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile({ dryRunNodeClasses: false });
    expect(conditionNamed(world.nodeClass(), "Ready")?.status).toBe("True");
    expect(world.calls).not.toContain("dryRun");
  });

  it("is not ready with more user data than EC2 takes (B3.18)", async () => {
    const world = accountWorld();
    addNodeClass(world, { userData: `#!/bin/bash\n${"# 0123456789\n".repeat(1_500)}` });
    await world.reconcile();
    expectNotReady(world, "ValidationSucceeded", "UserDataSizeLimitExceeded", "16384");
  });
});

describe("the images of a class", () => {
  it("come with what their types must be, so that a pool of another architecture has none (B3.21)", async () => {
    const world = accountWorld({ parameters: new Map() });
    addNodeClass(world, { amiSelectorTerms: [{ id: "ami-arm" }], amiFamily: "AL2023" });
    await world.reconcile();
    expect(world.nodeClass().status?.amis).toEqual([
      {
        id: "ami-arm",
        name: "image-of-ami-arm",
        requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["arm64"] }],
      },
    ]);
  });

  it("are found by the alias of every family, and a launch from them is tried", async () => {
    const versions = { "al2@latest": "1.32", "windows2025@latest": "1.35" };
    const aliases = ["al2023@latest", "bottlerocket@latest", "windows2019@latest", "windows2022@latest"];
    const cases = [...aliases.map((alias) => [alias, "1.34"] as const), ...Object.entries(versions)];
    for (const [alias, kubernetesVersion] of cases) {
      const wanted = aliasParameters(alias, kubernetesVersion);
      const names = wanted.kind === "parameters" ? wanted.parameters.map(({ name }) => name) : [];
      const isX86 = (name: string) => !name.includes("arm64");
      const world = accountWorld({ parameters: new Map(names.filter(isX86).map((name) => [name, "ami-x86"])) });
      addNodeClass(world, { amiSelectorTerms: [{ alias }] });
      await world.reconcile({ kubernetesVersion });
      expect(conditionNamed(world.nodeClass(), "Ready"), alias).toMatchObject({ status: "True" });
      expect(world.calls, alias).toContain("dryRun");
    }
  });

  it("are looked up again when the one in use is deprecated, though its parameter is kept for a day (B3.21)", async () => {
    const parameters = new Map([
      ["/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id", "ami-1"],
    ]);
    const images = [amazonImage("ami-1"), amazonImage("ami-2", { createdAt: startAt })];
    const world = accountWorld({ parameters, images });
    addNodeClass(world);
    await world.reconcile();
    for (const name of parameters.keys()) parameters.set(name, "ami-2");
    await world.advance(600);
    await world.reconcile();
    expect(world.nodeClass().status?.amis?.map(({ id }) => id)).toEqual(["ami-1"]);
    images.splice(0, 1, amazonImage("ami-1", { isDeprecated: true }));
    await world.reconcile();
    expect(world.nodeClass().status?.amis?.map(({ id }) => id)).toEqual(["ami-2"]);
  });

  it("are refused for an alias that the cluster's version has no images of", async () => {
    const world = accountWorld();
    addNodeClass(world, { amiSelectorTerms: [{ alias: "al2@latest" }] });
    await world.reconcile();
    expectNotReady(world, "AMIsReady", "UnsupportedAlias", "al2023@latest");
  });

  it("are missing where no term finds one", async () => {
    const world = accountWorld();
    addNodeClass(world, { amiSelectorTerms: [{ name: "none-*" }], amiFamily: "AL2023" });
    await world.reconcile();
    expectNotReady(world, "AMIsReady", "AMINotFound", "amiSelectorTerms");
  });
});

describe("the instance profile of a class", () => {
  const path = /^\/karpenter\/us-east-1\/cluster\/.+\/$/;

  it("is made once for the role, with the tags that confine who may change it", async () => {
    const world = accountWorld();
    addNodeClass(world, { role: "path/to/node", tags: { team: "shop" } });
    await world.reconcile();
    await world.advance(3_600);
    await world.reconcile();
    const [profile, ...others] = world.account.instanceProfiles.values();
    expect(others).toEqual([]);
    expect(profile).toMatchObject({
      name: world.nodeClass().status?.instanceProfile,
      roles: ["node"],
      path: expect.stringMatching(path),
      tags: {
        team: "shop",
        "kubernetes.io/cluster/cluster": "owned",
        "eks:eks-cluster-name": "cluster",
        "karpenter.k8s.aws/ec2nodeclass": "default",
        "topology.kubernetes.io/region": "us-east-1",
      },
    });
  });

  it("is another one for another role; the old one stays while a NodeClaim has it, and goes after that", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    const old = world.nodeClass().status?.instanceProfile ?? "";
    addClaimOf(world, "running", { "karpenter.k8s.aws/instance-profile-name": old });
    world.server.patch("EC2NodeClass", { name: "default" }, { spec: { role: "other" } });
    await world.advance(7_200);
    await world.reconcile();
    const profiles = world.account.instanceProfiles;
    expect(profiles.get(world.nodeClass().status?.instanceProfile ?? "")?.roles).toEqual(["other"]);
    expect([...profiles.keys()]).toContain(old);
    world.server.delete("NodeClaim", { name: "running" });
    await world.advance(7_200);
    await world.reconcile();
    expect([...profiles.keys()]).toEqual([world.nodeClass().status?.instanceProfile]);
  });

  it("is the one that Karpenter made, as long as its role is the class's", async () => {
    const karpenters = { name: "cluster_123", path: "/karpenter/us-east-1/cluster/x/", roles: ["node"], tags: {} };
    const instanceProfiles = new Map([["cluster_123", { ...karpenters, createdAt: startAt }]]);
    const world = accountWorld({ instanceProfiles });
    addNodeClass(world);
    const status = { instanceProfile: "cluster_123" };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    await world.reconcile();
    expect(world.nodeClass().status?.instanceProfile).toBe("cluster_123");
    expect(world.calls).not.toContain("createInstanceProfile");
  });

  it("is not left half made when there is no such role, and nothing is launched (B3.16)", async () => {
    const world = accountWorld();
    addNodeClass(world, { role: "nobody" });
    await world.reconcile();
    expectNotReady(world, "InstanceProfileReady", "InstanceProfileNotFound", "nobody");
    expect(world.account.instanceProfiles.size).toBe(0);
  });

  it("is taken as it is where the class names one, without a word to IAM", async () => {
    const world = accountWorld();
    const { role: _, ...spec } = addNodeClass(world).spec;
    world.server.delete("EC2NodeClass", { name: "default" });
    world.server.create("EC2NodeClass", {
      apiVersion: "karpenter.k8s.aws/v1",
      kind: "EC2NodeClass",
      metadata: { name: "given" },
      spec: { ...spec, instanceProfile: "mine" },
    });
    await world.reconcile();
    expect(world.nodeClass("given").status?.instanceProfile).toBe("mine");
    expect(world.calls.filter((call) => /Profile|addRole/.test(call))).toEqual([]);
  });
});

describe("taking over from Karpenter", () => {
  const theirs = { [hashKey]: "1234567890", [versionKey]: "v5" };

  it("drifts nothing: a claim of theirs gets our hash and our version", async () => {
    const world = accountWorld();
    addNodeClass(world);
    addClaimOf(world, "adopted", theirs);
    await world.reconcile();
    const hash = ec2NodeClassHash(world.nodeClass());
    expect(world.nodeClass().metadata.annotations).toMatchObject({ [hashKey]: hash, [versionKey]: hashVersion });
    expect(world.claim("adopted")?.metadata.annotations).toMatchObject({ [hashKey]: hash, [versionKey]: hashVersion });
  });

  it("still replaces a claim that has drifted already: its hash stays", async () => {
    const world = accountWorld();
    addNodeClass(world);
    addClaimOf(world, "drifted", theirs);
    const lastTransitionTime = formatTime(startAt);
    const conditions = [{ type: "Drifted", status: "True", reason: "NodeClassDrifted", lastTransitionTime }];
    world.server.patch("NodeClaim", { name: "drifted" }, { status: { conditions } }, { subresource: "status" });
    await world.reconcile();
    expect(world.claim("drifted")?.metadata.annotations).toMatchObject({
      [hashKey]: "1234567890",
      [versionKey]: hashVersion,
    });
  });

  it("leaves the hash of our own claims alone, so that a change of the class is seen", async () => {
    const world = accountWorld();
    addNodeClass(world);
    addClaimOf(world, "ours", { [hashKey]: "before", [versionKey]: hashVersion });
    await world.reconcile();
    expect(world.claim("ours")?.metadata.annotations?.[hashKey]).toBe("before");
  });
});

describe("a class that is being deleted", () => {
  it("waits for its NodeClaims and says so, then takes its instance profiles with it", async () => {
    const world = accountWorld();
    addNodeClass(world);
    await world.reconcile();
    addClaimOf(world, "running", {});
    world.server.delete("EC2NodeClass", { name: "default" });
    await world.reconcile();
    expect(world.nodeClass().metadata.deletionTimestamp).toBeDefined();
    expect(world.server.list("Event").map(({ reason }) => reason)).toContain("WaitingOnNodeClaimTermination");
    world.server.delete("NodeClaim", { name: "running" });
    await world.reconcile();
    expect(world.server.get("EC2NodeClass", { name: "default" })).toBeUndefined();
    expect(world.account.instanceProfiles.size).toBe(0);
  });
});

describe("a class's placement group and reservations", () => {
  const placementGroups = [{ id: "pg-1", name: "close", strategy: "cluster" as const }];

  it("are found, and the group is left where launching reads it", async () => {
    const world = accountWorld({ placementGroups });
    addNodeClass(world, { placementGroupSelector: { name: "close" } });
    await world.reconcile();
    const text = world.nodeClass().metadata.annotations?.["journeyman.sh/placement-group"] ?? "";
    expect(JSON.parse(text)).toEqual(placementGroups[0]);
    expect(conditionNamed(world.nodeClass(), "PlacementGroupReady")?.status).toBe("True");
  });

  it("are told when they are missing", async () => {
    const world = accountWorld();
    addNodeClass(world, { placementGroupSelector: { name: "close" } });
    await world.reconcile();
    expectNotReady(world, "PlacementGroupReady", "PlacementGroupNotFound", "close");
  });

  it("end before EC2 ends them: a capacity block is expiring in its last forty minutes, and gone after its end", async () => {
    const reservation = {
      instanceType: "m5.large",
      zone: "us-east-1a",
      ownerId: "123456789012",
      instanceMatchCriteria: "targeted",
      interruptible: false,
      availableInstanceCount: 2,
      reservationType: "capacity-block" as const,
      state: "active",
      tags: {},
      endsAt: startAt + 3_600_000,
    };
    const world = accountWorld({ capacityReservations: [{ ...reservation, id: "cr-1" }] });
    addNodeClass(world, { capacityReservationSelectorTerms: [{ id: "cr-1" }, { id: "cr-none" }] });
    await world.reconcile();
    const found = () => world.nodeClass().status?.capacityReservations?.map(({ id, state }) => [id, state]);
    expect(found()).toEqual([["cr-1", "active"]]);
    await world.advance(25 * 60);
    await world.reconcile();
    expect(found()).toEqual([["cr-1", "expiring"]]);
    await world.advance(3_600);
    await world.reconcile();
    expect(found()).toEqual([]);
    expect(conditionNamed(world.nodeClass(), "CapacityReservationsReady")?.status).toBe("True");
  });
});
