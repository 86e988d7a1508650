import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { amiFamilyTraits, resolveAmiFamily } from "./ami-family.ts";
import { blockDevices, type DeviceRequest, imageDevices } from "./block-devices.ts";

/**
 * USD per hour of the EBS volumes that every node of a class has, at the list prices of us-east-1 (aws.amazon.com/ebs/pricing): those
 * of its block device mappings and those of its image that the mappings leave as they are. A month has 730 hours. The image of a
 * Custom class is not known: one volume of the default size is assumed where the class maps none. Requests to `standard` volumes,
 * snapshots and the initialization rate are not counted.
 */
export function volumesUsdPerHour(nodeClass: EC2NodeClass): number {
  const mapped = blockDevices(nodeClass);
  const names = new Set(mapped.map(({ deviceName }) => deviceName));
  const ofImage = imageDevices(nodeClass).filter(({ deviceName }) => !names.has(deviceName));
  const all = [...mapped, ...ofImage];
  const { defaultVolumeGib } = amiFamilyTraits(resolveAmiFamily(nodeClass));
  const priced = all.length === 0 ? [{ deviceName: "", volumeSizeGib: defaultVolumeGib, volumeType: "gp3" }] : all;
  return priced.reduce((sum, device) => sum + usdPerMonth(device, defaultVolumeGib), 0) / hoursPerMonth;
}

const hoursPerMonth = 730;

/** A volume whose snapshot alone tells its size counts as one of the family's default size. Without EBS settings it is no volume. */
function usdPerMonth(device: DeviceRequest, defaultVolumeGib: number): number {
  const { volumeType, volumeSizeGib, snapshotId, iops = 0, throughputMibps = 0 } = device;
  if (volumeSizeGib === undefined && snapshotId === undefined) return 0;
  const price = prices[volumeType ?? "gp2"] ?? free;
  const sizeUsd = (volumeSizeGib ?? defaultVolumeGib) * price.usdPerGib;
  const throughputUsd = Math.max(0, throughputMibps - includedThroughputMibps) * price.usdPerMibps;
  return sizeUsd + iopsUsd(iops, price.iopsTiers) + throughputUsd;
}

function iopsUsd(iops: number, tiers: readonly IopsTier[]): number {
  return tiers.reduce((sum, { above, usd }, index) => {
    const upTo = tiers[index + 1]?.above ?? Number.POSITIVE_INFINITY;
    return sum + Math.max(0, Math.min(iops, upTo) - above) * usd;
  }, 0);
}

/** What each IOPS beyond a number costs in a month, up to the next tier. */
interface IopsTier {
  readonly above: number;
  readonly usd: number;
}

interface VolumePrice {
  readonly usdPerGib: number;
  readonly iopsTiers: readonly IopsTier[];
  /** Of throughput beyond what gp3 includes. */
  readonly usdPerMibps: number;
}

const includedThroughputMibps = 125;

/** USD per month. Only gp3, io1 and io2 sell IOPS, only gp3 throughput. EC2 makes a gp2 of a volume without a type. */
const prices: Readonly<Record<string, VolumePrice>> = {
  gp3: { usdPerGib: 0.08, iopsTiers: [{ above: 3_000, usd: 0.005 }], usdPerMibps: 0.04 },
  gp2: { usdPerGib: 0.1, iopsTiers: [], usdPerMibps: 0 },
  io1: { usdPerGib: 0.125, iopsTiers: [{ above: 0, usd: 0.065 }], usdPerMibps: 0 },
  io2: {
    usdPerGib: 0.125,
    iopsTiers: [
      { above: 0, usd: 0.065 },
      { above: 32_000, usd: 0.0455 },
      { above: 64_000, usd: 0.03185 },
    ],
    usdPerMibps: 0,
  },
  st1: { usdPerGib: 0.045, iopsTiers: [], usdPerMibps: 0 },
  sc1: { usdPerGib: 0.015, iopsTiers: [], usdPerMibps: 0 },
  standard: { usdPerGib: 0.05, iopsTiers: [], usdPerMibps: 0 },
};

const free: VolumePrice = { usdPerGib: 0, iopsTiers: [], usdPerMibps: 0 };
