import type {
  Ec2CapacityReservation,
  Image,
  InstanceProfile,
  PlacementGroup,
  SecurityGroup,
  Subnet,
  Zone,
} from "../account-ports.ts";

type Tags = Readonly<Record<string, string>>;

export type AccountSubnet = Subnet & { readonly tags: Tags };
export type AccountSecurityGroup = SecurityGroup & { readonly vpcId: string; readonly tags: Tags };
/** `ownerAlias` is `amazon` for images of AWS. */
export type AccountImage = Image & { readonly ownerId: string; readonly ownerAlias?: string; readonly tags: Tags };
export type AccountReservation = Ec2CapacityReservation & { readonly state: string; readonly tags: Tags };
export type AccountInstanceProfile = InstanceProfile & { readonly path: string; readonly tags: Tags };

/** What one account has in one region beside its instances: data that the simulator's ports and the wire server both read. */
export interface SimulatedAccount {
  readonly accountId: string;
  readonly region: string;
  readonly zones: readonly Zone[];
  readonly subnets: readonly AccountSubnet[];
  readonly securityGroups: readonly AccountSecurityGroup[];
  readonly images: readonly AccountImage[];
  /** SSM parameters by name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly capacityReservations: readonly AccountReservation[];
  readonly placementGroups: readonly PlacementGroup[];
  /** Names of IAM roles. */
  readonly roles: readonly string[];
  /** By name; the calls to IAM change it. */
  readonly instanceProfiles: Map<string, AccountInstanceProfile>;
}
