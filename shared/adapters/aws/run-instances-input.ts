import {
  type _InstanceType,
  type BlockDeviceMapping,
  type InstanceNetworkInterfaceSpecification,
  MarketType,
  type RunInstancesCommandInput,
  type Tag,
  type TagSpecification,
  VolumeType,
} from "@aws-sdk/client-ec2";
import type { NetworkInterfaceRequest, RunInstancesRequest } from "../../ports.ts";

/** A launch as the SDK wants it. A function of the request alone, so that a replayed request is the same to EC2. */
export function runInstancesInput(request: RunInstancesRequest): RunInstancesCommandInput {
  return {
    ClientToken: request.clientToken,
    MinCount: request.minCount,
    MaxCount: request.maxCount,
    InstanceType: sdkInstanceType(request.instanceType),
    ImageId: request.imageId,
    ...network(request),
    ...placement(request),
    ...market(request),
    IamInstanceProfile: { Name: request.instanceProfile },
    UserData: Buffer.from(request.userData).toString("base64"),
    ...(request.nestedVirtualization && { CpuOptions: { NestedVirtualization: request.nestedVirtualization } }),
    ...(request.enclave !== undefined && { EnclaveOptions: { Enabled: request.enclave } }),
    ...(request.detailedMonitoring !== undefined && { Monitoring: { Enabled: request.detailedMonitoring } }),
    MetadataOptions: {
      HttpEndpoint: request.metadataOptions.httpEndpoint,
      ...(request.metadataOptions.httpProtocolIpv6 && {
        HttpProtocolIpv6: request.metadataOptions.httpProtocolIpv6,
      }),
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

/** With explicit network interfaces the subnet and the groups belong inside each. */
function network({
  subnetId,
  securityGroupIds,
  networkInterfaces,
}: RunInstancesRequest): Partial<RunInstancesCommandInput> {
  const Groups = [...securityGroupIds];
  if (networkInterfaces === undefined) return { SubnetId: subnetId, SecurityGroupIds: Groups };
  return {
    NetworkInterfaces: networkInterfaces.map((one) => ({ ...networkInterface(one), SubnetId: subnetId, Groups })),
  };
}

function networkInterface(one: NetworkInterfaceRequest): InstanceNetworkInterfaceSpecification {
  const { associatePublicIpAddress, ipv4PrefixCount, ipv6PrefixCount, ipv6, connectionTracking } = one;
  return {
    NetworkCardIndex: one.networkCardIndex,
    DeviceIndex: one.deviceIndex,
    InterfaceType: one.interfaceType,
    ...(associatePublicIpAddress !== undefined && { AssociatePublicIpAddress: associatePublicIpAddress }),
    ...(ipv4PrefixCount !== undefined && { Ipv4PrefixCount: ipv4PrefixCount }),
    ...(ipv6PrefixCount !== undefined && { Ipv6PrefixCount: ipv6PrefixCount }),
    ...(ipv6 && { PrimaryIpv6: true, Ipv6AddressCount: 1 }),
    ...(connectionTracking && {
      ConnectionTrackingSpecification: {
        TcpEstablishedTimeout: connectionTracking.tcpEstablishedTimeout,
        UdpStreamTimeout: connectionTracking.udpStreamTimeout,
        UdpTimeout: connectionTracking.udpTimeout,
      },
    }),
  };
}

function placement({ tenancy, placementGroup }: RunInstancesRequest): Partial<RunInstancesCommandInput> {
  if (tenancy === undefined && placementGroup === undefined) return {};
  const { id, partition } = placementGroup ?? {};
  return {
    Placement: {
      ...(tenancy && { Tenancy: tenancy }),
      ...(id !== undefined && { GroupId: id }),
      ...(partition !== undefined && { PartitionNumber: partition }),
    },
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
      ...(device.initializationRateMibps !== undefined && { VolumeInitializationRate: device.initializationRateMibps }),
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
