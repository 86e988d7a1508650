import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import type { XmlValue } from "./xml.ts";

/** Whether EC2 sells the type as spot too. */
export interface InstanceTypeSales {
  readonly isSpot: boolean;
}

/** An instance type as DescribeInstanceTypes gives it. Facts that EC2 does not tell, such as branch interfaces, are left out. */
export function instanceTypeElement(facts: InstanceTypeFacts, { isSpot }: InstanceTypeSales) {
  return {
    instanceType: facts.name,
    currentGeneration: true,
    supportedUsageClasses: isSpot ? ["on-demand", "spot"] : ["on-demand"],
    supportedVirtualizationTypes: ["hvm"],
    bareMetal: facts.bareMetal,
    hypervisor: facts.hypervisor === "" ? undefined : facts.hypervisor,
    processorInfo: {
      supportedArchitectures:
        facts.arch === "arm64" ? ["arm64"] : facts.hypervisor === "xen" ? ["i386", "x86_64"] : ["x86_64"],
      sustainedClockSpeedInGhz: facts.cpuClockMhz === undefined ? undefined : facts.cpuClockMhz / 1000,
      supportedFeatures: facts.nestedVirtualization ? ["nested-virtualization"] : [],
      manufacturer: makers[facts.cpuManufacturer] ?? facts.cpuManufacturer,
    },
    vCpuInfo: { defaultVCpus: facts.vcpus },
    memoryInfo: { sizeInMiB: facts.memoryMib },
    instanceStorageSupported: facts.localNvmeGb !== undefined,
    instanceStorageInfo:
      facts.localNvmeGb === undefined ? undefined : { totalSizeInGB: facts.localNvmeGb, nvmeSupport: "required" },
    ebsInfo:
      facts.ebsBandwidthMbps === undefined
        ? { ebsOptimizedSupport: "unsupported" }
        : {
            ebsOptimizedSupport: "default",
            ebsOptimizedInfo: { maximumBandwidthInMbps: facts.ebsBandwidthMbps },
          },
    networkInfo: networkElement(facts),
    gpuInfo: gpuElement(facts),
    ...acceleratorElements(facts),
    placementGroupInfo: { supportedStrategies: facts.placementStrategies ?? ["cluster", "partition", "spread"] },
    nitroEnclavesSupport: facts.nitroEnclaves ? "supported" : "unsupported",
  } satisfies { readonly [name: string]: XmlValue };
}

const makers: Readonly<Record<string, string>> = {
  intel: "Intel",
  amd: "AMD",
  aws: "AWS",
  nvidia: "NVIDIA",
  habana: "Habana",
  qualcomm: "Qualcomm",
};

function networkElement(facts: InstanceTypeFacts): XmlValue {
  const interfaces = facts.eni?.defaultCardInterfaces ?? 1;
  const cards = facts.networkCards ?? [interfaces];
  return {
    maximumNetworkInterfaces: cards.reduce((sum, count) => sum + count, 0),
    maximumNetworkCards: cards.length,
    defaultNetworkCardIndex: 0,
    networkCards: cards.map((maximumNetworkInterfaces, networkCardIndex) => ({
      networkCardIndex,
      maximumNetworkInterfaces,
      baselineBandwidthInGbps:
        facts.networkBandwidthMbps === undefined ? undefined : facts.networkBandwidthMbps / 1000 / cards.length,
    })),
    ipv4AddressesPerInterface: facts.eni?.ipv4PerInterface,
    enaSupport: facts.hypervisor === "xen" ? "unsupported" : "required",
    efaSupported: facts.efaInterfaces > 0,
    efaInfo: facts.efaInterfaces > 0 ? { maximumEfaInterfaces: facts.efaInterfaces } : undefined,
    encryptionInTransitSupported: facts.encryptionInTransit,
  };
}

function gpuElement({ gpu }: InstanceTypeFacts): XmlValue {
  if (gpu === undefined) return undefined;
  return {
    gpus: [
      {
        name: gpu.name.toUpperCase(),
        manufacturer: makers[gpu.manufacturer] ?? gpu.manufacturer,
        count: gpu.count,
        memoryInfo: { sizeInMiB: gpu.memoryMib },
      },
    ],
    totalGpuMemoryInMiB: gpu.count * gpu.memoryMib,
  };
}

/** Neuron devices have cores; the other accelerators are listed as inference accelerators. */
function acceleratorElements({ accelerator, devices }: InstanceTypeFacts): { readonly [name: string]: XmlValue } {
  if (accelerator === undefined) return {};
  const { name, manufacturer, count } = accelerator;
  const cores = devices["aws.amazon.com/neuroncore"];
  if (cores === undefined) {
    // Alone among EC2's lists this one has elements named `member`.
    const member = { name, manufacturer: makers[manufacturer], count };
    return { inferenceAcceleratorInfo: { accelerators: { member } } };
  }
  const capitalized = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    neuronInfo: { neuronDevices: [{ name: capitalized, count, coreInfo: { count: cores / count, version: 2 } }] },
  };
}
