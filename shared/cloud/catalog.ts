/** Facts about one EC2 instance type, from DescribeInstanceTypes or the embedded tables. Absent means the type has none. */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly arch: "amd64" | "arm64";
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly cpuManufacturer: string;
  readonly cpuClockMhz?: number;
  /** `nitro`, `xen`, or empty for bare metal. */
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly encryptionInTransit: boolean;
  readonly nitroEnclaves: boolean;
  readonly ebsBandwidthMbps?: number;
  readonly networkBandwidthMbps?: number;
  readonly localNvmeGb?: number;
  /** Interfaces of the default network card and IPv4 addresses of each: the pod formula's inputs. Absent for 8 types. */
  readonly eni?: { readonly defaultCardInterfaces: number; readonly ipv4PerInterface: number };
  /** Pods when `eni` is absent. */
  readonly pods?: number;
  /** Branch interfaces of types that can trunk; 0 otherwise. */
  readonly branchInterfaces: number;
  readonly efaInterfaces: number;
  /** Interfaces of each network card, by the card's index. Absent: not known, so a class that lists its interfaces is judged by `eni`. */
  readonly networkCards?: readonly number[];
  /** Whether it has the Elastic Network Adapter. Absent: not known, and judged by its name. */
  readonly enaSupported?: boolean;
  /** Strategies of the placement groups that it can be in. Absent: not known, and judged by its name. */
  readonly placementStrategies?: readonly PlacementStrategy[];
  /** Whether a hypervisor can run in it. Absent: not known, and judged by its name. */
  readonly nestedVirtualization?: boolean;
  readonly gpu?: {
    readonly name: string;
    readonly manufacturer: string;
    readonly count: number;
    readonly memoryMib: number;
  };
  readonly accelerator?: { readonly name: string; readonly manufacturer: string; readonly count: number };
  /** Extended resources by name: `nvidia.com/gpu`, `aws.amazon.com/neuron`, and so on. */
  readonly devices: Readonly<Record<string, number>>;
}

export type PlacementStrategy = "cluster" | "partition" | "spread";

/** What EC2 offers in one region: the planner's whole knowledge of the cloud. */
export interface Catalog {
  readonly region: string;
  readonly zones: readonly string[];
  readonly types: readonly InstanceTypeFacts[];
  /** On-demand USD per hour by type. */
  readonly onDemandPrices: ReadonlyMap<string, number>;
  /** Spot USD per hour by type, then zone. A zone that is missing has no spot offering. */
  readonly spotPrices: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Zones that have the type at all. */
  readonly zonesByType: ReadonlyMap<string, readonly string[]>;
}

/** An offering EC2 has refused lately, until when, and how often in a row. */
export interface UnavailableOffering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly untilAt: number;
  readonly times: number;
  readonly code: string;
}
