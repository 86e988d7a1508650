import type { BlockDeviceMapping, EC2NodeClass } from "../api/ec2-node-class.ts";
import type { RunInstancesRequest } from "../ports.ts";
import { quantityToWhole } from "../scheduling/quantities.ts";
import { amiFamilyTraits, resolveAmiFamily } from "./ami-family.ts";

/** A volume as EC2 is asked for it. */
export type DeviceRequest = RunInstancesRequest["blockDeviceMappings"][number];

/** Volumes of a node: the class's own, else the family's defaults (gp3, encrypted); Custom images bring theirs. */
export function blockDevices(nodeClass: EC2NodeClass): readonly DeviceRequest[] {
  return nodeClass.spec.blockDeviceMappings?.flatMap(deviceRequest) ?? imageDevices(nodeClass);
}

const bottlerocketRootDevice = "/dev/xvda";
const bottlerocketRootGib = 4;

/** The volumes that come with the family's image; none known of a Custom one. */
export function imageDevices(nodeClass: EC2NodeClass): readonly DeviceRequest[] {
  const family = resolveAmiFamily(nodeClass);
  const { ephemeralDevice, defaultVolumeGib } = amiFamilyTraits(family);
  if (ephemeralDevice === undefined) return [];
  const devices = [defaultDevice(ephemeralDevice, defaultVolumeGib)];
  return family === "Bottlerocket" ? [defaultDevice(bottlerocketRootDevice, bottlerocketRootGib), ...devices] : devices;
}

function defaultDevice(deviceName: string, volumeSizeGib: number): DeviceRequest {
  return { deviceName, volumeSizeGib, volumeType: "gp3", encrypted: true };
}

/** Devices of the volumes that come with the family's image; none known of a Custom one. */
export function imageDeviceNames(nodeClass: EC2NodeClass): readonly string[] {
  return imageDevices(nodeClass).map(({ deviceName }) => deviceName);
}

function deviceRequest({ deviceName, ebs }: BlockDeviceMapping): readonly DeviceRequest[] {
  if (deviceName === undefined) return [];
  if (ebs === undefined) return [{ deviceName }];
  const { volumeSize, volumeType, iops, throughput, encrypted, kmsKeyID, snapshotID, deleteOnTermination } = ebs;
  const { volumeInitializationRate } = ebs;
  return [
    {
      deviceName,
      ...(volumeSize !== undefined && { volumeSizeGib: Math.ceil(quantityToWhole(volumeSize) / 2 ** 30) }),
      ...(volumeType !== undefined && { volumeType }),
      ...(iops !== undefined && { iops }),
      ...(throughput !== undefined && { throughputMibps: throughput }),
      ...(encrypted !== undefined && { encrypted }),
      ...(kmsKeyID !== undefined && { kmsKeyId: kmsKeyID }),
      ...(snapshotID !== undefined && { snapshotId: snapshotID }),
      ...(deleteOnTermination !== undefined && { deleteOnTermination }),
      ...(volumeInitializationRate !== undefined && { initializationRateMibps: volumeInitializationRate }),
    },
  ];
}
