import { describe, expect, it } from "vitest";
import { classifyEc2Error, classifyStateReason, unavailableFor } from "../../../shared/cloud/ec2-errors.ts";

describe("classifyEc2Error", () => {
  it.each([
    ["InsufficientInstanceCapacity", "NoCapacity", "next-offering", "offering"],
    ["SpotMaxPriceTooLow", "NoCapacity", "next-offering", "offering"],
    ["MaxSpotInstanceCountExceeded", "NoCapacity", "next-offering", "capacity-type"],
    ["AuthFailure.ServiceLinkedRoleCreationNotPermitted", "NoCapacity", "next-offering", "capacity-type"],
    ["VcpuLimitExceeded", "NoCapacity", "next-offering", "type"],
    ["Unsupported", "NoCapacity", "next-offering", "type-in-zone"],
    ["InsufficientFreeAddressesInSubnet", "NoCapacity", "next-offering", "subnet"],
    ["RequestLimitExceeded", "Throttled", "back-off", "none"],
    ["InternalError", "Unknown", "resolve", "none"],
    ["IdempotentParameterMismatch", "Conflict", "new-attempt", "none"],
    ["UnauthorizedOperation", "Denied", "stop-pool", "none"],
    ["AuthFailure", "Denied", "stop-pool", "none"],
    ["InvalidParameterCombination", "Invalid", "stop-pool", "none"],
    ["InvalidAMIID.NotFound", "NotFound", "stop-pool", "none"],
    ["InvalidGroup.NotFound", "NotFound", "stop-pool", "none"],
  ])("%s is %s: %s, unavailable: %s", (code, providerErrorKind, effect, scope) => {
    expect(classifyEc2Error(code)).toMatchObject({ code, providerErrorKind, effect, scope, known: true });
  });

  it("remembers a type that a zone does not have for hours, missing capacity for minutes", () => {
    expect(classifyEc2Error("Unsupported").ttlSeconds).toBe(21_600);
    expect(classifyEc2Error("InsufficientInstanceCapacity").ttlSeconds).toBe(180);
  });

  it("takes a new instance profile for something to wait for (B3.16)", () => {
    const message = "Value (x) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name";
    expect(classifyEc2Error("InvalidParameterValue", message).effect).toBe("back-off");
    expect(classifyEc2Error("InvalidParameterValue", "something else").effect).toBe("stop-pool");
  });

  it.each([
    ["InvalidParameterValue", "User data is limited to 16384 bytes", "UserDataSizeLimitExceeded"],
    ["InvalidParameter", "Security group sg and subnet belong to different networks", "SecurityGroupSubnetVPCMismatch"],
    ["AuthFailure", "Not authorized for images: [ami-1]", "AMIAuthorizationFailure"],
    ["InvalidParameterCombination", "not eligible for Free Tier", "FreeTierIneligible"],
  ])("reads %s with %j as %s", (code, message, reason) => {
    expect(classifyEc2Error(code, message).reason).toBe(reason);
  });

  it("treats a code it does not know as an unknown outcome, and says that it does not know it", () => {
    expect(classifyEc2Error("BrandNew")).toMatchObject({ effect: "resolve", known: false, code: "BrandNew" });
    expect(classifyEc2Error("")).toMatchObject({ effect: "resolve", known: false });
  });
});

/** Codes that karpenter-aws §4.6, §4.7 and §4.8 and serverless-aws §2 name, each with what becomes of the launch. */
const named = {
  "next-offering": [
    ...["InsufficientInstanceCapacity", "MaxSpotInstanceCountExceeded", "VcpuLimitExceeded", "UnfulfillableCapacity"],
    ...["Unsupported", "InsufficientFreeAddressesInSubnet", "MaxFleetCountExceeded", "ReservationCapacityExceeded"],
    ...["AuthFailure.ServiceLinkedRoleCreationNotPermitted", "InsufficientHostCapacity", "InsufficientCapacityOnHost"],
    ...["InstanceLimitExceeded", "SpotMaxPriceTooLow", "InsufficientAddressCapacity", "InsufficientVolumeCapacity"],
    ...["InvalidSubnetID.NotFound", "InvalidCapacityReservationId.NotFound"],
  ],
  "back-off": [
    ...["RequestLimitExceeded", "Throttling", "ThrottlingException", "EC2ThrottledException", "EntityAlreadyExists"],
  ],
  resolve: [
    ...["InternalError", "InternalFailure", "ServerInternal", "ServiceUnavailable", "Unavailable"],
    ...[
      "RequestTimeout",
      "RequestTimeoutException",
      "ECONNRESET",
      "ETIMEDOUT",
      "EAI_AGAIN",
      "InvalidInstanceID.NotFound",
    ],
  ],
  "new-attempt": ["IdempotentParameterMismatch", "IdempotentInstanceTerminated"],
  "stop-pool": [
    ...["UnauthorizedOperation", "AccessDenied", "AuthFailure", "InvalidParameter", "InvalidParameterValue"],
    ...[
      "InvalidParameterCombination",
      "InvalidLaunchTemplateName.NotFoundException",
      "InvalidLaunchTemplateId.NotFound",
    ],
    ...["InvalidAMIID.Malformed", "InvalidAMIID.NotFound", "PendingVerification", "NoSuchEntity", "ParameterNotFound"],
    ...["InvalidGroup.NotFound", "InvalidSnapshot.NotFound", "InvalidBlockDeviceMapping", "OptInRequired"],
    ...["VolumeLimitExceeded", "ResourceCountExceeded", "RequestResourceCountExceeded", "InvalidUserData.Malformed"],
    ...["TagPolicyViolation", "DryRunOperation", "QueueDoesNotExist"],
  ],
} as const;

describe("the table of errors", () => {
  it.each(Object.entries(named))("knows each code that means %s", (effect, codes) => {
    for (const code of codes) {
      expect(classifyEc2Error(code), code).toMatchObject({ effect, known: true });
    }
  });

  it("says of each code what is unavailable and for how long, and a reason and a sentence for people", () => {
    for (const code of Object.values(named).flat()) {
      const { effect, scope, ttlSeconds, reason, meaning } = classifyEc2Error(code);
      expect([code, scope !== "none"]).toEqual([code, effect === "next-offering"]);
      expect([code, ttlSeconds > 0]).toEqual([code, effect === "next-offering"]);
      expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(meaning).toMatch(/^[A-Z].*\.$/);
    }
  });

  it("knows the limit of a spread placement group by its message, whatever the code", () => {
    const message = "You cannot launch more than 7 instances in a spread placement group in this Availability Zone";
    for (const code of ["InsufficientInstanceCapacity", "InstanceLimitExceeded", "InvalidParameterValue"]) {
      expect(classifyEc2Error(code, message)).toMatchObject({
        effect: "next-offering",
        scope: "placement-group-in-zone",
        reason: "PlacementGroupLimitExceeded",
      });
    }
  });

  it.each([
    [
      "is not authorized to perform: ec2:RunInstances with an explicit deny in a service control policy",
      /organisation/,
    ],
    ["because no permissions boundary allows the ec2:RunInstances action", /boundary/],
    ["because no identity-based policy allows the ec2:RunInstances action", /role/],
  ])("tells who forbids a launch: %s", (message, meaning) => {
    expect(classifyEc2Error("UnauthorizedOperation", message)).toMatchObject({ reason: "Unauthorized" });
    expect(classifyEc2Error("UnauthorizedOperation", message).meaning).toMatch(meaning);
  });
});

describe("the reason that an instance ended with", () => {
  it.each([
    ["Server.InsufficientInstanceCapacity", "next-offering", "InsufficientCapacity"],
    ["Server.SpotInstanceTermination", "next-offering", "InsufficientCapacity"],
    ["Client.InternalError", "stop-pool", "Unauthorized"],
    ["Client.VolumeLimitExceeded", "stop-pool", "LaunchFailed"],
    ["Client.InvalidSnapshot.NotFound", "stop-pool", "LaunchFailed"],
    ["Server.InternalError", "new-attempt", "InternalError"],
  ])("%s means %s: %s", (code, effect, reason) => {
    expect(classifyStateReason(code)).toMatchObject({ code, effect, reason });
  });

  it.each(["Client.UserInitiatedShutdown", "Client.InstanceInitiatedShutdown", ""])(
    "%j says nothing of launches",
    (code) => {
      expect(classifyStateReason(code)).toBeUndefined();
    },
  );
});

describe("unavailableFor", () => {
  it("doubles from three minutes to an hour", () => {
    expect([1, 2, 3, 4, 5, 6, 100].map((times) => unavailableFor(times))).toEqual([
      180, 360, 720, 1_440, 2_880, 3_600, 3_600,
    ]);
  });

  it("never shortens a longer first time", () => {
    expect(unavailableFor(3, 21_600)).toBe(21_600);
  });
});
