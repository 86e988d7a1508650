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
  /** No offering of this NodePool can work until a person changes something: its circuit breaker opens. */
  | "stop-pool";

/** How much of EC2 an error speaks for. */
export type UnavailableScope =
  | "offering"
  /** The type in this zone, however it is paid. */
  | "type-in-zone"
  /** The type in every zone, for this capacity type. */
  | "type"
  | "capacity-type"
  | "subnet"
  /** Every type in this zone, for the placement group of the request alone. */
  | "placement-group-in-zone"
  | "none";

/** What is known of an error. */
export interface Ec2ErrorMeaning {
  readonly providerErrorKind: ProviderErrorKind;
  readonly effect: LaunchEffect;
  readonly scope: UnavailableScope;
  /** How long the scope is unavailable after the first refusal; 0 where the scope is none. */
  readonly ttlSeconds: number;
  /** Reason of the NodeClaim's Launched condition and of the events (karpenter-aws §4.6). */
  readonly reason: string;
  /** One sentence for a person. */
  readonly meaning: string;
}

/** Errors that mean the same. */
export interface Ec2ErrorRow extends Ec2ErrorMeaning {
  /** A code that ends in `*` stands for all that begin so; the longest wins. */
  readonly codes: readonly string[];
  /** Only with a message like this: EC2's English text alone tells some faults apart. */
  readonly message?: RegExp;
}

/** What an offering is unavailable for after a first refusal (karpenter-aws §4.6). */
export const firstRefusalSeconds = 180;
/** A type that a zone does not have today it will not have in an hour. */
const unsupportedSeconds = 6 * 3_600;

function capacity(scope: UnavailableScope, reason: string, meaning: string, ttlSeconds = firstRefusalSeconds) {
  return { providerErrorKind: "NoCapacity", effect: "next-offering", scope, ttlSeconds, reason, meaning } as const;
}

function refusal(
  providerErrorKind: ProviderErrorKind,
  effect: LaunchEffect,
  reason: string,
  meaning: string,
): Ec2ErrorMeaning {
  return { providerErrorKind, effect, scope: "none", ttlSeconds: 0, reason, meaning };
}

function denied(meaning: string, reason = "Unauthorized"): Ec2ErrorMeaning {
  return refusal("Denied", "stop-pool", reason, meaning);
}

function invalid(meaning: string, reason = "LaunchFailed"): Ec2ErrorMeaning {
  return refusal("Invalid", "stop-pool", reason, meaning);
}

function missing(meaning: string, reason = "LaunchFailed"): Ec2ErrorMeaning {
  return refusal("NotFound", "stop-pool", reason, meaning);
}

/** A code that is in no row. */
export const unknownError = refusal("Unknown", "resolve", "LaunchFailed", "An error that Journeyman does not know.");

const authorization = ["UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "AuthFailure"];

/**
 * Every error that a launch can meet with (karpenter-aws §4.6, §4.8, serverless-aws §2). Of the rows that fit, one with a message wins
 * over one without; docs/launch-errors.md shows them to people.
 */
export const ec2ErrorTable: readonly Ec2ErrorRow[] = [
  {
    codes: ["*"],
    message: /spread placement group|placement group.*(?:maximum|limit|more than) .*instances/i,
    ...capacity(
      "placement-group-in-zone",
      "PlacementGroupLimitExceeded",
      "The spread placement group has all the instances that it may have in the zone.",
    ),
  },
  {
    codes: ["InsufficientInstanceCapacity", "InsufficientCapacity"],
    ...capacity("offering", "InsufficientCapacity", "EC2 has no such instance there now."),
  },
  {
    codes: ["UnfulfillableCapacity"],
    ...capacity("offering", "InsufficientCapacity", "EC2 cannot fulfil the request there now."),
  },
  {
    codes: ["InsufficientHostCapacity", "InsufficientCapacityOnHost"],
    ...capacity("offering", "InsufficientCapacity", "There is no room on a dedicated host."),
  },
  {
    codes: ["InsufficientVolumeCapacity", "InsufficientAddressCapacity"],
    ...capacity("offering", "InsufficientCapacity", "EC2 has no room for the volumes or addresses of the instance."),
  },
  {
    codes: ["ReservationCapacityExceeded"],
    ...capacity("offering", "InsufficientCapacity", "The capacity reservation is used up."),
  },
  {
    codes: ["InvalidCapacityReservationId*"],
    ...capacity("offering", "InsufficientCapacity", "The capacity reservation does not exist any more."),
  },
  {
    codes: ["SpotMaxPriceTooLow"],
    ...capacity("offering", "InsufficientCapacity", "Spot costs more than on-demand there now."),
  },
  {
    codes: ["MaxFleetCountExceeded"],
    ...capacity("offering", "FleetQuotaExceeded", "The account's fleet quota is used up."),
  },
  {
    codes: ["Unsupported"],
    ...capacity("type-in-zone", "LaunchFailed", "The type does not exist in that zone.", unsupportedSeconds),
  },
  {
    codes: ["VcpuLimitExceeded", "InstanceLimitExceeded"],
    ...capacity("type", "VCPULimitExceeded", "The account's quota for this kind of type is used up."),
  },
  {
    codes: ["MaxSpotInstanceCountExceeded"],
    ...capacity("capacity-type", "SpotQuotaExceeded", "The account's spot quota is used up; on-demand goes on."),
  },
  {
    codes: ["AuthFailure.ServiceLinkedRoleCreationNotPermitted"],
    ...capacity(
      "capacity-type",
      "SpotSLRCreationFailed",
      "The account lacks the role AWSServiceRoleForEC2Spot, and Journeyman may not make it; on-demand goes on.",
    ),
  },
  {
    codes: ["InsufficientFreeAddressesInSubnet"],
    ...capacity("subnet", "InsufficientFreeAddressesInSubnet", "The subnet has no free addresses."),
  },
  {
    codes: ["InvalidSubnetID.NotFound"],
    ...capacity("subnet", "SubnetResolutionFailed", "The subnet does not exist any more."),
  },
  {
    codes: ["RequestLimitExceeded", "Throttling", "ThrottlingException", "EC2ThrottledException"],
    ...refusal("Throttled", "back-off", "RequestLimitExceeded", "The account's request bucket is empty."),
  },
  {
    codes: ["InvalidParameter*"],
    message: /iam ?instance ?profile/i,
    ...refusal(
      "NotFound",
      "back-off",
      "InstanceProfileNameInvalid",
      "The instance profile is unknown to EC2, as it is for some seconds after it was made.",
    ),
  },
  {
    codes: [
      ...["InternalError", "InternalFailure", "ServerInternal", "ServiceUnavailable", "Unavailable"],
      ...["RequestTimeout", "RequestTimeoutException", "TimeoutError", "AbortError", "NetworkingError"],
      ...["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "EAI_AGAIN", "ENOTFOUND"],
    ],
    ...refusal("Unknown", "resolve", "InternalError", "EC2 gave no answer, and may or may not have launched."),
  },
  {
    codes: ["InvalidInstanceID.NotFound"],
    ...refusal("NotFound", "resolve", "LaunchFailed", "EC2 does not show the instance, as it may for some minutes."),
  },
  {
    codes: ["IdempotentParameterMismatch"],
    ...refusal("Conflict", "new-attempt", "LaunchFailed", "The token was used with other parameters."),
  },
  {
    codes: ["IdempotentInstanceTerminated"],
    ...refusal("Conflict", "new-attempt", "LaunchFailed", "The token's instances are terminated already."),
  },
  { codes: authorization, ...denied("The caller lacks a permission that the launch needs.") },
  {
    codes: authorization,
    message: /not authorized for images/i,
    ...denied("The account may not use the image.", "AMIAuthorizationFailure"),
  },
  { codes: authorization, message: /permissions? boundary/i, ...denied("A permissions boundary forbids the launch.") },
  {
    codes: authorization,
    message: /service control policy/i,
    ...denied("A service control policy of the organisation forbids the launch."),
  },
  {
    codes: authorization,
    message: /no identity-based policy allows/i,
    ...denied("No policy of the function's role allows the launch."),
  },
  { codes: ["AuthFailure*"], ...denied("EC2 does not accept the caller.") },
  { codes: ["OptInRequired"], ...denied("The account is not subscribed to EC2 or to the image.") },
  {
    codes: ["PendingVerification"],
    ...denied("AWS is still verifying the account.", "AccountPendingVerification"),
  },
  {
    codes: ["*"],
    message: /free[- ]tier/i,
    ...invalid("The account may only launch free-tier types.", "FreeTierIneligible"),
  },
  {
    codes: ["Invalid*"],
    message: /user data is limited to/i,
    ...invalid("The user data is larger than 16,384 bytes.", "UserDataSizeLimitExceeded"),
  },
  {
    codes: ["InvalidParameter*"],
    message: /belong to different networks/i,
    ...invalid("Security group and subnet are in different VPCs.", "SecurityGroupSubnetVPCMismatch"),
  },
  { codes: ["TagPolicyViolation"], ...invalid("A tag breaks the organisation's tag policy.") },
  { codes: ["InvalidAMIID.Malformed"], ...invalid("The image id is malformed.", "InvalidAMIID") },
  {
    codes: ["InvalidAMIID.NotFound", "InvalidAMIID.Unavailable"],
    ...missing("The image does not exist any more, or cannot be used.", "AMINotFound"),
  },
  {
    codes: ["InvalidLaunchTemplateId*", "InvalidLaunchTemplateName*"],
    ...missing("The launch template does not exist; Journeyman uses none.", "LaunchTemplateNotFound"),
  },
  { codes: ["InvalidBlockDeviceMapping"], ...invalid("The block device mappings do not fit the image.") },
  { codes: ["InvalidUserData.Malformed"], ...invalid("The user data is malformed.") },
  { codes: ["VolumeLimitExceeded"], ...invalid("The account's volume quota is used up.") },
  { codes: ["ResourceCountExceeded"], ...invalid("The account's quota for a resource of the launch is used up.") },
  { codes: ["RequestResourceCountExceeded"], ...invalid("The request asks for more than one request may.") },
  {
    codes: ["InvalidGroup*", "InvalidSecurityGroupID*", "InvalidSnapshot*", "InvalidKeyPair*"],
    ...missing("A security group, snapshot or key pair that the NodeClass names does not exist."),
  },
  {
    codes: ["NoSuchEntity", "ParameterNotFound", "QueueDoesNotExist"],
    ...missing("A role, profile, parameter or queue does not exist (calls beside the launch)."),
  },
  {
    codes: ["EntityAlreadyExists"],
    ...refusal("Conflict", "back-off", "LaunchFailed", "What was to be made exists already (calls beside the launch)."),
  },
  {
    codes: ["DryRunOperation"],
    ...invalid("The request was only tried, and would have succeeded; a real launch is never answered so."),
  },
  { codes: ["InvalidParameter*", "Missing*", "Invalid*"], ...invalid("EC2 does not accept a value of the request.") },
];

/**
 * Why an instance that was launched ends before it is a node (karpenter-aws §4.8): the code of EC2's StateReason. Reasons in no row,
 * such as a shutdown that somebody asked for, say nothing about the offering.
 */
export const stateReasonTable: readonly Ec2ErrorRow[] = [
  {
    codes: ["Server.InsufficientInstanceCapacity"],
    ...capacity("offering", "InsufficientCapacity", "EC2 had no such instance there after all."),
  },
  {
    codes: ["Server.SpotInstanceTermination", "Server.SpotInstanceShutdown"],
    ...capacity("offering", "InsufficientCapacity", "Spot has taken the instance back before it was a node."),
  },
  {
    codes: ["Client.InternalError"],
    ...denied("The instance's encrypted volume could not be opened: its KMS key is disabled, or not to be used."),
  },
  { codes: ["Client.VolumeLimitExceeded"], ...invalid("The account's volume quota is used up.") },
  {
    codes: ["Client.InvalidSnapshot.NotFound"],
    ...missing("A snapshot that the NodeClass or its image names does not exist."),
  },
  {
    codes: ["Server.InternalError", "Server.ScheduledStop"],
    ...refusal("Unknown", "new-attempt", "InternalError", "EC2 could not keep the instance running."),
  },
];
