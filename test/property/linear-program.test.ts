import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CoverColumn, cheapestCover } from "../../shared/provisioning/packing/linear-program.ts";

/** A millicore to a machine of terabytes, a cent to a thousand dollars: the scales that a catalog mixes. */
const amount = fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e6, noNaN: true }));
const column = fc.record({
  amounts: fc.tuple(amount, amount).map((pair) => Float64Array.from(pair)),
  price: fc.double({ min: 0.01, max: 1_000, noNaN: true }),
});
const demand = fc
  .tuple(fc.double({ min: 1, max: 1e6, noNaN: true }), fc.double({ min: 1, max: 1e6, noNaN: true }))
  .map((pair) => Float64Array.from(pair));

describe("the cheapest fractional cover of two resources", () => {
  it("costs what trying every pair of columns finds", () => {
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 25 }), demand, (columns, wanted) => {
        const optimum = cheapestPair(columns, wanted);
        fc.pre(Number.isFinite(optimum));
        expect(cheapestCover(columns, wanted).bound / optimum).toBeCloseTo(1, 6);
      }),
      { numRuns: 500 },
    );
  });
});

/** A vertex of the problem uses two columns at most; slack is a column that costs nothing and takes one unit away. */
function cheapestPair(columns: readonly CoverColumn[], wanted: Float64Array): number {
  const slack = [Float64Array.of(-1, 0), Float64Array.of(0, -1)].map((amounts) => ({ amounts, price: 0 }));
  const all = [...columns, ...slack];
  let best = Number.POSITIVE_INFINITY;
  for (const a of all) {
    for (const b of all) {
      const [a0 = 0, a1 = 0] = a.amounts;
      const [b0 = 0, b1 = 0] = b.amounts;
      const [w0 = 0, w1 = 0] = wanted;
      const determinant = a0 * b1 - a1 * b0;
      if (Math.abs(determinant) < 1e-9 * (Math.abs(a0 * b1) + Math.abs(a1 * b0))) continue;
      const timesA = (w0 * b1 - w1 * b0) / determinant;
      const timesB = (a0 * w1 - a1 * w0) / determinant;
      if (timesA >= 0 && timesB >= 0) best = Math.min(best, timesA * a.price + timesB * b.price);
    }
  }
  return best;
}
