import { describe, expect, it } from "vitest";
import { lowerBoundUsdPerHour } from "../../../shared/provisioning/packing/lower-bound.ts";
import type { PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { RightSizer } from "../../../shared/provisioning/packing/right-size.ts";
import { contentsOf } from "../../support/packing.ts";

/** Pods of one CPU, a reservation of nodes for one, and what can be bought: for one at 1 USD, for eight at 6. */
function problemWith({ pods, places }: { readonly pods: number; readonly places: number }): PackingProblem {
  const column = (name: string, cpus: number, price: number) => ({
    name,
    pool: 0,
    capacity: Float64Array.of(cpus),
    zonePrices: Float64Array.of(price),
    limitUse: new Float64Array(),
  });
  return {
    dimensions: ["cpu"],
    zones: ["a"],
    items: [{ requests: Float64Array.of(1), count: pods, zoneMask: 1, accepts: Uint8Array.of(1, 1, 1) }],
    columns: [{ ...column("reserved", 1, 1e-7), reservation: 0 }, column("small", 1, 1), column("large", 8, 6)],
    rules: [],
    pools: [{ name: "pool", headroom: new Float64Array() }],
    limitDimensions: [],
    reservations: [{ name: "cr-1", nodes: places }],
  };
}

describe("right-sizing", () => {
  it("moves nodes into a reservation while it has places, and the rest to the next cheapest", () => {
    const problem = problemWith({ pods: 3, places: 1 });
    const large = { column: 2, zone: 0, contents: contentsOf([1]), priceUsdPerHour: 6 };
    const packing = { nodes: [large, large, large], unplaced: Int32Array.of(0), priceUsdPerHour: 18 };
    const sized = new RightSizer(problem).fit(packing);
    expect(sized.nodes.map(({ column }) => problem.columns[column]?.name)).toEqual(["reserved", "small", "small"]);
  });
});

describe("the bound beside a reservation", () => {
  it("is what the pods cost that find no place in it", () => {
    expect(lowerBoundUsdPerHour(problemWith({ pods: 16, places: 0 }))).toBeCloseTo(12, 5);
    expect(lowerBoundUsdPerHour(problemWith({ pods: 16, places: 4 }))).toBeCloseTo(9, 5);
    expect(lowerBoundUsdPerHour(problemWith({ pods: 16, places: 40 }))).toBeLessThan(1e-5);
  });
});
