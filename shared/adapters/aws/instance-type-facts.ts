import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { InstanceTypeFacts, PlacementStrategy } from "../../cloud/catalog.ts";
import { embeddedCatalog } from "../../cloud/embedded-catalog.ts";

/**
 * An instance type as DescribeInstanceTypes gives it (karpenter-aws §2.2, §2.4). What EC2 does not tell, branch interfaces and the baseline
 * of the network's bandwidth, is taken from the embedded tables, and absent for types that they do not know. Undefined where a field is missing
 * that no node can do without.
 */
export function instanceTypeFacts(info: InstanceTypeInfo): InstanceTypeFacts | undefined {
  const {
    InstanceType: name,
    VCpuInfo: cpu,
    MemoryInfo: memory,
    ProcessorInfo: processor,
    NetworkInfo: network,
  } = info;
  const arch = (processor?.SupportedArchitectures ?? [])
    .map((text) => arches.get(text))
    .find((one) => one !== undefined);
  if (name === undefined || arch === undefined || !cpu?.DefaultVCpus || !memory?.SizeInMiB) return undefined;
  const known = embeddedByName().get(name);
  const { EbsOptimizedSupport: ebsSupport, EbsOptimizedInfo: ebs } = info.EbsInfo ?? {};
  const ebsBandwidthMbps = ebsSupport === "default" ? ebs?.MaximumBandwidthInMbps : undefined;
  const localNvmeGb = nvmeOf(info);
  const strategies = (info.PlacementGroupInfo?.SupportedStrategies ?? []).filter(isStrategy);
  return {
    name,
    arch,
    vcpus: cpu.DefaultVCpus,
    memoryMib: memory.SizeInMiB,
    cpuManufacturer: labelValue(processor?.Manufacturer ?? known?.cpuManufacturer ?? ""),
    // The oldest types have none; Karpenter's label says 0 then.
    cpuClockMhz: Math.round((processor?.SustainedClockSpeedInGhz ?? 0) * 1_000),
    hypervisor: info.Hypervisor ?? "",
    bareMetal: info.BareMetal === true,
    encryptionInTransit: network?.EncryptionInTransitSupported === true,
    nitroEnclaves: info.NitroEnclavesSupport === "supported",
    ...(ebsBandwidthMbps !== undefined && { ebsBandwidthMbps }),
    ...(known?.networkBandwidthMbps !== undefined && { networkBandwidthMbps: known.networkBandwidthMbps }),
    ...(localNvmeGb !== undefined && { localNvmeGb }),
    ...interfacesOf(info, known),
    branchInterfaces: known?.branchInterfaces ?? 0,
    efaInterfaces: network?.EfaInfo?.MaximumEfaInterfaces ?? 0,
    ...(network?.EnaSupport !== undefined && { enaSupported: network.EnaSupport !== "unsupported" }),
    ...(strategies.length > 0 && { placementStrategies: strategies }),
    nestedVirtualization: (processor?.SupportedFeatures ?? []).some((feature) => feature === "nested-virtualization"),
    ...gpuOf(info),
    ...acceleratorOf(info),
    devices: devicesOf(info),
  };
}

const arches: ReadonlyMap<string, InstanceTypeFacts["arch"]> = new Map([
  ["x86_64", "amd64"],
  ["arm64", "arm64"],
]);

/** Manufacturers as EC2 writes them, with the resource that their device plugins offer. */
const gpuResources: ReadonlyMap<string, string> = new Map([
  ["NVIDIA", "nvidia.com/gpu"],
  ["AMD", "amd.com/gpu"],
  ["Habana", "habana.ai/gaudi"],
]);

function embeddedByName(): ReadonlyMap<string, InstanceTypeFacts> {
  embedded ??= new Map(embeddedCatalog().types.map((facts) => [facts.name, facts]));
  return embedded;
}

let embedded: ReadonlyMap<string, InstanceTypeFacts> | undefined;

/** As Karpenter's labels have it: lower case, no spaces. */
function labelValue(text: string): string {
  return text.toLowerCase().replaceAll(" ", "-");
}

function nvmeOf({ InstanceStorageInfo: storage }: InstanceTypeInfo): number | undefined {
  if (storage?.NvmeSupport === undefined || storage.NvmeSupport === "unsupported") return undefined;
  return storage.TotalSizeInGB;
}

/** The pod formula counts those of the default card, not all (karpenter-aws §2.2). */
function interfacesOf(
  { NetworkInfo: network }: InstanceTypeInfo,
  known: InstanceTypeFacts | undefined,
): Pick<InstanceTypeFacts, "eni" | "networkCards" | "pods"> {
  const cards = (network?.NetworkCards ?? []).toSorted((a, b) => (a.NetworkCardIndex ?? 0) - (b.NetworkCardIndex ?? 0));
  const defaultCard = cards.find(
    ({ NetworkCardIndex }) => NetworkCardIndex === (network?.DefaultNetworkCardIndex ?? 0),
  );
  const defaultCardInterfaces = defaultCard?.MaximumNetworkInterfaces ?? network?.MaximumNetworkInterfaces;
  const ipv4PerInterface = network?.Ipv4AddressesPerInterface;
  return {
    ...(defaultCardInterfaces !== undefined && ipv4PerInterface !== undefined
      ? { eni: { defaultCardInterfaces, ipv4PerInterface } }
      : known?.pods !== undefined && { pods: known.pods }),
    ...(cards.length > 0 && { networkCards: cards.map((card) => card.MaximumNetworkInterfaces ?? 0) }),
  };
}

/** Only where all GPUs are of one kind. */
function gpuOf({ GpuInfo }: InstanceTypeInfo): Pick<InstanceTypeFacts, "gpu"> {
  const [gpu, ...others] = GpuInfo?.Gpus ?? [];
  if (gpu?.Name === undefined || gpu.Manufacturer === undefined || others.length > 0) return {};
  return {
    gpu: {
      name: labelValue(gpu.Name),
      manufacturer: labelValue(gpu.Manufacturer),
      count: gpu.Count ?? 0,
      memoryMib: gpu.MemoryInfo?.SizeInMiB ?? 0,
    },
  };
}

/** A single inference accelerator that is no Neuron device, or a single Neuron device. */
function acceleratorOf({
  InferenceAcceleratorInfo,
  NeuronInfo,
}: InstanceTypeInfo): Pick<InstanceTypeFacts, "accelerator"> {
  const [neuron, ...otherNeurons] = NeuronInfo?.NeuronDevices ?? [];
  if (neuron?.Name !== undefined && otherNeurons.length === 0) {
    return { accelerator: { name: labelValue(neuron.Name), manufacturer: "aws", count: neuron.Count ?? 0 } };
  }
  const [accelerator, ...others] = InferenceAcceleratorInfo?.Accelerators ?? [];
  if (accelerator?.Name === undefined || accelerator.Manufacturer === undefined || others.length > 0) return {};
  const { Name: name, Manufacturer: manufacturer, Count: count = 0 } = accelerator;
  return { accelerator: { name: labelValue(name), manufacturer: labelValue(manufacturer), count } };
}

function devicesOf({ GpuInfo, NeuronInfo }: InstanceTypeInfo): InstanceTypeFacts["devices"] {
  const devices: Record<string, number> = {};
  for (const { Manufacturer = "", Count = 0 } of GpuInfo?.Gpus ?? []) {
    const resource = gpuResources.get(Manufacturer);
    if (resource !== undefined && Count > 0) devices[resource] = (devices[resource] ?? 0) + Count;
  }
  const neurons = NeuronInfo?.NeuronDevices ?? [];
  const count = neurons.reduce((sum, { Count = 0 }) => sum + Count, 0);
  if (count > 0) {
    devices["aws.amazon.com/neuron"] = count;
    devices["aws.amazon.com/neuroncore"] = (neurons[0]?.Count ?? 0) * (neurons[0]?.CoreInfo?.Count ?? 0);
  }
  return devices;
}

function isStrategy(text: string): text is PlacementStrategy {
  return text === "cluster" || text === "partition" || text === "spread";
}
