import {
  CreateTagsCommand,
  type EC2Client,
  type Filter,
  type Instance,
  paginateDescribeInstances,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { tag } from "../../api/labels.ts";
import { type CapacityType, type Ec2Instance, type Ec2Port, type InstanceFilter, ProviderError } from "../../ports.ts";
import { ec2Failure } from "./ec2-failure.ts";
import { runInstancesInput } from "./run-instances-input.ts";

export interface Ec2PortOptions {
  readonly client: EC2Client;
  /** With `maxAttempts: 1`: the SDK would retry capacity errors, which EC2 lists as server errors (serverless-aws §0.4). */
  readonly launchClient: EC2Client;
  readonly clusterName: string;
}

/** {@link Ec2Port} on the AWS SDK. */
export function ec2Port({ client, launchClient, clusterName }: Ec2PortOptions): Ec2Port {
  return {
    async runInstances(request) {
      const what = `RunInstances ${request.instanceType} in ${request.subnetId} (${request.capacityType})`;
      const command = new RunInstancesCommand(runInstancesInput(request));
      const answer = await launchClient.send(command).catch(ec2Failure(what));
      return (answer.Instances ?? []).map(instanceOf);
    },
    async describeInstances(filter) {
      const found: Ec2Instance[] = [];
      for (const filters of filterSets(filter, clusterName)) {
        found.push(...(await describeAll(client, filters).catch(ec2Failure(`DescribeInstances by ${filter.by}`))));
      }
      return found;
    },
    async terminateInstances(instanceIds) {
      if (instanceIds.length === 0) return;
      const command = new TerminateInstancesCommand({ InstanceIds: [...instanceIds] });
      await client.send(command).catch(ec2Failure(`TerminateInstances ${instanceIds.join(", ")}`));
    },
    async createTags(instanceIds, tags) {
      if (instanceIds.length === 0) return;
      const pairs = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      const command = new CreateTagsCommand({ Resources: [...instanceIds], Tags: pairs });
      await client.send(command).catch(ec2Failure(`CreateTags on ${instanceIds.join(", ")}`));
    },
  };
}

/** EC2 takes 200 values in one filter. */
const filterValuesLimit = 200;
const pageSize = 1000;

/**
 * Filters rather than `InstanceIds`: an id that EC2 does not know (yet) is then left out instead of failing the call. Names are
 * unique in a cluster only, so every search but that by id is confined to ours (karpenter-aws §4.7).
 */
function filterSets(filter: InstanceFilter, clusterName: string): Filter[][] {
  const ofCluster: Filter = { Name: `tag:${tag.clusterName}`, Values: [clusterName] };
  switch (filter.by) {
    case "cluster":
      return [
        [
          { Name: "tag-key", Values: [tag.nodePool] },
          { Name: "tag-key", Values: [tag.nodeClass] },
          ofCluster,
          { Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped", "shutting-down"] },
        ],
      ];
    case "tag":
      return [[{ Name: `tag:${filter.key}`, Values: [filter.value] }, ofCluster]];
    case "ids":
      return chunks(filter.instanceIds, filterValuesLimit).map((ids) => [{ Name: "instance-id", Values: ids }]);
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

async function describeAll(client: EC2Client, filters: Filter[]): Promise<Ec2Instance[]> {
  const found: Ec2Instance[] = [];
  for await (const page of paginateDescribeInstances({ client, pageSize }, { Filters: filters })) {
    for (const reservation of page.Reservations ?? []) found.push(...(reservation.Instances ?? []).map(instanceOf));
  }
  return found;
}

/** @throws ProviderError when EC2 leaves out a field that it always sends. */
function instanceOf(instance: Instance): Ec2Instance {
  const id = required(instance.InstanceId, "InstanceId", "an instance");
  const stateReason = instance.StateReason?.Code;
  return {
    instanceId: id,
    instanceType: required(instance.InstanceType, "InstanceType", id),
    imageId: required(instance.ImageId, "ImageId", id),
    zone: required(instance.Placement?.AvailabilityZone, "Placement.AvailabilityZone", id),
    // EC2 forgets the subnet of a terminated instance.
    subnetId: instance.SubnetId ?? "",
    capacityType: capacityTypeOf(instance),
    ...(instance.CapacityReservationId && { capacityReservationId: instance.CapacityReservationId }),
    ...(instance.Placement?.PartitionNumber && { partitionNumber: instance.Placement.PartitionNumber }),
    state: required(instance.State?.Name, "State.Name", id),
    launchedAt: required(instance.LaunchTime, "LaunchTime", id).getTime(),
    ...(instance.PrivateDnsName && { privateDnsName: instance.PrivateDnsName }),
    ...(instance.ClientToken && { clientToken: instance.ClientToken }),
    ...(stateReason !== undefined && { stateReason }),
    tags: Object.fromEntries((instance.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value])),
  };
}

function capacityTypeOf(instance: Instance): CapacityType {
  if (instance.SpotInstanceRequestId !== undefined || instance.InstanceLifecycle === "spot") return "spot";
  const preference = instance.CapacityReservationSpecification?.CapacityReservationPreference;
  return instance.CapacityReservationId !== undefined && preference === "capacity-reservations-only"
    ? "reserved"
    : "on-demand";
}

function required<T>(value: T | undefined, field: string, of: string): T {
  if (value !== undefined) return value;
  throw new ProviderError("Unknown", "IncompleteAnswer", `EC2 described ${of} without ${field}`);
}
