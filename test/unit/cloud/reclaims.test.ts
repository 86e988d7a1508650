import { describe, expect, it } from "vitest";
import {
  formatReclaims,
  parseReclaims,
  reclaimKey,
  reclaimsPerHour,
  sweptReclaimKeys,
  withReclaims,
} from "../../../shared/cloud/reclaims.ts";

const hour = 3_600_000;
const pool = { instanceType: "m5.large", zone: "us-east-1a" };
const other = { instanceType: "c5.large", zone: "us-east-1a" };
const key = "m5.large/us-east-1a/spot";

describe("the history of reclaims", () => {
  it("adds up those of one batch, pool by pool", () => {
    const known = withReclaims([], [pool, other, pool], 0);
    expect(known).toEqual([
      { ...pool, reclaims: 2, at: 0 },
      { ...other, reclaims: 1, at: 0 },
    ]);
  });

  it("counts a reclaim half after six hours", () => {
    const [entry] = withReclaims(withReclaims([], [pool], 0), [pool], 6 * hour);
    expect(entry?.reclaims).toBeCloseTo(1.5);
    const [now = 0, later = 0] = [0, 6 * hour].map((at) =>
      reclaimsPerHour(withReclaims([], [pool], 0), [], at).get(key),
    );
    expect(later).toBeCloseTo(now / 2);
  });

  it("is a rate per instance: twice the instances, half the rate", () => {
    const known = withReclaims([], [pool], 0);
    const one = reclaimsPerHour(known, [{ ...pool, nodes: 1 }], 0).get(key) ?? 0;
    const two =
      reclaimsPerHour(
        known,
        [
          { ...pool, nodes: 1 },
          { ...pool, nodes: 1 },
        ],
        0,
      ).get(key) ?? 0;
    expect(two).toBeCloseTo(one / 2);
    // As much as the worst placement score says, or near it.
    expect(one).toBeGreaterThan(0.1);
    expect(one).toBeLessThan(0.2);
    expect(reclaimsPerHour(known, [], 0).get(key)).toBe(one);
  });

  it("is forgotten in the end, and never grows beyond its bound", () => {
    const known = withReclaims([], [pool], 0);
    expect(sweptReclaimKeys(known, 24 * hour)).toEqual([]);
    expect(sweptReclaimKeys(known, 48 * hour)).toEqual([reclaimKey(pool)]);
    expect(reclaimsPerHour(known, [], 48 * hour).size).toBe(0);
    const many = Array.from({ length: 2_501 }, (_, index) => ({
      ...pool,
      zone: `z${index}`,
      reclaims: 1 + index,
      at: 0,
    }));
    expect(sweptReclaimKeys(many, 0)).toEqual(["m5.large_z0"]);
  });

  it("is read back as it was written, and readable", () => {
    const [entry = { ...pool, reclaims: 0, at: 0 }] = withReclaims([], [pool], Date.UTC(2026, 0, 1));
    expect(reclaimKey(entry)).toMatch(/^[-._a-zA-Z0-9]+$/);
    expect(JSON.parse(formatReclaims(entry))).toEqual({ reclaims: 1, at: "2026-01-01T00:00:00.000Z", halfLife: "6h" });
    expect(parseReclaims(reclaimKey(entry), formatReclaims(entry))).toEqual(entry);
    expect(parseReclaims("m5.large", formatReclaims(entry))).toBeUndefined();
    expect(parseReclaims("m5.large_us-east-1a", "nonsense")).toBeUndefined();
  });
});
