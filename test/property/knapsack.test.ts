import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnapsackSearch } from "../../shared/provisioning/packing/knapsack.ts";
import { capacityWorths, type Knapsack, mostWorth } from "../../shared/provisioning/packing/knapsack-relaxation.ts";

const thing = fc.record({
  cpu: fc.integer({ min: 0, max: 6 }),
  memory: fc.integer({ min: 0, max: 6 }),
  value: fc.double({ min: 0.1, max: 10, noNaN: true }),
  most: fc.integer({ min: 0, max: 3 }),
});
const knapsacks: fc.Arbitrary<Knapsack> = fc
  .record({ things: fc.array(thing, { minLength: 1, maxLength: 5 }), cpu: fc.integer({ min: 1, max: 20 }) })
  .map(({ things, cpu }) => ({
    capacity: Float64Array.of(cpu, 12),
    sizes: Float64Array.from(things.flatMap((one) => [one.cpu, one.memory])),
    values: Float64Array.from(things, ({ value }) => value),
    most: Float64Array.from(things, ({ most }) => most),
  }));

describe("what a node can hold at most", () => {
  it("is found by the search, and never above its limit, nor that above the linear relaxation's", () => {
    fc.assert(
      fc.property(knapsacks, fc.integer({ min: 1, max: 30 }), (knapsack, mostNodes) => {
        const best = bestOf(knapsack);
        const worths = capacityWorths(knapsack);
        const relaxed = mostWorth(knapsack, worths);
        expect(relaxed).toBeGreaterThanOrEqual(best - 1e-9);
        const whole = new KnapsackSearch(knapsack, worths, 0, Number.POSITIVE_INFINITY).run();
        expect(whole.value).toBeCloseTo(best, 9);
        expect(whole.upper).toBeCloseTo(best, 6);
        const cut = new KnapsackSearch(knapsack, worths, best / 2, mostNodes).run();
        expect(cut.upper).toBeGreaterThanOrEqual(best - 1e-9);
        expect(cut.upper).toBeLessThanOrEqual(Math.max(relaxed, best / 2) * (1 + 1e-6));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Tries everything. */
function bestOf({ capacity, sizes, values, most }: Knapsack): number {
  const dimensions = capacity.length;
  const fill = (index: number, free: readonly number[]): number => {
    if (index === values.length) return 0;
    let best = 0;
    for (let units = 0; units <= (most[index] ?? 0); units++) {
      const left = free.map((amount, dimension) => amount - units * (sizes[index * dimensions + dimension] ?? 0));
      if (left.every((amount) => amount >= 0))
        best = Math.max(best, units * (values[index] ?? 0) + fill(index + 1, left));
    }
    return best;
  };
  return fill(0, [...capacity]);
}
