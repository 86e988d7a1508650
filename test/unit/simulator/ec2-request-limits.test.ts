import { describe, expect, it } from "vitest";
import { RequestLimits, TokenBucket } from "../../../shared/simulator/ec2-request-limits.ts";

describe("TokenBucket", () => {
  it("starts full, refuses what it does not hold and takes nothing then", () => {
    const bucket = new TokenBucket({ capacity: 5, refillPerSecond: 2 }, 0);
    expect(bucket.take(6, 0)).toBe(false);
    expect(bucket.take(5, 0)).toBe(true);
    expect(bucket.take(1, 0)).toBe(false);
  });

  it("refills with time, up to its capacity", () => {
    const bucket = new TokenBucket({ capacity: 5, refillPerSecond: 2 }, 0);
    bucket.take(5, 0);
    expect(bucket.take(1, 499)).toBe(false);
    expect(bucket.take(1, 500)).toBe(true);
    expect(bucket.available(2_000)).toBe(3);
    expect(bucket.available(60_000)).toBe(5);
  });
});

describe("RequestLimits", () => {
  it("allows five RunInstances at once and two each second after", () => {
    const limits = new RequestLimits();
    for (let call = 0; call < 5; call++) limits.takeRequest("RunInstances", 0);
    expect(() => limits.takeRequest("RunInstances", 0)).toThrow("Request limit exceeded");
    limits.takeRequest("RunInstances", 500);
    limits.takeRequest("TerminateInstances", 0);
  });

  it("allows a thousand instances at once, whatever the number of calls", () => {
    const limits = new RequestLimits();
    limits.takeResources("RunInstances", 1_000, 0);
    expect(() => limits.takeResources("RunInstances", 1, 0)).toThrow(
      expect.objectContaining({ code: "RequestLimitExceeded" }),
    );
    limits.takeResources("RunInstances", 2, 1_000);
  });
});
