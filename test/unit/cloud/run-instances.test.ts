import { describe, expect, it } from "vitest";
import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import { formatPlacementGroup } from "../../../shared/cloud/placement-group.ts";
import { launchTarget, runInstancesRequest } from "../../../shared/cloud/run-instances.ts";
import type { RunInstancesRequest } from "../../../shared/ports.ts";
import { instanceType, launchContext } from "../../support/launches.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodeClass } from "../../support/node-classes.ts";

type Context = Parameters<typeof runInstancesRequest>[0];
type Attempt = Parameters<typeof runInstancesRequest>[1];
type Status = NonNullable<EC2NodeClass["status"]>;

const status: Status = {
  instanceProfile: "shop_profile",
  subnets: [
    { id: "subnet-b", zone: "z1" },
    { id: "subnet-a", zone: "z1" },
  ],
  securityGroups: [{ id: "sg-2" }, { id: "sg-1" }],
  amis: [
    { id: "ami-arm", requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["arm64"] }] },
    { id: "ami-amd", requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] },
  ],
};

const bottlerocket = { amiSelectorTerms: [{ alias: "bottlerocket@1.46.0" }] };
const firstInterface = { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" as const };
const twoPublicInterfaces = {
  associatePublicIPAddress: true,
  networkInterfaces: [firstInterface, { ...firstInterface, deviceIndex: 1 }],
};
const unsupportedKubelet = "UnsupportedKubeletConfiguration";

describe("runInstancesRequest", () => {
  it("asks for what the record says, with the class's settings", () => {
    const request = requestOf({ nodeClass: nodeClass({ detailedMonitoring: true }, status) });
    expect(request).toMatchObject({
      clientToken: "token",
      minCount: 1,
      maxCount: 2,
      instanceType: "m5.large",
      imageId: "ami-amd",
      subnetId: "subnet-b",
      capacityType: "spot",
      securityGroupIds: ["sg-1", "sg-2"],
      instanceProfile: "shop_profile",
      detailedMonitoring: true,
      metadataOptions: {
        httpEndpoint: "enabled",
        httpProtocolIpv6: "disabled",
        httpPutResponseHopLimit: 1,
        httpTokens: "required",
      },
    });
    for (const field of ["networkInterfaces", "tenancy", "placementGroup", "nestedVirtualization", "enclave"]) {
      expect(request).not.toHaveProperty(field);
    }
    expect(request.userData).toContain("maxPods: 29");
    expect(request.userData).toContain("karpenter.sh/capacity-type=spot");
  });

  it("is the same to the byte each time", () => {
    expect(JSON.stringify(requestOf())).toBe(JSON.stringify(requestOf()));
  });

  it("tags as Karpenter does, and the class's tags cannot change that", () => {
    const tags = { team: "a", "karpenter.k8s.aws/custom": "x" };
    expect(requestOf({ nodeClass: nodeClass({ tags }) }).tags).toEqual({
      ...tags,
      "kubernetes.io/cluster/shop": "owned",
      "eks:eks-cluster-name": "shop",
      "karpenter.sh/nodepool": "default",
      "karpenter.k8s.aws/ec2nodeclass": "default",
      "journeyman.sh/launch-group": "g1",
    });
  });

  it("names the NodeClaim in the tags when there is only one", () => {
    expect(requestOf({}, { members: ["a"], count: 1 }).tags).toMatchObject({ "karpenter.sh/nodeclaim": "a" });
  });

  it.each<[string, Parameters<typeof nodeClass>[0], readonly unknown[]]>([
    ["AL2023", {}, [{ deviceName: "/dev/xvda", volumeSizeGib: 20, volumeType: "gp3", encrypted: true }]],
    ["Custom", { amiFamily: "Custom", amiSelectorTerms: [{ id: "ami-1" }] }, []],
  ])("gives %s its default volumes", (_family, spec, expected) => {
    expect(requestOf({ nodeClass: nodeClass(spec) }).blockDeviceMappings).toEqual(expected);
  });

  it("asks for what the claim's pods need of the machine", () => {
    const claim = nodeClaim("a");
    const requests = { "vpc.amazonaws.com/efa": "1", "eks.amazonaws.com/nitro-sandbox": "1" };
    const requirements = [
      { key: "karpenter.k8s.aws/instance-tenancy", operator: "In" as const, values: ["dedicated"] },
      { key: "karpenter.k8s.aws/placement-group-partition", operator: "In" as const, values: ["2"] },
    ];
    const asking = { ...claim, spec: { ...claim.spec, requirements, resources: { requests } } };
    const type = instanceType("m5.large");
    const twoCards = { ...type, capacity: { ...type.capacity, "vpc.amazonaws.com/efa": 2 } };
    const request = requestOf({
      nodeClaim: asking,
      nodeClass: inGroup("partition"),
      instanceTypes: new Map([["m5.large", twoCards]]),
    });
    expect(request).toMatchObject({
      tenancy: "dedicated",
      placementGroup: { id: "pg-1", partition: 2 },
      enclave: true,
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: "efa" },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa" },
      ],
    });
    expect(requestOf({ nodeClaim: asking, nodeClass: inGroup("spread") }).placementGroup).toEqual({ id: "pg-1" });
  });

  it("asks for what the class says of the processor, the interfaces and a volume's first read", () => {
    const ebs = { snapshotID: "snap-1", volumeInitializationRate: 200 };
    const spec = {
      cpuOptions: { nestedVirtualization: "enabled" as const },
      associatePublicIPAddress: true,
      blockDeviceMappings: [{ deviceName: "/dev/xvdb", ebs }],
    };
    const cluster = { ...launchContext().cluster, dnsAddress: "fd00::a" };
    expect(requestOf({ nodeClass: nodeClass(spec), cluster })).toMatchObject({
      nestedVirtualization: "enabled",
      networkInterfaces: [{ deviceIndex: 0, interfaceType: "interface", associatePublicIpAddress: true, ipv6: true }],
      blockDeviceMappings: [{ deviceName: "/dev/xvdb", snapshotId: "snap-1", initializationRateMibps: 200 }],
    });
  });

  it.each(["us-iso-east-1a", "us-isob-east-1a", "us-isof-south-1a"])("says nothing of IPv6 metadata in %s", (zone) => {
    expect(requestOf({}, { zone }).metadataOptions).toEqual({
      httpEndpoint: "enabled",
      httpPutResponseHopLimit: 1,
      httpTokens: "required",
    });
  });

  it("tells Bottlerocket of its release, which decides how it mounts the local disks", () => {
    const spec = { ...bottlerocket, instanceStorePolicy: "RAID0" as const };
    expect(requestOf({ nodeClass: nodeClass(spec) }).userData).not.toContain("--dirs");
  });

  it("rounds volume sizes up to whole GiB", () => {
    const ebs = { volumeSize: "100G", iops: 4_000, throughput: 250, deleteOnTermination: true, kmsKeyID: "key" };
    const spec = { blockDeviceMappings: [{ deviceName: "/dev/xvdb", ebs }] };
    expect(requestOf({ nodeClass: nodeClass(spec) }).blockDeviceMappings).toEqual([
      {
        deviceName: "/dev/xvdb",
        volumeSizeGib: 94,
        iops: 4_000,
        throughputMibps: 250,
        deleteOnTermination: true,
        kmsKeyId: "key",
      },
    ]);
  });

  it("has placeholders where a class has no status, so that plans need no account", () => {
    expect(requestOf()).toMatchObject({
      securityGroupIds: ["sg-default"],
      instanceProfile: "profile-of-node",
    });
  });

  it.each<[string, EC2NodeClass, string]>([
    [
      "a placement group that nobody has found yet",
      nodeClass({ placementGroupSelector: { name: "pg" } }, status),
      "PlacementGroupNotFound",
    ],
    ["user data that cannot be made", nodeClass({ kubelet: { x: 1 }, ...bottlerocket }, status), unsupportedKubelet],
    ["a public address on several interfaces", nodeClass(twoPublicInterfaces, status), "InvalidNetworkInterfaces"],
    ["no instance profile yet", nodeClass({}, { subnets: [] }), "InstanceProfileNotFound"],
    ["no security group", nodeClass({}, { ...status, securityGroups: [] }), "SecurityGroupsNotFound"],
  ])("is refused for %s", (_what, withProblem, reason) => {
    expect(runInstancesRequest(launchContext({ nodeClass: withProblem }), attempt)).toMatchObject({
      kind: "problem",
      scope: "class",
      reason,
    });
  });
});

describe("launchTarget", () => {
  it("takes the first image that suits the type and the first usable subnet of the zone", () => {
    const target = launchTarget(nodeClass({}, status), instanceType("m5.large"), "z1", new Set(["subnet-b"]));
    expect(target).toMatchObject({ kind: "target", imageId: "ami-amd", subnetId: "subnet-a" });
    const arm = instanceType("m6g.large", { "kubernetes.io/arch": "arm64" });
    expect(launchTarget(nodeClass({}, status), arm, "z1", new Set())).toMatchObject({ imageId: "ami-arm" });
  });

  it("says that the offering has no subnet or no image", () => {
    const noSubnet = launchTarget(nodeClass({}, status), instanceType("m5.large"), "z9", new Set());
    expect(noSubnet).toMatchObject({ kind: "problem", scope: "offering", reason: "SubnetResolutionFailed" });
    const noImage = launchTarget(nodeClass({}, { ...status, amis: [] }), instanceType("m5.large"), "z1", new Set());
    expect(noImage).toMatchObject({ kind: "problem", scope: "offering", reason: "AMINotFound" });
  });

  it("makes placeholders for a class without status", () => {
    expect(launchTarget(nodeClass(), instanceType("m5.large"), "z1", new Set())).toMatchObject({
      kind: "target",
      imageId: "ami-al2023-amd64",
      subnetId: "subnet-z1",
    });
  });
});

const attempt: Attempt = {
  version: 1,
  role: "leader",
  group: "g1",
  members: ["a", "b"],
  attempt: 1,
  instanceType: "m5.large",
  zone: "z1",
  subnetId: "subnet-b",
  capacityType: "spot",
  imageId: "ami-amd",
  count: 2,
  clientToken: "token",
  state: "sent",
  startedAt: 0,
  sentAt: 0,
};

function inGroup(strategy: "partition" | "spread"): EC2NodeClass {
  const made = nodeClass({ placementGroupSelector: { id: "pg-1" } }, status);
  const group = formatPlacementGroup({ id: "pg-1", name: "web", strategy });
  return { ...made, metadata: { ...made.metadata, annotations: { "journeyman.sh/placement-group": group } } };
}

function requestOf(context: Partial<Context> = {}, changes: Partial<Attempt> = {}): RunInstancesRequest {
  const built = runInstancesRequest(launchContext(context), { ...attempt, ...changes });
  if (built.kind === "problem") throw new Error(built.message);
  return built.request;
}
