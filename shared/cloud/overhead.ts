import type { Resources } from "../scheduling/resources.ts";
import { interfaceLimitedPods } from "./capacity.ts";
import type { InstanceTypeFacts } from "./catalog.ts";
import type { EvictionThreshold, NodeSettings } from "./node-settings.ts";

const bytesPerMib = 1024 ** 2;
const bytesPerGib = 1024 ** 3;

/**
 * What pods may use: capacity less kube-reserved, system-reserved and the hard eviction threshold (karpenter-aws §2.3), nothing below zero.
 * Soft eviction does not count.
 */
export function allocatableOf(facts: InstanceTypeFacts, settings: NodeSettings, capacity: Resources): Resources {
  const { cpu = 0, memory = 0, "ephemeral-storage": storage = 0 } = capacity;
  const kube = kubeReserved(facts, settings, capacity);
  const system = settings.systemReserved;
  const left = (name: string, total: number, evictionBytes: number) =>
    Math.max(0, total - (kube[name] ?? 0) - (system[name] ?? 0) - evictionBytes);
  return {
    ...capacity,
    cpu: left("cpu", cpu, 0),
    memory: left("memory", memory, thresholdBytes(settings.evictionMemory, memory)),
    "ephemeral-storage": left("ephemeral-storage", storage, thresholdBytes(settings.evictionStorage, storage)),
  };
}

/** The defaults of Amazon's images, each replaced by the class's own value for that resource. */
function kubeReserved(facts: InstanceTypeFacts, settings: NodeSettings, capacity: Resources): Resources {
  const pods = settings.family.reservesForInterfacePods ? interfaceLimitedPods(facts, 0) : (capacity.pods ?? 0);
  return {
    cpu: kubeReservedCpuMillis(facts.vcpus * 1000),
    memory: (11 * pods + 255) * bytesPerMib,
    "ephemeral-storage": bytesPerGib,
    ...settings.kubeReserved,
  };
}

const cpuBands = [
  { from: 0, to: 1000, share: 0.06 },
  { from: 1000, to: 2000, share: 0.01 },
  { from: 2000, to: 4000, share: 0.005 },
  { from: 4000, to: Number.POSITIVE_INFINITY, share: 0.0025 },
] as const;

/** 6 % of the first vCPU, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest; each band rounded down. */
function kubeReservedCpuMillis(cpuMillis: number): number {
  return cpuBands.reduce(
    (sum, { from, to, share }) => sum + Math.floor(Math.max(0, Math.min(cpuMillis, to) - from) * share),
    0,
  );
}

function thresholdBytes(threshold: EvictionThreshold, totalBytes: number): number {
  return "bytes" in threshold ? threshold.bytes : Math.ceil((totalBytes * threshold.percent) / 100);
}
