import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { quantityToWhole } from "../scheduling/quantities.ts";
import { parseResources, type Resources } from "../scheduling/resources.ts";
import { type AmiFamilyTraits, amiFamilyTraits, resolveAmiFamily } from "./ami-family.ts";

/** What a class says about the size of its nodes, read once: the class's side of the capacity and overhead formulas. */
export interface NodeSettings {
  readonly family: AmiFamilyTraits;
  readonly maxPods: number | undefined;
  /** Pods per vCPU; 0: no such limit. */
  readonly podsPerCore: number;
  /** Interfaces that carry EFA traffic only, when the class lists its interfaces itself. */
  readonly efaOnly: { readonly count: number; readonly onDefaultCard: number } | undefined;
  /** Local NVMe disks, where a type has them, hold pods' ephemeral storage in place of the volume. */
  readonly usesLocalDisks: boolean;
  readonly volumeBytes: number;
  /** Only what the class states, in place of the defaults. */
  readonly kubeReserved: Resources;
  readonly systemReserved: Resources;
  readonly evictionMemory: EvictionThreshold;
  readonly evictionStorage: EvictionThreshold;
}

/** Bytes, or a percentage of the whole. */
export type EvictionThreshold = { readonly bytes: number } | { readonly percent: number };

/** Expects a validated class: a quantity that cannot be read throws a RangeError. */
export function nodeSettings(nodeClass: EC2NodeClass): NodeSettings {
  const { kubelet = {}, networkInterfaces, instanceStorePolicy } = nodeClass.spec;
  const family = amiFamilyTraits(resolveAmiFamily(nodeClass));
  const efaOnly = networkInterfaces?.filter((card) => card.interfaceType === "efa-only");
  return {
    family,
    maxPods: kubelet.maxPods,
    podsPerCore: family.honoursPodsPerCore ? (kubelet.podsPerCore ?? 0) : 0,
    efaOnly: efaOnly && {
      count: efaOnly.length,
      onDefaultCard: efaOnly.filter((card) => card.networkCardIndex === 0).length,
    },
    usesLocalDisks: instanceStorePolicy === "RAID0",
    volumeBytes: volumeBytes(nodeClass, family),
    kubeReserved: parseResources(kubelet.kubeReserved),
    systemReserved: parseResources(kubelet.systemReserved),
    evictionMemory: evictionThreshold(nodeClass, "memory.available") ?? { bytes: 100 * 1024 ** 2 },
    evictionStorage: evictionThreshold(nodeClass, "nodefs.available") ?? { percent: 10 },
  };
}

/** The volume marked as root, else the family's own (Custom: the last one), else the family's default size (karpenter-aws §2.2). */
function volumeBytes(nodeClass: EC2NodeClass, { ephemeralDevice, defaultVolumeGib }: AmiFamilyTraits): number {
  const mappings = nodeClass.spec.blockDeviceMappings ?? [];
  const volume =
    mappings.find((mapping) => mapping.rootVolume && mapping.ebs?.volumeSize !== undefined) ??
    (ephemeralDevice === undefined
      ? mappings.at(-1)
      : mappings.find((mapping) => mapping.deviceName === ephemeralDevice));
  const size = volume?.ebs?.volumeSize;
  if (size === undefined) return defaultVolumeGib * 1024 ** 3;
  return quantityToWhole(size);
}

/** The kubelet reads 100 % as "switched off". */
function evictionThreshold(nodeClass: EC2NodeClass, signal: string): EvictionThreshold | undefined {
  const text = nodeClass.spec.kubelet?.evictionHard?.[signal];
  if (text === undefined) return undefined;
  if (!text.endsWith("%")) return { bytes: quantityToWhole(text) };
  const percent = Number(text.slice(0, -1));
  return { percent: percent === 100 ? 0 : percent };
}
