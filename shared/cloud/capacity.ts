import type { Resources } from "../scheduling/resources.ts";
import type { InstanceTypeFacts } from "./catalog.ts";
import type { NodeSettings } from "./node-settings.ts";

export interface CapacityOptions {
  /** Share of an instance's memory that the hypervisor and firmware keep, 0 to 1. */
  readonly vmMemoryOverheadPercent: number;
  /** Network interfaces of each node that pods may not use, as custom networking needs. */
  readonly reservedEnis: number;
}

const bytesPerMib = 1024 ** 2;
const bytesPerGb = 1e9;
/** Memory that arm64 kernels set aside for the contiguous memory allocator. */
const armReservedMib = 64;
/** The kubelet's own limit, where interfaces do not set another. */
const defaultPods = 110;

/** What a node of this type offers in all, before anything is reserved (karpenter-aws §2.2). Extended resources it has none of are left out. */
export function capacityOf(facts: InstanceTypeFacts, settings: NodeSettings, options: CapacityOptions): Resources {
  const capacity: Record<string, number> = {
    cpu: facts.vcpus * 1000,
    memory: memoryCapacityMib(facts, options.vmMemoryOverheadPercent) * bytesPerMib,
    "ephemeral-storage":
      settings.usesLocalDisks && facts.localNvmeGb !== undefined
        ? facts.localNvmeGb * bytesPerGb
        : settings.volumeBytes,
    pods: podCapacity(facts, settings, options.reservedEnis),
  };
  const addresses = settings.family.os === "windows" ? (facts.eni?.ipv4PerInterface ?? 1) - 1 : 0;
  const efaInterfaces = settings.efaOnly?.count ?? facts.efaInterfaces;
  if (facts.branchInterfaces > 0) capacity["vpc.amazonaws.com/pod-eni"] = facts.branchInterfaces;
  if (efaInterfaces > 0) capacity["vpc.amazonaws.com/efa"] = efaInterfaces;
  if (addresses > 0) capacity["vpc.amazonaws.com/PrivateIPv4Address"] = addresses;
  return Object.assign(capacity, facts.devices);
}

/** MiB that the operating system sees, as estimated until a node of the type has reported its own. */
function memoryCapacityMib(
  facts: Pick<InstanceTypeFacts, "arch" | "memoryMib">,
  vmMemoryOverheadPercent: number,
): number {
  const memoryMib = facts.memoryMib - (facts.arch === "arm64" ? armReservedMib : 0);
  return memoryMib - Math.ceil(memoryMib * vmMemoryOverheadPercent);
}

/** `maxPods`, or what the interfaces allow, or 110 on Windows; then at most `podsPerCore` for each vCPU. */
function podCapacity(facts: InstanceTypeFacts, settings: NodeSettings, reservedEnis: number): number {
  const { family, maxPods, podsPerCore, efaOnly } = settings;
  const pods =
    maxPods ??
    (family.podsLimitedByInterfaces
      ? interfaceLimitedPods(facts, reservedEnis + (efaOnly?.onDefaultCard ?? 0))
      : defaultPods);
  return podsPerCore > 0 ? Math.min(pods, podsPerCore * facts.vcpus) : pods;
}

/**
 * Pods that get an address from the VPC: one address of each usable interface of the default card is the interface's own, and two pods use the
 * host's network. None if no interface is left. Prefix delegation is not in it: `maxPods` states that.
 */
export function interfaceLimitedPods(
  { eni, pods = 0 }: Pick<InstanceTypeFacts, "eni" | "pods">,
  unusableInterfaces: number,
): number {
  if (eni === undefined) return pods;
  const usable = eni.defaultCardInterfaces - unusableInterfaces;
  return usable > 0 ? usable * (eni.ipv4PerInterface - 1) + 2 : 0;
}
