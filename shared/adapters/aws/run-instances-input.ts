import {
  type _InstanceType,
  type BlockDeviceMapping,
  MarketType,
  type RunInstancesCommandInput,
  type Tag,
  type TagSpecification,
  VolumeType,
} from "@aws-sdk/client-ec2";
import type { RunInstancesRequest } from "../../ports.ts";

/** A launch as the SDK wants it. A function of the request alone, so that a replayed request is the same to EC2. */
export function runInstancesInput(request: RunInstancesRequest): RunInstancesCommandInput {
  return {
    ClientToken: request.clientToken,
    MinCount: request.minCount,
    MaxCount: request.maxCount,
    InstanceType: sdkInstanceType(request.instanceType),
    ImageId: request.imageId,
    ...placement(request),
    ...market(request),
    IamInstanceProfile: { Name: request.instanceProfile },
    UserData: Buffer.from(request.userData).toString("base64"),
    ...(request.detailedMonitoring !== undefined && { Monitoring: { Enabled: request.detailedMonitoring } }),
    MetadataOptions: {
      HttpEndpoint: request.metadataOptions.httpEndpoint,
      HttpProtocolIpv6: request.metadataOptions.httpProtocolIpv6,
      HttpPutResponseHopLimit: request.metadataOptions.httpPutResponseHopLimit,
      HttpTokens: request.metadataOptions.httpTokens,
      // Tag keys with a slash, such as the ownership tag, cannot be served as metadata.
      InstanceMetadataTags: "disabled",
    },
    BlockDeviceMappings: request.blockDeviceMappings.map(blockDevice),
    TagSpecifications: tagSpecifications(request),
  };
}

/** The SDK's list of types is always older than EC2's, so the name is passed through unchecked. */
function sdkInstanceType(name: string): _InstanceType;
function sdkInstanceType(name: string): string {
  return name;
}

/** A public address can only be asked for on an explicit network interface; subnet and groups then belong inside it. */
function placement(request: RunInstancesRequest): Partial<RunInstancesCommandInput> {
  const groups = [...request.securityGroupIds];
  if (request.associatePublicIpAddress === undefined) return { SubnetId: request.subnetId, SecurityGroupIds: groups };
  const AssociatePublicIpAddress = request.associatePublicIpAddress;
  return {
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: request.subnetId, Groups: groups, AssociatePublicIpAddress }],
  };
}

/** On-demand instances never fall into open reservations, as with Karpenter (karpenter-aws §4.3). */
function market(request: RunInstancesRequest): Partial<RunInstancesCommandInput> {
  switch (request.capacityType) {
    case "spot":
      return {
        InstanceMarketOptions: {
          MarketType: "spot",
          SpotOptions: { SpotInstanceType: "one-time", InstanceInterruptionBehavior: "terminate" },
        },
      };
    case "reserved":
      return reserved(request);
    case "on-demand":
      return { CapacityReservationSpecification: { CapacityReservationPreference: "none" } };
  }
}

/** From the reservation that is named, and from nowhere else; blocks and borrowed capacity are markets of their own. */
function reserved(request: RunInstancesRequest): Partial<RunInstancesCommandInput> {
  const { capacityReservationId: CapacityReservationId, capacityReservationType } = request;
  const market =
    capacityReservationType === "capacity-block"
      ? MarketType.capacity_block
      : request.capacityReservationInterruptible
        ? MarketType.interruptible_capacity_reservation
        : undefined;
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: "capacity-reservations-only",
      ...(CapacityReservationId !== undefined && { CapacityReservationTarget: { CapacityReservationId } }),
    },
    ...(market !== undefined && { InstanceMarketOptions: { MarketType: market } }),
  };
}

type BlockDevice = RunInstancesRequest["blockDeviceMappings"][number];

function blockDevice(device: BlockDevice): BlockDeviceMapping {
  const volumeType = Object.values(VolumeType).find((type) => type === device.volumeType);
  return {
    DeviceName: device.deviceName,
    Ebs: {
      ...(device.volumeSizeGib !== undefined && { VolumeSize: device.volumeSizeGib }),
      ...(volumeType !== undefined && { VolumeType: volumeType }),
      ...(device.iops !== undefined && { Iops: device.iops }),
      ...(device.throughputMibps !== undefined && { Throughput: device.throughputMibps }),
      ...(device.encrypted !== undefined && { Encrypted: device.encrypted }),
      ...(device.kmsKeyId !== undefined && { KmsKeyId: device.kmsKeyId }),
      ...(device.snapshotId !== undefined && { SnapshotId: device.snapshotId }),
      ...(device.deleteOnTermination !== undefined && { DeleteOnTermination: device.deleteOnTermination }),
    },
  };
}

function tagSpecifications({ tags, capacityType }: RunInstancesRequest): TagSpecification[] {
  const Tags: Tag[] = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const everywhere: TagSpecification[] = [
    { ResourceType: "instance", Tags },
    { ResourceType: "volume", Tags },
    { ResourceType: "network-interface", Tags },
  ];
  return capacityType === "spot" ? [...everywhere, { ResourceType: "spot-instances-request", Tags }] : everywhere;
}
