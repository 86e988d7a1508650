import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lowerBoundUsdPerHour } from "../../shared/provisioning/packing/lower-bound.ts";
import { pack } from "../../shared/provisioning/packing/packer.ts";
import type { PackingProblem } from "../../shared/provisioning/packing/problem.ts";

const size = fc.integer({ min: 1, max: 6 });
const item = fc.record({ cpu: size, memory: size, count: fc.integer({ min: 1, max: 2 }), accepts: fc.boolean() });
const column = fc.record({
  cpu: fc.integer({ min: 2, max: 12 }),
  memory: fc.integer({ min: 2, max: 12 }),
  price: fc.integer({ min: 1, max: 20 }),
});

/** A few pods and node types; some items refuse the first type, some are anti-affine to each other. */
const problems: fc.Arbitrary<PackingProblem> = fc
  .record({
    items: fc.array(item, { minLength: 1, maxLength: 3 }),
    columns: fc.array(column, { minLength: 1, maxLength: 3 }),
    apart: fc.boolean(),
  })
  .map(({ items, columns, apart }) => ({
    dimensions: ["cpu", "memory"],
    zones: ["a"],
    items: items.map(({ cpu, memory, count, accepts }) => ({
      requests: Float64Array.of(cpu, memory),
      count,
      zoneMask: 1,
      accepts: Uint8Array.from(columns, (_, index) => Number(accepts || index > 0)),
    })),
    columns: columns.map(({ cpu, memory, price }, index) => ({
      name: String(index),
      pool: 0,
      capacity: Float64Array.of(cpu, memory),
      zonePrices: Float64Array.of(price),
      limitUse: new Float64Array(),
    })),
    rules: apart
      ? [{ kind: "anti-affinity", owns: Uint8Array.from(items, () => 1), matches: Int32Array.from(items, () => 1) }]
      : [],
    pools: [{ name: "pool", headroom: new Float64Array() }],
    limitDimensions: [],
  }));

describe("the lower bound", () => {
  it("is never above the cheapest packing there is, and the packer never below it", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const cheapest = cheapestOfAll(problem);
        const packing = pack(problem);
        expect(packing.unplaced.some((units) => units > 0)).toBe(cheapest === undefined);
        if (cheapest === undefined) return;
        expect(lowerBoundUsdPerHour(problem)).toBeLessThanOrEqual(cheapest + 1e-9);
        expect(packing.priceUsdPerHour).toBeGreaterThanOrEqual(cheapest - 1e-9);
      }),
      { numRuns: 300 },
    );
  });
});

/** Tries every way to put the pods into groups, each on the cheapest node that holds it; undefined when some pod fits nowhere. */
function cheapestOfAll(problem: PackingProblem): number | undefined {
  const pods = problem.items.flatMap((item, index) => Array.from({ length: item.count }, () => index));
  let best: number | undefined;
  const assign = (next: number, groups: number[][]): void => {
    const pod = pods[next];
    if (pod === undefined) {
      const price = groups.reduce((sum, group) => sum + cheapestNode(problem, group), 0);
      if (Number.isFinite(price) && (best === undefined || price < best)) best = price;
      return;
    }
    for (const group of [...groups, []]) {
      const isNew = !groups.includes(group);
      group.push(pod);
      assign(next + 1, isNew ? [...groups, group] : groups);
      group.pop();
    }
  };
  assign(0, []);
  return best;
}

function cheapestNode(problem: PackingProblem, group: readonly number[]): number {
  if (problem.rules.length > 0 && group.length > 1) return Number.POSITIVE_INFINITY;
  const prices = problem.columns.map(({ capacity, zonePrices }, column) => {
    const fits = [0, 1].every(
      (dimension) =>
        group.reduce((sum, item) => sum + (problem.items[item]?.requests[dimension] ?? 0), 0) <=
        (capacity[dimension] ?? 0),
    );
    const accepted = group.every((item) => problem.items[item]?.accepts[column] === 1);
    return fits && accepted ? (zonePrices[0] ?? 0) : Number.POSITIVE_INFINITY;
  });
  return Math.min(...prices);
}
