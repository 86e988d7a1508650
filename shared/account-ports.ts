import type { InstanceTypeFacts } from "./cloud/catalog.ts";
import type { Ports, ReservationType, RunInstancesRequest } from "./ports.ts";

/**
 * What the catalog function may use beside the others' ports: it alone asks EC2, SSM, IAM and the price list what the account has, so that
 * no other function bundles their clients or needs their permissions.
 */
export interface AccountPorts extends NodeClassPorts {
  readonly catalog: CatalogPort;
}

export interface NodeClassPorts extends Ports {
  readonly nodeClass: NodeClassPort;
}

/** A filter of an EC2 Describe call: `name` as EC2 has it (`tag:team`, `tag-key`, `subnet-id`), any of `values`. */
export interface Ec2Filter {
  readonly name: string;
  readonly values: readonly string[];
}

/** A zone of the region, by both its names: the placement scores know the id alone (serverless-aws §1). */
export interface Zone {
  readonly name: string;
  readonly id: string;
}

export interface PlacementScoreRequest {
  /** Sorted; at least three, or the score says nothing. */
  readonly instanceTypes: readonly string[];
  readonly targetCapacity: number;
}

export type PlacementScoreAnswer =
  /** Score 1 to 10 by zone id. A zone that is missing has no signal. */
  | { readonly kind: "scores"; readonly byZoneId: ReadonlyMap<string, number> }
  /** The account's quota of new configurations is used up, or the target is above what it allows: no signal, never no capacity. */
  | { readonly kind: "no-signal"; readonly code: string; readonly message: string };

/** Code of the `ProviderError` where no price list may be asked, or none tells the region's prices. */
export const noPriceListCode = "NoPriceList";

/** What EC2 sells in the region. Each call reads every page, or fails with a `ProviderError`: never a partial answer. */
export interface CatalogPort {
  zones(): Promise<readonly Zone[]>;
  /** HVM types for x86_64 and arm64 (karpenter-aws §2.1). One that cannot be read is left out and reported by telemetry. */
  instanceTypes(): Promise<readonly InstanceTypeFacts[]>;
  /** Names of the zones that have the type. */
  zonesByType(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** On-demand USD per hour by type, Linux, shared tenancy; bare metal by its own listing (karpenter-aws §3). */
  onDemandPrices(): Promise<ReadonlyMap<string, number>>;
  /** Current spot USD per hour by type, then zone name. */
  spotPrices(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
  placementScores(request: PlacementScoreRequest): Promise<PlacementScoreAnswer>;
}

export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly vpcId: string;
  readonly availableIpAddressCount: number;
}

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
}

export interface Image {
  readonly id: string;
  readonly name: string;
  /** As EC2 has it: `x86_64`, `arm64`, or another that no node runs. */
  readonly architecture: string;
  readonly createdAt: number;
  readonly isDeprecated: boolean;
}

export interface Ec2CapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly ownerId: string;
  readonly instanceMatchCriteria: string;
  readonly reservationType: ReservationType;
  readonly interruptible: boolean;
  readonly availableInstanceCount: number;
  readonly endsAt?: number;
}

export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: "cluster" | "partition" | "spread";
  readonly partitionCount?: number;
}

export interface InstanceProfile {
  readonly name: string;
  /** Bare names, without path. */
  readonly roles: readonly string[];
  readonly createdAt: number;
}

/** EC2's answer to a RunInstances that was only tried (`DryRun`). */
export type DryRunAnswer =
  | { readonly kind: "allowed" }
  /** A code of ec2-errors.ts. Throttling and server errors are thrown as `ProviderError`: they say nothing of the request. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/**
 * What an EC2NodeClass's selectors are looked up in (karpenter-aws §1). Filters of a call are ANDed. Each call reads every page or fails
 * with a `ProviderError`; an id that does not exist is left out of the answer.
 */
export interface NodeClassPort {
  subnets(filters: readonly Ec2Filter[]): Promise<readonly Subnet[]>;
  securityGroups(filters: readonly Ec2Filter[]): Promise<readonly SecurityGroup[]>;
  /** Those that are available, deprecated ones too. */
  images(query: {
    readonly filters: readonly Ec2Filter[];
    readonly owners?: readonly string[];
  }): Promise<readonly Image[]>;
  /** The value of an SSM parameter. */
  parameter(name: string): Promise<string | undefined>;
  /** Active ones. */
  capacityReservations(query: {
    readonly filters: readonly Ec2Filter[];
    readonly id?: string;
  }): Promise<readonly Ec2CapacityReservation[]>;
  placementGroup(by: { readonly name: string } | { readonly id: string }): Promise<PlacementGroup | undefined>;
  instanceProfile(name: string): Promise<InstanceProfile | undefined>;
  /** Of this path and below. */
  instanceProfiles(pathPrefix: string): Promise<readonly InstanceProfile[]>;
  /** Exists already: nothing to do. */
  createInstanceProfile(profile: {
    readonly name: string;
    readonly path: string;
    readonly tags: Readonly<Record<string, string>>;
  }): Promise<void>;
  /** `NotFound` when there is no such role or profile. The role is there already: nothing to do. */
  addRole(profile: string, role: string): Promise<void>;
  /** With the roles in it. Absent already: nothing to do. */
  deleteInstanceProfile(name: string): Promise<void>;
  dryRun(request: RunInstancesRequest): Promise<DryRunAnswer>;
}
