import { describe, expect, it } from "vitest";
import { classifyEc2Error, unavailableFor } from "../../../shared/cloud/ec2-errors.ts";

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
