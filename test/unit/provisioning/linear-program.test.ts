import { describe, expect, it } from "vitest";
import { cheapestCover } from "../../../shared/provisioning/packing/linear-program.ts";

const column = (price: number, ...amounts: number[]) => ({ price, amounts: Float64Array.from(amounts) });

describe("the cheapest fractional cover", () => {
  it("mixes columns where that is cheapest", () => {
    const { bound, duals } = cheapestCover([column(1, 2, 1), column(1, 1, 2)], Float64Array.of(3, 3));
    expect(bound).toBeCloseTo(2);
    expect([...duals]).toEqual([expect.closeTo(1 / 3), expect.closeTo(1 / 3)]);
  });

  it("prices only what is scarce", () => {
    const { bound, duals } = cheapestCover([column(1, 4, 100)], Float64Array.of(8, 1));
    expect(bound).toBeCloseTo(2);
    expect(duals[1]).toBeCloseTo(0);
  });

  it("values no column above its price, so that the bound holds whatever the arithmetic did", () => {
    const columns = [column(0.1, 2_000, 8e9), column(0.17, 4_000, 8e9), column(0.12, 2_000, 16e9)];
    const { duals } = cheapestCover(columns, Float64Array.of(1e6, 3e12));
    for (const { price, amounts } of columns) {
      const worth = amounts.reduce((sum, amount, index) => sum + amount * (duals[index] ?? 0), 0);
      expect(worth).toBeLessThanOrEqual(price + 1e-12);
    }
  });

  it("is nothing without demand, and claims nothing without columns", () => {
    expect(cheapestCover([column(1, 1)], Float64Array.of(0)).bound).toBe(0);
    expect(cheapestCover([], Float64Array.of(1)).bound).toBe(0);
  });
});
