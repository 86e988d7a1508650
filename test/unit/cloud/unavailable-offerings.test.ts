import { describe, expect, it } from "vitest";
import { classifyEc2Error } from "../../../shared/cloud/ec2-errors.ts";
import {
  formatUnavailable,
  markUnavailable,
  parseUnavailable,
  sweptKeys,
  unavailability,
  unavailableKey,
  unavailableSubnets,
  withMarks,
} from "../../../shared/cloud/unavailable-offerings.ts";

const request = { instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot", subnetId: "subnet-1" };
const noCapacity = classifyEc2Error("InsufficientInstanceCapacity");
const minute = 60_000;

describe("markUnavailable", () => {
  it("keeps an offering away for three minutes, and for longer each time it is refused again", () => {
    const first = markUnavailable(noCapacity, request, [], 0);
    expect(first).toMatchObject([{ untilAt: 3 * minute, times: 1, code: "InsufficientInstanceCapacity" }]);
    const second = markUnavailable(noCapacity, request, first, 4 * minute);
    expect(second).toMatchObject([{ untilAt: 10 * minute, times: 2 }]);
  });

  it("does not count refusals of requests that were under way when the first came", () => {
    const first = markUnavailable(noCapacity, request, [], 0);
    expect(markUnavailable(noCapacity, request, first, minute)).toMatchObject([{ times: 1, untilAt: 4 * minute }]);
  });

  it("starts anew when the last refusal is long ago", () => {
    const first = markUnavailable(noCapacity, request, [], 0);
    expect(markUnavailable(noCapacity, request, first, 120 * minute)).toMatchObject([{ times: 1 }]);
  });

  it("speaks of a reservation alone, where one was launched from", () => {
    const reserved = { ...request, capacityType: "reserved", reservationId: "cr-1" };
    const marks = markUnavailable(classifyEc2Error("ReservationCapacityExceeded"), reserved, [], 0);
    expect(marks.map(unavailableKey)).toEqual(["m5.large_cr-1_reserved"]);
    const isRefused = (reservationId: string) =>
      unavailability("m5.large", { zone: "us-east-1a", capacityType: "reserved", reservationId }, marks, 1) !==
      undefined;
    expect([isRefused("cr-1"), isRefused("cr-2")]).toEqual([true, false]);
  });

  it("marks nothing for an error that is not about capacity", () => {
    expect(markUnavailable(classifyEc2Error("UnauthorizedOperation"), request, [], 0)).toEqual([]);
  });

  it.each([
    ["InsufficientInstanceCapacity", ["m5.large us-east-1a spot"]],
    ["Unsupported", ["m5.large us-east-1a spot", "m5.large us-east-1a on-demand"]],
    ["VcpuLimitExceeded", ["m5.large us-east-1a spot", "m5.large us-east-1b spot"]],
    [
      "MaxSpotInstanceCountExceeded",
      ["m5.large us-east-1a spot", "m5.large us-east-1b spot", "c5.large us-east-1a spot"],
    ],
    ["InsufficientFreeAddressesInSubnet", []],
  ])("%s makes unavailable: %j", (code, expected) => {
    const marks = markUnavailable(classifyEc2Error(code), request, [], 0);
    const offerings = [
      "m5.large us-east-1a spot",
      "m5.large us-east-1a on-demand",
      "m5.large us-east-1b spot",
      "c5.large us-east-1a spot",
    ];
    const refused = offerings.filter((text) => {
      const [instanceType = "", zone = "", capacityType] = text.split(" ");
      const offering = { zone, capacityType: capacityType === "spot" ? "spot" : "on-demand" } as const;
      return unavailability(instanceType, offering, marks, 1) !== undefined;
    });
    expect(refused).toEqual(expected);
  });

  it("sets one subnet aside, not its zone (B3.08)", () => {
    const marks = markUnavailable(classifyEc2Error("InsufficientFreeAddressesInSubnet"), request, [], 0);
    expect([...unavailableSubnets(marks, minute)]).toEqual(["subnet-1"]);
    expect(unavailableSubnets(marks, 10 * minute).size).toBe(0);
  });
});

describe("stored entries", () => {
  it.each(["InsufficientInstanceCapacity", "MaxSpotInstanceCountExceeded", "InsufficientFreeAddressesInSubnet"])(
    "of %s have a valid ConfigMap key and are read back as they were written",
    (code) => {
      const [entry] = markUnavailable(classifyEc2Error(code), request, [], 0);
      if (entry === undefined) throw new Error("no entry");
      expect(unavailableKey(entry)).toMatch(/^[-._a-zA-Z0-9]+$/);
      expect(parseUnavailable(unavailableKey(entry), formatUnavailable(entry))).toEqual(entry);
    },
  );

  it("that cannot be read are no entries", () => {
    expect(parseUnavailable("m5.large_us-east-1a", "{}")).toBeUndefined();
    expect(parseUnavailable("m5.large_us-east-1a_spot", "{}")).toBeUndefined();
    expect(parseUnavailable("m5.large_us-east-1a_spot", "nonsense")).toBeUndefined();
  });

  it("end with their time, and are swept when a repetition would not count any more", () => {
    const marks = markUnavailable(noCapacity, request, [], 0);
    const offering = { zone: "us-east-1a", capacityType: "spot" } as const;
    expect(unavailability("m5.large", offering, marks, 3 * minute)).toBeUndefined();
    expect(sweptKeys(marks, 4 * minute)).toEqual([]);
    expect(sweptKeys(marks, 63 * minute)).toEqual(["m5.large_us-east-1a_spot"]);
  });

  it("replace their older selves", () => {
    const first = markUnavailable(noCapacity, request, [], 0);
    const second = markUnavailable(noCapacity, request, first, 4 * minute);
    expect(withMarks(first, second)).toEqual(second);
  });
});
