import { DescribeImagesCommand, DescribeSubnetsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import { tag } from "../../shared/api/labels.ts";
import type { CapacityType, RunInstancesRequest } from "../../shared/ports.ts";
import { runRequest } from "../support/simulated-aws.ts";

/**
 * The EC2 adapter against moto, which reads the requests and writes the answers of EC2's query protocol by its own hand. It launches
 * `minCount` instances whatever `maxCount` says, knows no client tokens and is never full: that is left to the wire tests.
 */
describe("the EC2 adapter on moto", () => {
  const client = new EC2Client({
    endpoint: inject("motoUrl"),
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
  });
  let place: Pick<RunInstancesRequest, "imageId" | "subnetId"> & { readonly zone: string };

  beforeAll(async () => {
    await createInstanceProfile(inject("motoUrl"), "node");
    const { Subnets: [subnet] = [] } = await client.send(new DescribeSubnetsCommand({}));
    const { Images: [image] = [] } = await client.send(new DescribeImagesCommand({ Owners: ["amazon"] }));
    place = {
      imageId: image?.ImageId ?? "",
      subnetId: subnet?.SubnetId ?? "",
      zone: subnet?.AvailabilityZone ?? "",
    };
  });

  it.each<CapacityType>(["on-demand", "spot"])("launches %s as requested", async (capacityType) => {
    const { port, request } = cluster(`launch-${capacityType}`);
    const [instance, ...others] = await port.runInstances(request({ capacityType }));
    expect(others).toEqual([]);
    const { imageId, subnetId, zone } = place;
    expect(instance).toMatchObject({ instanceType: "m5.large", imageId, subnetId, zone, capacityType });
    expect(instance?.instanceId).toMatch(/^i-[0-9a-f]{17}$/);
    expect(instance?.tags).toMatchObject(request().tags);
    expect(instance?.launchedAt).toBeGreaterThan(Date.UTC(2020));
  });

  it("finds its own cluster's instances, those named and those tagged", async () => {
    const { port, request, launch } = cluster("find");
    const id = await launch(request({ tags: { ...request().tags, group: "one" } }));
    await cluster("find-another").launch();
    const ids = async (found: ReturnType<typeof port.describeInstances>) =>
      (await found).map(({ instanceId }) => instanceId);
    expect(await ids(port.describeInstances({ by: "cluster" }))).toEqual([id]);
    expect(await ids(port.describeInstances({ by: "tag", key: "group", value: "one" }))).toEqual([id]);
    expect(await ids(port.describeInstances({ by: "ids", instanceIds: [id, unknownId] }))).toEqual([id]);
    expect(await ids(port.describeInstances({ by: "ids", instanceIds: [] }))).toEqual([]);
  });

  it("adds and replaces tags", async () => {
    const { port, request, launch } = cluster("tags");
    const id = await launch(request({ tags: { ...request().tags, changed: "1" } }));
    await port.createTags([id], { changed: "2", Name: "node" });
    const [instance] = await port.describeInstances({ by: "cluster" });
    expect(instance?.tags).toMatchObject({ ...request().tags, changed: "2", Name: "node" });
  });

  it("terminates, more than once without complaint, and then no longer counts the instance as the cluster's", async () => {
    const { port, launch } = cluster("terminate");
    const id = await launch();
    await port.terminateInstances([id]);
    await port.terminateInstances([id]);
    expect(await port.describeInstances({ by: "cluster" })).toEqual([]);
    expect(await port.describeInstances({ by: "ids", instanceIds: [id] })).toMatchObject([{ state: "terminated" }]);
  });

  it("says NotFound of an unknown instance, and terminates none of its company", async () => {
    const { port, launch } = cluster("unknown");
    const id = await launch();
    await expect(port.terminateInstances([id, unknownId])).rejects.toMatchObject({
      name: "ProviderError",
      kind: "NotFound",
      code: "InvalidInstanceID.NotFound",
    });
    expect(await port.describeInstances({ by: "cluster" })).toMatchObject([{ instanceId: id }]);
  });

  it("says Invalid, with EC2's code, of a subnet that does not exist", async () => {
    const { port, request } = cluster("invalid");
    await expect(port.runInstances(request({ subnetId: "subnet-0000000000000000a" }))).rejects.toMatchObject({
      name: "ProviderError",
      code: "InvalidSubnetID.NotFound",
    });
  });

  const unknownId = "i-00000000000000000";

  /** A cluster of a test's own, as all share one EC2. */
  function cluster(clusterName: string) {
    const port = ec2Port({ client, launchClient: client, clusterName });
    const tags = { [tag.clusterName]: clusterName, [tag.nodePool]: "default", [tag.nodeClass]: "default" };
    const request = (changes: Partial<RunInstancesRequest> = {}) => {
      const { imageId, subnetId } = place;
      return runRequest({ imageId, subnetId, securityGroupIds: [], userData: "#!/bin/sh", tags, ...changes });
    };
    return {
      port,
      request,
      launch: async (wanted = request()) => (await port.runInstances(wanted))[0]?.instanceId ?? "",
    };
  }
});

/** moto checks that a launch's instance profile exists. One form, rather than a whole SDK client for IAM. */
async function createInstanceProfile(url: string, name: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    // moto tells services apart by the scope of the credentials and checks nothing else of them.
    headers: { authorization: "AWS4-HMAC-SHA256 Credential=test/20200101/us-east-1/iam/aws4_request" },
    body: new URLSearchParams({ Action: "CreateInstanceProfile", Version: "2010-05-08", InstanceProfileName: name }),
  });
  if (!response.ok) throw new Error(`CreateInstanceProfile ${name}: ${response.status} ${await response.text()}`);
}
