import type { Kind, KubernetesObjects } from "./api/kinds.ts";
import type { Hint } from "./hints.ts";

/**
 * Everything the controllers may do to the world. Real adapters and the simulator implement these interfaces and pass the same
 * contract tests. An expected "no" is a value; anything else is a {@link ProviderError}.
 */
export interface Ports {
  readonly kubernetes: KubernetesPort;
  readonly ec2: Ec2Port;
  readonly cluster: ClusterPort;
  readonly hints: HintPort;
  readonly clock: ClockPort;
  readonly telemetry: TelemetryPort;
}

export interface ObjectReference {
  readonly name: string;
  /** Required for namespaced kinds, absent for the others. */
  readonly namespace?: string;
}

/** RFC 7386 merge patch. `metadata.resourceVersion` in it makes the write conditional: a mismatch is a `Conflict`. */
export type MergePatch = Readonly<Record<string, unknown>>;

export interface ListOptions {
  readonly namespace?: string;
  /** Equality only, as in `spec.nodeName=` or `status.phase!=Succeeded`, comma separated. */
  readonly fieldSelector?: string;
  /** Equality only, comma separated. */
  readonly labelSelector?: string;
}

export type EvictionOutcome =
  | { readonly kind: "evicted" }
  | { readonly kind: "absent" }
  /** A PodDisruptionBudget says not now (429). */
  | { readonly kind: "blocked"; readonly reason: string };

export interface KubernetesPort {
  /** All pages of a list, decoded; an item that cannot be decoded is left out and reported by telemetry. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<readonly KubernetesObjects[K][]>;
  get<K extends Kind>(kind: K, reference: ObjectReference): Promise<KubernetesObjects[K] | undefined>;
  /** `Conflict` when it exists. Returns the stored object with uid and resourceVersion. With `dryRun` all is checked and nothing stored. */
  create<K extends Kind>(
    kind: K,
    object: KubernetesObjects[K],
    options?: { readonly dryRun?: true },
  ): Promise<KubernetesObjects[K]>;
  /** `NotFound` when absent. */
  patch<K extends Kind>(
    kind: K,
    reference: ObjectReference,
    patch: MergePatch,
    options?: { readonly subresource?: "status" },
  ): Promise<KubernetesObjects[K]>;
  /** Marks for deletion; finalizers may keep it. Absent already: nothing to do. A uid that does not match is a `Conflict`. */
  delete(
    kind: Kind,
    reference: ObjectReference,
    options?: { readonly uid?: string; readonly gracePeriodSeconds?: number },
  ): Promise<"deleted" | "absent">;
  evict(
    reference: ObjectReference,
    options?: { readonly uid?: string; readonly gracePeriodSeconds?: number },
  ): Promise<EvictionOutcome>;
}

export type CapacityType = "spot" | "on-demand" | "reserved";
/** How EC2 sells reserved capacity: by the hour until it is given up, or in blocks that begin and end at a set time. */
export type ReservationType = "default" | "capacity-block";

/** RunInstances as data: every field that reaches EC2, so that a replay from the launch record is identical. */
export interface RunInstancesRequest {
  /** At most 64 ASCII characters; zonal, because a subnet is named. */
  readonly clientToken: string;
  readonly minCount: 1;
  readonly maxCount: number;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly capacityType: CapacityType;
  /** With `reserved`: from this reservation and no other. */
  readonly capacityReservationId?: string;
  readonly capacityReservationType?: ReservationType;
  /** Instances that EC2 may take back for the reservation's owner. */
  readonly capacityReservationInterruptible?: boolean;
  readonly instanceProfile: string;
  /** Plain text; the adapter encodes it. */
  readonly userData: string;
  /** Absent: one with EC2's defaults. Each is in the subnet, with the security groups above. */
  readonly networkInterfaces?: readonly NetworkInterfaceRequest[];
  /** Absent: shared hardware. */
  readonly tenancy?: "dedicated";
  readonly placementGroup?: { readonly id: string; readonly partition?: number };
  readonly nestedVirtualization?: "enabled" | "disabled";
  /** Nitro Enclaves. */
  readonly enclave?: boolean;
  readonly detailedMonitoring?: boolean;
  readonly metadataOptions: {
    readonly httpEndpoint: "enabled" | "disabled";
    /** Absent in regions that do not know it. */
    readonly httpProtocolIpv6?: "enabled" | "disabled";
    readonly httpPutResponseHopLimit: number;
    readonly httpTokens: "required" | "optional";
  };
  readonly blockDeviceMappings: readonly {
    readonly deviceName: string;
    readonly volumeSizeGib?: number;
    readonly volumeType?: string;
    readonly iops?: number;
    readonly throughputMibps?: number;
    readonly initializationRateMibps?: number;
    readonly encrypted?: boolean;
    readonly kmsKeyId?: string;
    readonly snapshotId?: string;
    readonly deleteOnTermination?: boolean;
  }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** A network interface as RunInstances is asked for it; what is absent is left to EC2. */
export interface NetworkInterfaceRequest {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  /** `efa` carries IP traffic too, `efa-only` does not. */
  readonly interfaceType: "interface" | "efa" | "efa-only";
  readonly associatePublicIpAddress?: boolean;
  readonly ipv4PrefixCount?: number;
  readonly ipv6PrefixCount?: number;
  /** One address, the node's primary one: a cluster of IPv6. */
  readonly ipv6?: true;
  /** Seconds each. */
  readonly connectionTracking?: {
    readonly tcpEstablishedTimeout?: number;
    readonly udpStreamTimeout?: number;
    readonly udpTimeout?: number;
  };
}

export type InstanceState = "pending" | "running" | "stopping" | "stopped" | "shutting-down" | "terminated";

export interface Ec2Instance {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly capacityType: CapacityType;
  /** The reservation that it counts against. */
  readonly capacityReservationId?: string;
  /** Of its placement group, when that has partitions. */
  readonly partitionNumber?: number;
  readonly state: InstanceState;
  readonly launchedAt: number;
  readonly privateDnsName?: string;
  readonly clientToken?: string;
  /** Why it ended, for example `Server.SpotInstanceTermination`. */
  readonly stateReason?: string;
  readonly tags: Readonly<Record<string, string>>;
}

export type InstanceFilter =
  /** All of this cluster's instances that are not terminated (karpenter-aws §4.7). */
  | { readonly by: "cluster" }
  | { readonly by: "ids"; readonly instanceIds: readonly string[] }
  | { readonly by: "tag"; readonly key: string; readonly value: string };

export interface Ec2Port {
  /** Between 1 and `maxCount` instances; a `ProviderError` with EC2's code when there is none. Never retried by the adapter. */
  runInstances(request: RunInstancesRequest): Promise<readonly Ec2Instance[]>;
  /** Every page; unknown ids are left out of the answer. A failure on any page fails the call: never a partial answer. */
  describeInstances(filter: InstanceFilter): Promise<readonly Ec2Instance[]>;
  /** Idempotent. One unknown id fails the call with `NotFound` and terminates none. */
  terminateInstances(instanceIds: readonly string[]): Promise<void>;
  createTags(instanceIds: readonly string[], tags: Readonly<Record<string, string>>): Promise<void>;
}

/** How a node finds its cluster, from eks:DescribeCluster. */
export interface ClusterEndpoint {
  readonly name: string;
  readonly endpoint: string;
  /** Base64, as DescribeCluster gives it. */
  readonly certificateAuthority: string;
  /** serviceIpv4Cidr, else serviceIpv6Cidr. */
  readonly serviceCidr: string;
  /** Cluster IP of kube-system/kube-dns, when it is known. */
  readonly dnsAddress?: string;
}

export interface ClusterPort {
  /** The cluster's endpoint; read once and kept. */
  describe(): Promise<ClusterEndpoint>;
}

export interface HintPort {
  /** To the hint's own queue (hints.ts), not before `delaySeconds` (0 to 900) have passed. */
  send(hint: Hint, options?: { readonly delaySeconds?: number }): Promise<void>;
}

export interface ClockPort {
  /** Epoch milliseconds. */
  now(): number;
  /** For the batching window alone (design rule 6). */
  sleep(milliseconds: number): Promise<void>;
  /** Milliseconds until the current invocation is killed. */
  remainingMilliseconds(): number;
  /** Unique per invocation: the holder name of a Lease. */
  requestId(): string;
}

export type Dimensions = Readonly<Record<string, string>>;

export interface TelemetryPort {
  /** Adds to a metric named in metrics.ts. */
  count(metric: string, value: number, dimensions?: Dimensions): void;
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export type ProviderErrorKind = "NotFound" | "Conflict" | "Throttled" | "NoCapacity" | "Denied" | "Invalid" | "Unknown";

/** A failed call to Kubernetes or AWS, classified (design rule 10). */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** The provider's own code, such as `InsufficientInstanceCapacity` or `AlreadyExists`. */
  readonly code: string;
  override readonly name = "ProviderError";

  constructor(kind: ProviderErrorKind, code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
    this.code = code;
  }
}
