import type { ProviderErrorKind } from "../ports.ts";

/** What the launch protocol does about an error (launch-steps.ts). */
export type LaunchEffect =
  /** Definitely nothing was launched, and this offering will not have it: try the next one. */
  | "next-offering"
  /** Definitely nothing was launched, and nothing is wrong with the request: the same request again, later. */
  | "back-off"
  /** The outcome is not known: look up by tag, then send the same token again. */
  | "resolve"
  /** The client token is spent: look up by tag, then a new attempt. */
  | "new-attempt"
  /** No offering of this NodeClass can work until a person changes something. */
  | "stop-pool";

/** How much of EC2 an error speaks for. */
export type UnavailableScope =
  | "offering"
  /** The type in this zone, however it is paid. */
  | "type-in-zone"
  /** The type in every zone, for this capacity type. */
  | "type"
  | "zone"
  | "capacity-type"
  | "subnet"
  | "none";

export interface Ec2ErrorClass {
  readonly code: string;
  readonly providerErrorKind: ProviderErrorKind;
  readonly effect: LaunchEffect;
  readonly scope: UnavailableScope;
  /** How long the scope is unavailable after the first refusal; 0 where the scope is none. */
  readonly ttlSeconds: number;
  /** Reason of the NodeClaim's Launched condition (karpenter-aws §4.6). */
  readonly reason: string;
  /** One sentence for a person. */
  readonly meaning: string;
  /** False for a code that is not in the table: to be counted and reported. */
  readonly known: boolean;
}

/** Looks an EC2 error up; its message decides where one code stands for several faults (karpenter-aws §4.6). Never throws. */
export function classifyEc2Error(code: string, message = ""): Ec2ErrorClass {
  const special = specialMessages.find((entry) => entry.codes.test(code) && entry.message.test(message));
  const row = special?.row ?? rows.get(code) ?? families.find((family) => code.startsWith(family.prefix))?.row;
  return row === undefined ? { ...unknownCode, code, known: false } : { ...row, code, known: true };
}

const firstRefusalSeconds = 180;
const longestRefusalSeconds = 3_600;

/** Seconds an offering stays unavailable after `times` refusals in a row: 180, doubled each time, one hour at most. */
export function unavailableFor(times: number, firstSeconds = firstRefusalSeconds): number {
  const longest = Math.max(firstSeconds, longestRefusalSeconds);
  return Math.min(longest, firstSeconds * 2 ** Math.min(20, Math.max(0, times - 1)));
}

type Row = Omit<Ec2ErrorClass, "code" | "known">;

function capacity(scope: UnavailableScope, reason: string, meaning: string, ttlSeconds = firstRefusalSeconds): Row {
  return { providerErrorKind: "NoCapacity", effect: "next-offering", scope, ttlSeconds, reason, meaning };
}

function refusal(providerErrorKind: ProviderErrorKind, effect: LaunchEffect, reason: string, meaning: string): Row {
  return { providerErrorKind, effect, scope: "none", ttlSeconds: 0, reason, meaning };
}

const throttled = refusal("Throttled", "back-off", "RequestLimitExceeded", "The account's request bucket is empty.");
const uncertain = refusal("Unknown", "resolve", "InternalError", "EC2 failed and may or may not have launched.");
const unknownCode = refusal("Unknown", "resolve", "LaunchFailed", "An error code that Journeyman does not know.");
const denied = refusal("Denied", "stop-pool", "Unauthorized", "The caller lacks a permission that the launch needs.");
const invalid = refusal("Invalid", "stop-pool", "LaunchFailed", "EC2 does not accept a value of the request.");
const missing = refusal("NotFound", "stop-pool", "LaunchFailed", "Something that the NodeClass names does not exist.");
const profilePending = refusal(
  "NotFound",
  "back-off",
  "InstanceProfileNameInvalid",
  "The instance profile is unknown to EC2, as it is for some seconds after it was made.",
);

const unsupportedSeconds = 6 * 3_600;

const rows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ["InsufficientInstanceCapacity", capacity("offering", "InsufficientCapacity", "EC2 has no such instance there now.")],
  ["InsufficientHostCapacity", capacity("offering", "InsufficientCapacity", "EC2 has no dedicated host there now.")],
  ["InsufficientCapacityOnHost", capacity("offering", "InsufficientCapacity", "The dedicated host is full.")],
  ["InsufficientCapacity", capacity("offering", "InsufficientCapacity", "EC2 has no such instance there now.")],
  ["UnfulfillableCapacity", capacity("offering", "InsufficientCapacity", "EC2 cannot fulfil the request there now.")],
  [
    "InsufficientVolumeCapacity",
    capacity("offering", "InsufficientCapacity", "EBS has no room for the volumes there."),
  ],
  ["ReservationCapacityExceeded", capacity("offering", "InsufficientCapacity", "The capacity reservation is used up.")],
  [
    "InvalidCapacityReservationId.NotFound",
    capacity("offering", "InsufficientCapacity", "The capacity reservation does not exist any more."),
  ],
  ["SpotMaxPriceTooLow", capacity("offering", "InsufficientCapacity", "Spot costs more than on-demand there now.")],
  [
    "Unsupported",
    capacity("type-in-zone", "LaunchFailed", "The type does not exist in that zone.", unsupportedSeconds),
  ],
  [
    "VcpuLimitExceeded",
    capacity("type", "VCPULimitExceeded", "The account's vCPU quota for this kind of type is used up."),
  ],
  ["InstanceLimitExceeded", capacity("type", "VCPULimitExceeded", "The account's instance quota is used up.")],
  [
    "MaxSpotInstanceCountExceeded",
    capacity("capacity-type", "SpotQuotaExceeded", "The account's spot quota is used up; on-demand goes on."),
  ],
  ["MaxFleetCountExceeded", capacity("offering", "FleetQuotaExceeded", "The account's fleet quota is used up.")],
  [
    "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
    capacity("capacity-type", "SpotSLRCreationFailed", "The spot service-linked role is missing; on-demand goes on."),
  ],
  [
    "InsufficientFreeAddressesInSubnet",
    capacity("subnet", "InsufficientFreeAddressesInSubnet", "The subnet has no free addresses."),
  ],
  ["InvalidSubnetID.NotFound", capacity("subnet", "SubnetResolutionFailed", "The subnet does not exist any more.")],
  ["RequestLimitExceeded", throttled],
  ["Throttling", throttled],
  ["ThrottlingException", throttled],
  ["EC2ThrottledException", throttled],
  ["InternalError", uncertain],
  ["InternalFailure", uncertain],
  ["ServerInternal", uncertain],
  ["ServiceUnavailable", uncertain],
  ["Unavailable", uncertain],
  ["RequestTimeout", uncertain],
  ["RequestTimeoutException", uncertain],
  ["TimeoutError", uncertain],
  ["AbortError", uncertain],
  ["NetworkingError", uncertain],
  ["ECONNRESET", uncertain],
  ["ECONNREFUSED", uncertain],
  ["ETIMEDOUT", uncertain],
  ["EPIPE", uncertain],
  ["EAI_AGAIN", uncertain],
  ["ENOTFOUND", uncertain],
  [
    "IdempotentParameterMismatch",
    refusal("Conflict", "new-attempt", "LaunchFailed", "The token was used with other parameters."),
  ],
  [
    "IdempotentInstanceTerminated",
    refusal("Conflict", "new-attempt", "LaunchFailed", "The token's instances are terminated already."),
  ],
  ["UnauthorizedOperation", denied],
  ["AccessDenied", denied],
  ["AccessDeniedException", denied],
  ["OptInRequired", { ...denied, meaning: "The account is not subscribed to EC2 or to the image." }],
  [
    "PendingVerification",
    refusal("Denied", "stop-pool", "AccountPendingVerification", "AWS is still verifying the account."),
  ],
  ["TagPolicyViolation", { ...invalid, meaning: "A tag breaks the organisation's tag policy." }],
  ["InvalidAMIID.Malformed", { ...invalid, reason: "InvalidAMIID", meaning: "The image id is malformed." }],
  ["InvalidAMIID.NotFound", { ...missing, reason: "AMINotFound", meaning: "The image does not exist any more." }],
  ["InvalidAMIID.Unavailable", { ...missing, reason: "AMINotFound", meaning: "The image cannot be used any more." }],
  ["InvalidBlockDeviceMapping", { ...invalid, meaning: "The block device mappings do not fit the image." }],
  ["InvalidUserData.Malformed", { ...invalid, meaning: "The user data is malformed." }],
  ["VolumeLimitExceeded", { ...invalid, meaning: "The account's volume quota is used up." }],
  ["ResourceCountExceeded", { ...invalid, meaning: "The account's quota for a resource of the launch is used up." }],
  ["RequestResourceCountExceeded", { ...invalid, meaning: "The request asks for more than one request may." }],
]);

/** Codes with many endings, longest prefix first. */
const families: readonly { readonly prefix: string; readonly row: Row }[] = [
  { prefix: "AuthFailure", row: denied },
  { prefix: "InvalidParameter", row: invalid },
  { prefix: "InvalidGroup", row: missing },
  { prefix: "InvalidSecurityGroupID", row: missing },
  { prefix: "InvalidSnapshot", row: missing },
  { prefix: "InvalidKeyPair", row: missing },
  { prefix: "Missing", row: invalid },
  { prefix: "Invalid", row: invalid },
];

/** One code, several faults: only EC2's English text tells them apart. */
const specialMessages: readonly { readonly codes: RegExp; readonly message: RegExp; readonly row: Row }[] = [
  { codes: /^InvalidParameter/, message: /iam ?instance ?profile/i, row: profilePending },
  {
    codes: /^InvalidParameter/,
    message: /belong to different networks/i,
    row: {
      ...invalid,
      reason: "SecurityGroupSubnetVPCMismatch",
      meaning: "Security group and subnet are in different VPCs.",
    },
  },
  {
    codes: /^InvalidParameter/,
    message: /free[- ]tier/i,
    row: { ...invalid, reason: "FreeTierIneligible", meaning: "The account may only launch free-tier types." },
  },
  {
    codes: /^Invalid/,
    message: /user data is limited to/i,
    row: { ...invalid, reason: "UserDataSizeLimitExceeded", meaning: "The user data is larger than 16,384 bytes." },
  },
  {
    codes: /^(UnauthorizedOperation|AccessDenied|AuthFailure)$/,
    message: /not authorized for images/i,
    row: { ...denied, reason: "AMIAuthorizationFailure", meaning: "The account may not use the image." },
  },
];
