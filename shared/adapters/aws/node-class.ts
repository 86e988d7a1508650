import {
  type CapacityReservation,
  DescribeCapacityReservationsCommand,
  DescribePlacementGroupsCommand,
  type EC2Client,
  paginateDescribeCapacityReservations,
  paginateDescribeImages,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
  RunInstancesCommand,
  type Image as SdkImage,
  type PlacementGroup as SdkPlacementGroup,
  type Subnet as SdkSubnet,
} from "@aws-sdk/client-ec2";
import type { IAMClient } from "@aws-sdk/client-iam";
import { GetParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import type {
  DryRunAnswer,
  Ec2CapacityReservation,
  Ec2Filter,
  Image,
  NodeClassPort,
  PlacementGroup,
  Subnet,
} from "../../account-ports.ts";
import { dryRunAnswer } from "../../cloud/ec2-errors.ts";
import type { RunInstancesRequest } from "../../ports.ts";
import { awsError, awsErrorFacts } from "./aws-error.ts";
import { ec2Failure } from "./ec2-failure.ts";
import { instanceProfiles } from "./instance-profiles.ts";
import { runInstancesInput } from "./run-instances-input.ts";

export interface NodeClassPortOptions {
  readonly client: EC2Client;
  /** With `maxAttempts: 1`: a dry run shares the bucket of launches, which are not to wait for it. */
  readonly launchClient: EC2Client;
  readonly ssm: SSMClient;
  readonly iam: IAMClient;
  readonly now: () => number;
}

/** {@link NodeClassPort} on the AWS SDK. */
export function nodeClassPort({ client, launchClient, ssm, iam, now }: NodeClassPortOptions): NodeClassPort {
  return {
    ...instanceProfiles(iam),
    async subnets(filters) {
      const pages = paginateDescribeSubnets({ client, pageSize: 500 }, { Filters: filters.map(toFilter) });
      return await all(pages, "DescribeSubnets", ({ Subnets }) => Subnets?.flatMap(subnetOf));
    },
    async securityGroups(filters) {
      const pages = paginateDescribeSecurityGroups({ client, pageSize: 500 }, { Filters: filters.map(toFilter) });
      return await all(pages, "DescribeSecurityGroups", ({ SecurityGroups }) =>
        SecurityGroups?.flatMap(({ GroupId: id, GroupName: name = "" }) => (id === undefined ? [] : [{ id, name }])),
      );
    },
    async images({ filters, owners }) {
      const pages = paginateDescribeImages(
        { client, pageSize: 1_000 },
        {
          Filters: [...filters, { name: "state", values: ["available"] }].map(toFilter),
          IncludeDeprecated: true,
          ...(owners && { Owners: [...owners] }),
        },
      );
      return await all(pages, "DescribeImages", ({ Images }) => Images?.flatMap((image) => imageOf(image, now())));
    },
    async parameter(name) {
      try {
        return (await ssm.send(new GetParameterCommand({ Name: name }))).Parameter?.Value;
      } catch (error) {
        if (awsErrorFacts(error).code === "ParameterNotFound") return undefined;
        throw awsError(`GetParameter ${name}`, error);
      }
    },
    capacityReservations: ({ filters, id }) => capacityReservations(client, filters, id),
    placementGroup: (by) => placementGroup(client, by),
    dryRun: (request) => dryRun(launchClient, request),
  };
}

function toFilter({ name, values }: Ec2Filter) {
  return { Name: name, Values: [...values] };
}

function subnetOf({
  SubnetId: id,
  AvailabilityZone: zone,
  AvailabilityZoneId: zoneId = "",
  VpcId: vpcId = "",
  AvailableIpAddressCount: availableIpAddressCount = 0,
}: SdkSubnet): readonly Subnet[] {
  return id === undefined || zone === undefined ? [] : [{ id, zone, zoneId, vpcId, availableIpAddressCount }];
}

function imageOf(image: SdkImage, now: number): readonly Image[] {
  const { ImageId: id, Name: name = "", Architecture, CreationDate, DeprecationTime } = image;
  if (id === undefined) return [];
  const isDeprecated = DeprecationTime !== undefined && Date.parse(DeprecationTime) <= now;
  return [{ id, name, architecture: Architecture ?? "", createdAt: Date.parse(CreationDate ?? "") || 0, isDeprecated }];
}

/** A look by id fails in EC2 when it is unknown, and takes no page size. */
async function capacityReservations(
  client: EC2Client,
  filters: readonly Ec2Filter[],
  id: string | undefined,
): Promise<readonly Ec2CapacityReservation[]> {
  const Filters = [...filters, { name: "state", values: ["active"] }].map(toFilter);
  if (id === undefined) {
    const pages = paginateDescribeCapacityReservations({ client, pageSize: 1_000 }, { Filters });
    return await all(pages, "DescribeCapacityReservations", ({ CapacityReservations }) =>
      CapacityReservations?.flatMap(reservationOf),
    );
  }
  try {
    const command = new DescribeCapacityReservationsCommand({ CapacityReservationIds: [id], Filters });
    return ((await client.send(command)).CapacityReservations ?? []).flatMap(reservationOf);
  } catch (error) {
    if (awsErrorFacts(error).code === "InvalidCapacityReservationId.NotFound") return [];
    return ec2Failure(`DescribeCapacityReservations ${id}`)(error);
  }
}

function reservationOf(reservation: CapacityReservation): readonly Ec2CapacityReservation[] {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: zone, EndDate } = reservation;
  if (id === undefined || instanceType === undefined || zone === undefined) return [];
  return [
    {
      id,
      instanceType,
      zone,
      ownerId: reservation.OwnerId ?? "",
      instanceMatchCriteria: reservation.InstanceMatchCriteria ?? "open",
      reservationType: reservation.ReservationType === "capacity-block" ? "capacity-block" : "default",
      interruptible: reservation.Interruptible === true,
      availableInstanceCount: reservation.AvailableInstanceCount ?? 0,
      ...(EndDate !== undefined && { endsAt: EndDate.getTime() }),
    },
  ];
}

async function placementGroup(
  client: EC2Client,
  by: Parameters<NodeClassPort["placementGroup"]>[0],
): Promise<PlacementGroup | undefined> {
  const wanted = "id" in by ? { GroupIds: [by.id] } : { GroupNames: [by.name] };
  const Filters = [{ Name: "state", Values: ["available"] }];
  try {
    const found = await client.send(new DescribePlacementGroupsCommand({ ...wanted, Filters }));
    return found.PlacementGroups?.flatMap(placementGroupOf)[0];
  } catch (error) {
    if (unknownGroup.test(awsErrorFacts(error).code)) return undefined;
    return ec2Failure(`DescribePlacementGroups ${"id" in by ? by.id : by.name}`)(error);
  }
}

const unknownGroup = /^InvalidPlacementGroup(\.Unknown|Id\.NotFound|\.NotFound)$/;

function placementGroupOf({
  GroupId: id,
  GroupName: name,
  Strategy: strategy,
  PartitionCount,
}: SdkPlacementGroup): readonly PlacementGroup[] {
  if (id === undefined || name === undefined || !isStrategy(strategy)) return [];
  return [{ id, name, strategy, ...(PartitionCount !== undefined && { partitionCount: PartitionCount }) }];
}

function isStrategy(text: string | undefined): text is PlacementGroup["strategy"] {
  return text === "cluster" || text === "partition" || text === "spread";
}

/** EC2 answers a request that it would carry out with an error of its own. */
async function dryRun(client: EC2Client, request: RunInstancesRequest): Promise<DryRunAnswer> {
  try {
    await client.send(new RunInstancesCommand({ ...runInstancesInput(request), DryRun: true }));
    return { kind: "allowed" };
  } catch (error) {
    const { code, message } = awsErrorFacts(error);
    return dryRunAnswer(code, message) ?? ec2Failure("RunInstances, only tried")(error);
  }
}

/** A failure on any page is that of the call. */
async function all<Page, T>(
  pages: AsyncIterable<Page>,
  what: string,
  read: (page: Page) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const found: T[] = [];
  try {
    for await (const page of pages) found.push(...(read(page) ?? []));
  } catch (error) {
    ec2Failure(what)(error);
  }
  return found;
}
