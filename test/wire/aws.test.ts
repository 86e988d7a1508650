import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import { eksCluster } from "../../shared/adapters/aws/eks.ts";
import { eventBus } from "../../shared/adapters/aws/event-bus.ts";
import { hintQueues } from "../../shared/adapters/aws/queues.ts";
import type { Hint } from "../../shared/hints.ts";
import type { RunInstancesRequest } from "../../shared/ports.ts";
import { httpLoopback, type LoopbackServer, type ScriptedAnswer } from "../support/loopback.ts";

function sdk({ url }: LoopbackServer) {
  return {
    region: "eu-west-1",
    endpoint: url,
    credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
  };
}

function ec2({ url }: LoopbackServer) {
  const options = sdk({ url } as LoopbackServer);
  const launchClient = new EC2Client({ ...options, maxAttempts: 1 });
  return ec2Port({ client: new EC2Client({ ...options, maxAttempts: 1 }), launchClient, clusterName: "shop" });
}

function parameters(server: LoopbackServer, call = 0): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(server.requests[call]?.body));
}

const instanceXml = (id: string, more = "") =>
  `<item><instanceId>${id}</instanceId><instanceType>m5.large</instanceType><imageId>ami-1</imageId>` +
  `<subnetId>subnet-1</subnetId><placement><availabilityZone>eu-west-1a</availabilityZone></placement>` +
  `<instanceState><code>16</code><name>running</name></instanceState><launchTime>2026-01-01T00:00:00.000Z</launchTime>` +
  `<tagSet><item><key>Name</key><value>n</value></item></tagSet>${more}</item>`;

const describedXml = (items: string, token = "") =>
  `<DescribeInstancesResponse><reservationSet><item><instancesSet>${items}</instancesSet></item></reservationSet>` +
  `${token === "" ? "" : `<nextToken>${token}</nextToken>`}</DescribeInstancesResponse>`;

const errorXml = (code: string, status = 400): ScriptedAnswer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors><RequestID>r</RequestID></Response>`,
});

const launch: RunInstancesRequest = {
  clientToken: "token-1",
  minCount: 1,
  maxCount: 3,
  instanceType: "m5.large",
  imageId: "ami-1",
  subnetId: "subnet-1",
  securityGroupIds: ["sg-1", "sg-2"],
  capacityType: "spot",
  instanceProfile: "nodes",
  userData: "#!/bin/bash",
  metadataOptions: {
    httpEndpoint: "enabled",
    httpProtocolIpv6: "disabled",
    httpPutResponseHopLimit: 1,
    httpTokens: "required",
  },
  blockDeviceMappings: [{ deviceName: "/dev/xvda", volumeSizeGib: 20, volumeType: "gp3", encrypted: true }],
  tags: { "karpenter.sh/nodepool": "general" },
};

describe("RunInstances", () => {
  const launched = `<RunInstancesResponse><instancesSet>${instanceXml("i-1", "<instanceLifecycle>spot</instanceLifecycle>")}</instancesSet></RunInstancesResponse>`;

  it("carries every field of the request", async () => {
    await using server = await httpLoopback(() => ({ body: launched }));
    const instances = await ec2(server).runInstances(launch);
    expect(instances).toEqual([
      {
        instanceId: "i-1",
        instanceType: "m5.large",
        imageId: "ami-1",
        zone: "eu-west-1a",
        subnetId: "subnet-1",
        capacityType: "spot",
        state: "running",
        launchedAt: Date.UTC(2026, 0, 1),
        tags: { Name: "n" },
      },
    ]);
    expect(parameters(server)).toMatchObject({
      Action: "RunInstances",
      ClientToken: "token-1",
      MinCount: "1",
      MaxCount: "3",
      SubnetId: "subnet-1",
      "SecurityGroupId.2": "sg-2",
      "InstanceMarketOptions.MarketType": "spot",
      "IamInstanceProfile.Name": "nodes",
      UserData: Buffer.from("#!/bin/bash").toString("base64"),
      "MetadataOptions.HttpTokens": "required",
      "BlockDeviceMapping.1.Ebs.VolumeSize": "20",
      "TagSpecification.4.ResourceType": "spot-instances-request",
      "TagSpecification.1.Tag.1.Key": "karpenter.sh/nodepool",
    });
  });

  it("moves subnet and groups to the interface when a public address is decided", async () => {
    await using server = await httpLoopback(() => ({ body: launched }));
    const single = { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" } as const;
    const networkInterfaces = [{ ...single, associatePublicIpAddress: false }];
    await ec2(server).runInstances({ ...launch, capacityType: "on-demand", networkInterfaces });
    const sent = parameters(server);
    expect(sent).toMatchObject({
      "NetworkInterface.1.SubnetId": "subnet-1",
      "NetworkInterface.1.AssociatePublicIpAddress": "false",
      "CapacityReservationSpecification.CapacityReservationPreference": "none",
    });
    expect(sent).not.toHaveProperty("SubnetId");
    expect(sent).not.toHaveProperty("InstanceMarketOptions.MarketType");
  });

  it("carries what is said of interfaces, placement, processor and volumes", async () => {
    await using server = await httpLoopback(() => ({ body: launched }));
    const timeouts = { tcpEstablishedTimeout: 600, udpStreamTimeout: 90, udpTimeout: 45 };
    const settings = {
      associatePublicIpAddress: true,
      ipv6: true as const,
      ipv6PrefixCount: 2,
      connectionTracking: timeouts,
    };
    const { httpProtocolIpv6: _, ...metadataOptions } = launch.metadataOptions;
    await ec2(server).runInstances({
      ...launch,
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface", ...settings },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only" },
        { networkCardIndex: 2, deviceIndex: 1, interfaceType: "efa", ipv4PrefixCount: 3 },
      ],
      tenancy: "dedicated",
      placementGroup: { id: "pg-1", partition: 2 },
      nestedVirtualization: "enabled",
      enclave: true,
      detailedMonitoring: true,
      metadataOptions,
      blockDeviceMappings: [{ deviceName: "/dev/xvda", snapshotId: "snap-1", initializationRateMibps: 200 }],
    });
    const sent = parameters(server);
    expect(sent).toMatchObject({
      "NetworkInterface.1.NetworkCardIndex": "0",
      "NetworkInterface.1.DeviceIndex": "0",
      "NetworkInterface.1.InterfaceType": "interface",
      "NetworkInterface.1.SubnetId": "subnet-1",
      "NetworkInterface.1.SecurityGroupId.2": "sg-2",
      "NetworkInterface.1.AssociatePublicIpAddress": "true",
      "NetworkInterface.1.PrimaryIpv6": "true",
      "NetworkInterface.1.Ipv6AddressCount": "1",
      "NetworkInterface.1.Ipv6PrefixCount": "2",
      "NetworkInterface.1.ConnectionTrackingSpecification.TcpEstablishedTimeout": "600",
      "NetworkInterface.1.ConnectionTrackingSpecification.UdpStreamTimeout": "90",
      "NetworkInterface.1.ConnectionTrackingSpecification.UdpTimeout": "45",
      "NetworkInterface.2.NetworkCardIndex": "1",
      "NetworkInterface.2.DeviceIndex": "1",
      "NetworkInterface.2.InterfaceType": "efa-only",
      "NetworkInterface.2.SubnetId": "subnet-1",
      "NetworkInterface.3.InterfaceType": "efa",
      "NetworkInterface.3.Ipv4PrefixCount": "3",
      "Placement.Tenancy": "dedicated",
      "Placement.GroupId": "pg-1",
      "Placement.PartitionNumber": "2",
      "CpuOptions.NestedVirtualization": "enabled",
      "EnclaveOptions.Enabled": "true",
      "Monitoring.Enabled": "true",
      "MetadataOptions.InstanceMetadataTags": "disabled",
      "BlockDeviceMapping.1.Ebs.VolumeInitializationRate": "200",
      "TagSpecification.2.ResourceType": "volume",
      "TagSpecification.3.ResourceType": "network-interface",
    });
    for (const absent of ["SubnetId", "SecurityGroupId.1", "MetadataOptions.HttpProtocolIpv6"]) {
      expect(sent).not.toHaveProperty([absent]);
    }
  });

  it("tells which partition of its group EC2 gave the instance", async () => {
    const placement =
      "<placement><availabilityZone>eu-west-1a</availabilityZone><partitionNumber>3</partitionNumber></placement>";
    const answer = launched.replace(/<placement>.*<\/placement>/, placement);
    await using server = await httpLoopback(() => ({ body: answer }));
    expect(await ec2(server).runInstances(launch)).toMatchObject([{ zone: "eu-west-1a", partitionNumber: 3 }]);
  });

  it.each([
    ["a reservation", {}, undefined],
    ["a capacity block", { capacityReservationType: "capacity-block" } as const, "capacity-block"],
    ["borrowed capacity", { capacityReservationInterruptible: true }, "interruptible-capacity-reservation"],
  ])("launches from %s alone", async (_, terms, market) => {
    const more =
      "<capacityReservationId>cr-1</capacityReservationId><capacityReservationSpecification>" +
      "<capacityReservationPreference>capacity-reservations-only</capacityReservationPreference>" +
      "</capacityReservationSpecification>";
    const answer = `<RunInstancesResponse><instancesSet>${instanceXml("i-1", more)}</instancesSet></RunInstancesResponse>`;
    await using server = await httpLoopback(() => ({ body: answer }));
    const reserved = { ...launch, ...terms, capacityType: "reserved", capacityReservationId: "cr-1" } as const;
    const [instance] = await ec2(server).runInstances(reserved);
    expect(instance).toMatchObject({ capacityType: "reserved", capacityReservationId: "cr-1" });
    const sent = parameters(server);
    expect(sent).toMatchObject({
      "CapacityReservationSpecification.CapacityReservationPreference": "capacity-reservations-only",
      "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId": "cr-1",
    });
    expect(sent["InstanceMarketOptions.MarketType"]).toBe(market);
  });

  it("is not repeated by the SDK when EC2 has no capacity, a server error to the SDK", async () => {
    await using server = await httpLoopback(() => errorXml("InsufficientInstanceCapacity", 500));
    await expect(ec2(server).runInstances(launch)).rejects.toMatchObject({
      kind: "NoCapacity",
      code: "InsufficientInstanceCapacity",
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("DescribeInstances", () => {
  it("reads every page, and only this cluster's", async () => {
    await using server = await httpLoopback(({ body }) => ({
      body: body.includes("NextToken=t") ? describedXml(instanceXml("i-2")) : describedXml(instanceXml("i-1"), "t"),
    }));
    const found = await ec2(server).describeInstances({ by: "cluster" });
    expect(found.map(({ instanceId }) => instanceId)).toEqual(["i-1", "i-2"]);
    expect(parameters(server)).toMatchObject({
      "Filter.3.Name": "tag:eks:eks-cluster-name",
      "Filter.3.Value.1": "shop",
      MaxResults: "1000",
    });
  });

  it("asks for ids by filter, 200 at a time, so that an unknown id fails nothing", async () => {
    await using server = await httpLoopback(() => ({ body: describedXml("") }));
    const instanceIds = Array.from({ length: 201 }, (_, n) => `i-${n}`);
    expect(await ec2(server).describeInstances({ by: "ids", instanceIds })).toEqual([]);
    expect(server.requests).toHaveLength(2);
    expect(parameters(server, 1)).toMatchObject({ "Filter.1.Name": "instance-id", "Filter.1.Value.1": "i-200" });
  });

  it("gives no partial answer when a page fails", async () => {
    await using server = await httpLoopback(({ body }) =>
      body.includes("NextToken=t")
        ? errorXml("RequestLimitExceeded", 503)
        : { body: describedXml(instanceXml("i-1"), "t") },
    );
    await expect(ec2(server).describeInstances({ by: "cluster" })).rejects.toMatchObject({ kind: "Throttled" });
  });
});

describe("TerminateInstances", () => {
  it("is NotFound for an unknown id", async () => {
    await using server = await httpLoopback(() => errorXml("InvalidInstanceID.NotFound"));
    await expect(ec2(server).terminateInstances(["i-1"])).rejects.toMatchObject({ kind: "NotFound" });
  });

  it("of nothing is no call", async () => {
    await using server = await httpLoopback(() => errorXml("InvalidParameterValue"));
    await ec2(server).terminateInstances([]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("hints on queues", () => {
  const queueUrls = { provisioning: "p.fifo", later: "l", lifecycle: "c", termination: "t" };
  const planner: Hint = { kind: "provision", reason: "retry", at: 1 };

  async function sent(hint: Hint, delaySeconds?: number): Promise<Record<string, unknown>> {
    await using server = await httpLoopback(() => ({ body: { MessageId: "m", MD5OfMessageBody: "" } }));
    const client = new SQSClient({ ...sdk(server), md5: false });
    const urls = Object.fromEntries(Object.entries(queueUrls).map(([name, path]) => [name, `${server.url}/1/${path}`]));
    const port = hintQueues({ client, queueUrls: { ...queueUrls, ...urls }, provisioningMessageGroup: "planner" });
    await port.send(hint, delaySeconds === undefined ? {} : { delaySeconds });
    const message = JSON.parse(server.requests[0]?.body ?? "");
    expect(JSON.parse(message.MessageBody)).toEqual(hint);
    return { ...message, QueueUrl: new URL(message.QueueUrl).pathname };
  }

  it("of the planner go to the FIFO queue as one group, each with an id of its own", async () => {
    const [first, second] = [await sent(planner), await sent(planner)];
    expect(first).toMatchObject({ QueueUrl: "/1/p.fifo", MessageGroupId: "planner" });
    expect(first.MessageDeduplicationId).not.toBe(second.MessageDeduplicationId);
  });

  it("of the planner that must wait go to the later queue", async () => {
    expect(await sent(planner, 30)).toMatchObject({ QueueUrl: "/1/l", DelaySeconds: 30 });
  });

  it("of the others go to their own queue with the delay", async () => {
    const step: Hint = { kind: "termination", nodeClaim: "a", step: 1, at: 1 };
    expect(await sent(step, 5)).toMatchObject({ QueueUrl: "/1/t", DelaySeconds: 5 });
    expect(await sent({ kind: "node", name: "a", at: 1 })).toMatchObject({ QueueUrl: "/1/c", DelaySeconds: 0 });
  });

  it("cannot wait longer than SQS can", async () => {
    await expect(sent(planner, 901)).rejects.toThrow("0 to 900");
  });
});

describe("events on the bus", () => {
  const hints: Hint[] = [1, 2, 3].map((at) => ({ kind: "node", name: `n-${at}`, at }));

  async function outcomes(answer: ScriptedAnswer) {
    await using server = await httpLoopback(() => answer);
    const client = new EventBridgeClient({ ...sdk(server), maxAttempts: 1 });
    const result = await eventBus({ client, busName: "journeyman-shop", source: "journeyman.webhook" }).send(hints);
    return { result, entries: JSON.parse(server.requests[0]?.body ?? "").Entries };
  }

  it("carry the hint in their detail, with its kind as detail type", async () => {
    const { entries } = await outcomes({ body: { FailedEntryCount: 0, Entries: [{ EventId: "1" }] } });
    expect(entries[0]).toMatchObject({
      EventBusName: "journeyman-shop",
      Source: "journeyman.webhook",
      DetailType: "node",
    });
    expect(JSON.parse(entries[0].Detail)).toEqual(hints[0]);
  });

  it("say of each entry whether it is worth repeating", async () => {
    const entries = [{ EventId: "1" }, { ErrorCode: "ThrottlingException" }, { ErrorCode: "MalformedDetail" }];
    const { result } = await outcomes({ body: { FailedEntryCount: 2, Entries: entries } });
    expect(result).toEqual(["accepted", "retry", "rejected"]);
  });

  it("share the outcome of a call that fails as a whole", async () => {
    const denied = { status: 400, headers: { "x-amzn-errortype": "AccessDeniedException" }, body: {} };
    expect((await outcomes({ status: 500, body: {} })).result).toEqual(["retry", "retry", "retry"]);
    expect((await outcomes(denied)).result).toEqual(["rejected", "rejected", "rejected"]);
  });
});

describe("the cluster's endpoint", () => {
  const found = {
    endpoint: "https://api",
    certificateAuthority: { data: "Y2E=" },
    kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16" },
  };

  it("is read once and kept", async () => {
    await using server = await httpLoopback(() => ({ body: { cluster: found } }));
    const cluster = eksCluster(new EKSClient(sdk(server)), "shop");
    const endpoint = {
      name: "shop",
      endpoint: "https://api",
      certificateAuthority: "Y2E=",
      serviceCidr: "10.100.0.0/16",
    };
    expect(await cluster.describe()).toEqual(endpoint);
    expect(await cluster.describe()).toEqual(endpoint);
    expect(server.requests.map(({ url }) => url.pathname)).toEqual(["/clusters/shop"]);
  });

  it("is an error that names the cluster while EKS still makes it, and is asked for again", async () => {
    const answers = [{ status: "CREATING" }, found];
    await using server = await httpLoopback(() => ({ body: { cluster: answers.shift() ?? found } }));
    const cluster = eksCluster(new EKSClient(sdk(server)), "young");
    await expect(cluster.describe()).rejects.toThrow(/young.*CREATING/);
    expect((await cluster.describe()).endpoint).toBe("https://api");
  });
});
