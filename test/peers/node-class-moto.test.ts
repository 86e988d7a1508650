import {
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import { CreateRoleCommand, GetInstanceProfileCommand, IAMClient } from "@aws-sdk/client-iam";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { nodeClassPort } from "../../shared/adapters/aws/node-class.ts";
import { accountWorld, addNodeClass, conditionNamed } from "../support/account-world.ts";
import { runRequest } from "../support/simulated-aws.ts";

/** The adapter of EC2, SSM and IAM against moto, and the whole reconciliation of a class on it. moto knows no capacity reservations. */
describe("the adapter of EC2NodeClasses on moto", () => {
  const options = {
    endpoint: inject("motoUrl"),
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
  };
  const client = new EC2Client(options);
  const ssm = new SSMClient(options);
  const iam = new IAMClient(options);
  const port = nodeClassPort({ client, launchClient: client, ssm, iam, now: Date.now });
  const team = { name: "tag:team", values: ["moto-shop"] };
  const path = "/karpenter/us-east-1/moto-shop/1/";
  let subnetIds: readonly string[];
  let groupId: string;
  let imageId: string;

  beforeAll(async () => {
    const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({}));
    const { Images = [] } = await client.send(new DescribeImagesCommand({ Owners: ["amazon"] }));
    const x86 = Images.find(({ Architecture, State }) => Architecture === "x86_64" && State === "available");
    imageId = x86?.ImageId ?? "";
    subnetIds = Subnets.slice(0, 2).map(({ SubnetId = "" }) => SubnetId);
    const VpcId = Subnets[0]?.VpcId;
    const group = await client.send(
      new CreateSecurityGroupCommand({ GroupName: "moto-nodes", Description: "-", VpcId }),
    );
    groupId = group.GroupId ?? "";
    const Resources = [...subnetIds, groupId, imageId];
    await client.send(new CreateTagsCommand({ Resources, Tags: [{ Key: "team", Value: "moto-shop" }] }));
    await iam.send(new CreateRoleCommand({ RoleName: "moto-node", AssumeRolePolicyDocument: "{}" }));
    await ssm.send(new PutParameterCommand({ Name: "/golden/image", Value: imageId, Type: "String" }));
  });

  it("finds subnets, security groups and images by tag, and what it does not find is no error", async () => {
    expect((await port.subnets([team])).map(({ id }) => id).sort()).toEqual([...subnetIds].sort());
    const [subnet] = await port.subnets([{ name: "subnet-id", values: [subnetIds[0] ?? ""] }]);
    expect(subnet).toMatchObject({
      zone: expect.stringMatching(/^us-east-1/),
      zoneId: expect.stringMatching(/^use1-az/),
    });
    expect(subnet?.availableIpAddressCount).toBeGreaterThan(1_000);
    expect(await port.securityGroups([team])).toEqual([{ id: groupId, name: "moto-nodes" }]);
    expect(await port.images({ filters: [team] })).toMatchObject([{ id: imageId, architecture: "x86_64" }]);
    expect(await port.subnets([{ name: "tag:team", values: ["nobody"] }])).toEqual([]);
    expect(await port.securityGroups([{ name: "group-name", values: ["nothing"] }])).toEqual([]);
    expect(await port.images({ filters: [{ name: "image-id", values: ["ami-00000000000000000"] }] })).toEqual([]);
  });

  it("reads a parameter, of AWS's own too, and knows one that is missing", async () => {
    expect(await port.parameter("/golden/image")).toBe(imageId);
    const amazons = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64";
    expect(await port.parameter(amazons)).toMatch(/^ami-/);
    expect(await port.parameter("/golden/none")).toBeUndefined();
  });

  it("makes, fills, lists and deletes an instance profile, each more than once without complaint", async () => {
    const profile = { name: "moto-1", path, tags: { "eks:eks-cluster-name": "moto-shop" } };
    for (let times = 0; times < 2; times++) {
      await port.createInstanceProfile(profile);
      await port.addRole("moto-1", "moto-node");
    }
    const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: "moto-1" }));
    expect(InstanceProfile).toMatchObject({ Path: path, Tags: [{ Key: "eks:eks-cluster-name", Value: "moto-shop" }] });
    expect(await port.instanceProfiles("/karpenter/us-east-1/moto-shop/")).toMatchObject([
      { name: "moto-1", roles: ["moto-node"] },
    ]);
    for (let times = 0; times < 2; times++) await port.deleteInstanceProfile("moto-1");
    expect(await port.instanceProfile("moto-1")).toBeUndefined();
    await expect(port.addRole("moto-1", "moto-node")).rejects.toMatchObject({ kind: "NotFound" });
  });

  it("tries a launch, tells what is wrong with it, and launches nothing", async () => {
    await port.createInstanceProfile({ name: "moto-2", path, tags: {} });
    const tags = { team: "moto-dry-run" };
    const [subnetId = ""] = subnetIds;
    const wanted = { imageId, subnetId, securityGroupIds: [groupId], tags, userData: "#!/bin/sh" };
    const request = runRequest({ ...wanted, instanceProfile: "moto-2" });
    expect(await port.dryRun(request)).toEqual({ kind: "allowed" });
    const refused = await port.dryRun({ ...request, instanceProfile: "moto-none" });
    expect(refused).toMatchObject({ kind: "refused", code: "NoSuchEntity" });
    const filters = [{ Name: "tag:team", Values: ["moto-dry-run"] }];
    expect((await client.send(new DescribeInstancesCommand({ Filters: filters }))).Reservations).toEqual([]);
    await port.deleteInstanceProfile("moto-2");
  });

  it("has a class reconciled until it is ready, and its profile deleted with it", async () => {
    const world = accountWorld();
    const terms = [{ tags: { team: "moto-shop" } }];
    addNodeClass(world, {
      amiFamily: "AL2023",
      amiSelectorTerms: [{ ssmParameter: "/golden/image" }],
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
      role: "moto-node",
    });
    const onMoto = { nodeClass: { ...port, capacityReservations: async () => [] } };
    await world.reconcile({}, onMoto);
    const { status, metadata } = world.nodeClass();
    expect(conditionNamed(world.nodeClass(), "Ready")).toMatchObject({ status: "True", message: "" });
    expect(status?.subnets?.map(({ id }) => id).sort()).toEqual([...subnetIds].sort());
    expect(status?.securityGroups).toEqual([{ id: groupId, name: "moto-nodes" }]);
    expect(status?.amis?.map(({ id }) => id)).toEqual([imageId]);
    expect(await port.instanceProfile(status?.instanceProfile ?? "")).toMatchObject({ roles: ["moto-node"] });

    world.server.delete("EC2NodeClass", { name: "default" });
    await world.reconcile({}, onMoto);
    expect(world.server.get("EC2NodeClass", { name: "default" })).toBeUndefined();
    expect(await port.instanceProfiles(`/karpenter/us-east-1/cluster/${metadata.uid}/`)).toEqual([]);
  });
});
