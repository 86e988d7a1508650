import type { Catalog, InstanceTypeFacts } from "../../shared/cloud/catalog.ts";
import { instanceFacts } from "./instance-facts.ts";

const mibPerGib = 1024;

interface TypeLine {
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly priceUsdPerHour: number;
  readonly arch?: "amd64" | "arm64";
  readonly gpus?: number;
  /** USD by zone; none: no spot. */
  readonly spot?: Readonly<Record<string, number>>;
  readonly zones?: readonly string[];
  readonly pods?: number;
}

const zones = ["a", "b", "c"] as const;

/** Round numbers: 4 GiB and 0.05 USD for each vCPU, so that the price says how much was bought. */
const ordinaryTypes: Readonly<Record<string, TypeLine>> = {
  "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 },
  "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 },
  "m5.2xlarge": { vcpus: 8, memoryGib: 32, priceUsdPerHour: 0.4 },
  "m5.4xlarge": { vcpus: 16, memoryGib: 64, priceUsdPerHour: 0.8 },
  "m6g.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2, arch: "arm64" },
};

/** Zones a, b and c. Together with `plainClass` and `planningSettings` a node's allocatable is exactly what its type says. */
export function catalogOf(types: Readonly<Record<string, TypeLine>> = ordinaryTypes): Catalog {
  const entries = Object.entries(types);
  return {
    region: "test",
    zones,
    types: entries.map(([name, line]) => facts(name, line)),
    onDemandPrices: new Map(entries.map(([name, line]) => [name, line.priceUsdPerHour])),
    spotPrices: new Map(
      entries.flatMap(([name, { spot }]) =>
        spot === undefined ? [] : [[name, new Map(Object.entries(spot))] as const],
      ),
    ),
    zonesByType: new Map(entries.map(([name, line]) => [name, line.zones ?? zones])),
  };
}

function facts(name: string, { vcpus, memoryGib, arch = "amd64", gpus = 0, pods = 110 }: TypeLine): InstanceTypeFacts {
  const { eni: _, ...base } = instanceFacts("m5.large");
  return {
    ...base,
    name,
    arch,
    vcpus,
    // The arm64 kernel's 64 MiB on top, which the capacity formula takes away.
    memoryMib: memoryGib * mibPerGib + (arch === "arm64" ? 64 : 0),
    pods,
    branchInterfaces: 0,
    devices: gpus > 0 ? { "nvidia.com/gpu": gpus } : {},
    ...(gpus > 0 && { gpu: { name: "t4", manufacturer: "nvidia", count: gpus, memoryMib: 16_384 } }),
  };
}
