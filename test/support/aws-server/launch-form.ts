import type { CapacityType, RunInstancesRequest } from "../../../shared/ports.ts";
import type { QueryForm } from "./query-form.ts";

/** The request as it was before the adapter wrote it out, so that nothing that is lost on the wire goes unseen. */
export function launchOf(form: QueryForm): RunInstancesRequest {
  const interfaces = form.items("NetworkInterface");
  const place = interfaces[0] ?? form;
  return defined<RunInstancesRequest>({
    clientToken: form.text("ClientToken"),
    minCount: form.number("MinCount"),
    maxCount: form.number("MaxCount"),
    instanceType: form.text("InstanceType"),
    imageId: form.text("ImageId"),
    subnetId: place.text("SubnetId"),
    securityGroupIds: place.texts("SecurityGroupId") ?? [],
    ...marketOf(form),
    instanceProfile: form.text("IamInstanceProfile.Name"),
    userData: Buffer.from(form.text("UserData") ?? "", "base64").toString(),
    networkInterfaces: interfaces.length === 0 ? undefined : interfaces.map(interfaceOf),
    tenancy: form.text("Placement.Tenancy"),
    placementGroup: placementGroupOf(form.at("Placement")),
    nestedVirtualization: form.text("CpuOptions.NestedVirtualization"),
    enclave: form.flag("EnclaveOptions.Enabled"),
    detailedMonitoring: form.flag("Monitoring.Enabled"),
    metadataOptions: metadataOptionsOf(form.at("MetadataOptions")),
    blockDeviceMappings: form.items("BlockDeviceMapping").map(blockDeviceOf),
    tags: form.at("TagSpecification.1").tags("Tag"),
  });
}

function marketOf(form: QueryForm) {
  const specification = form.at("CapacityReservationSpecification");
  const market = form.text("InstanceMarketOptions.MarketType");
  if (specification.text("CapacityReservationPreference") !== "capacity-reservations-only") {
    const capacityType: CapacityType = market === "spot" ? "spot" : "on-demand";
    return { capacityType };
  }
  return {
    capacityType: "reserved",
    capacityReservationId: specification.text("CapacityReservationTarget.CapacityReservationId"),
    capacityReservationType: market === "capacity-block" ? market : undefined,
    capacityReservationInterruptible: market === "interruptible-capacity-reservation" ? true : undefined,
  };
}

function interfaceOf(form: QueryForm) {
  const tracking = form.at("ConnectionTrackingSpecification");
  return defined({
    networkCardIndex: form.number("NetworkCardIndex") ?? 0,
    deviceIndex: form.number("DeviceIndex"),
    interfaceType: form.text("InterfaceType") ?? "interface",
    associatePublicIpAddress: form.flag("AssociatePublicIpAddress"),
    ipv4PrefixCount: form.number("Ipv4PrefixCount"),
    ipv6PrefixCount: form.number("Ipv6PrefixCount"),
    ipv6: form.flag("PrimaryIpv6"),
    connectionTracking: form.has("ConnectionTrackingSpecification")
      ? defined({
          tcpEstablishedTimeout: tracking.number("TcpEstablishedTimeout"),
          udpStreamTimeout: tracking.number("UdpStreamTimeout"),
          udpTimeout: tracking.number("UdpTimeout"),
        })
      : undefined,
  });
}

function placementGroupOf(placement: QueryForm) {
  const id = placement.text("GroupId");
  return id === undefined ? undefined : defined({ id, partition: placement.number("PartitionNumber") });
}

function metadataOptionsOf(form: QueryForm) {
  return defined({
    httpEndpoint: form.text("HttpEndpoint"),
    httpProtocolIpv6: form.text("HttpProtocolIpv6"),
    httpPutResponseHopLimit: form.number("HttpPutResponseHopLimit"),
    httpTokens: form.text("HttpTokens"),
  });
}

function blockDeviceOf(form: QueryForm) {
  const ebs = form.at("Ebs");
  return defined({
    deviceName: form.text("DeviceName"),
    volumeSizeGib: ebs.number("VolumeSize"),
    volumeType: ebs.text("VolumeType"),
    iops: ebs.number("Iops"),
    throughputMibps: ebs.number("Throughput"),
    initializationRateMibps: ebs.number("VolumeInitializationRate"),
    encrypted: ebs.flag("Encrypted"),
    kmsKeyId: ebs.text("KmsKeyId"),
    snapshotId: ebs.text("SnapshotId"),
    deleteOnTermination: ebs.flag("DeleteOnTermination"),
  });
}

/** Without what was not sent. */
function defined<T extends object = Record<string, unknown>>(fields: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
