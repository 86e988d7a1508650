import { describe, expect, it } from "vitest";
import {
  type ConfigurationBudget,
  planningBudget,
  solveConfigurations,
} from "../../../shared/provisioning/packing/configuration-lp.ts";
import { coverBoundUsdPerHour } from "../../../shared/provisioning/packing/cover-bound.ts";
import { lowerBoundUsdPerHour } from "../../../shared/provisioning/packing/lower-bound.ts";
import type { NodeRule, PackingProblem, ZoneShares } from "../../../shared/provisioning/packing/problem.ts";

interface Setup {
  /** CPU and count of each item. */
  readonly items: readonly (readonly [cpu: number, count: number])[];
  /** CPU and price by zone of each column. */
  readonly columns: readonly (readonly [cpu: number, ...prices: number[]])[];
  readonly rules?: readonly NodeRule[];
  readonly zoneShares?: readonly ZoneShares[];
  /** How many nodes of the first column there may be. */
  readonly nodesOfFirst?: number;
  /** How many of them a reservation has. */
  readonly reserved?: number;
}

function problemOf({ items, columns, rules = [], zoneShares, nodesOfFirst, reserved }: Setup): PackingProblem {
  const isLimited = nodesOfFirst !== undefined;
  const zoneCount = Math.max(0, ...columns.map(([, ...prices]) => prices.length));
  return {
    dimensions: ["cpu"],
    zones: ["a", "b", "c"].slice(0, zoneCount),
    items: items.map(([cpu, count]) => ({
      requests: Float64Array.of(cpu),
      count,
      zoneMask: 7,
      accepts: new Uint8Array(columns.length).fill(1),
    })),
    columns: columns.map(([cpu, ...prices], index) => ({
      name: `column ${cpu}`,
      pool: index === 0 ? 0 : 1,
      capacity: Float64Array.of(cpu),
      zonePrices: Float64Array.from(prices),
      limitUse: isLimited ? Float64Array.of(2 ** 30) : new Float64Array(),
      ...(reserved !== undefined && index === 0 && { reservation: 0 }),
    })),
    rules,
    pools: [nodesOfFirst ?? 0, Number.POSITIVE_INFINITY].map((nodes, pool) => ({
      name: `pool ${pool}`,
      headroom: isLimited ? Float64Array.of(nodes * 2 ** 30) : new Float64Array(),
    })),
    limitDimensions: isLimited ? ["memory"] : [],
    ...(reserved !== undefined && { reservations: [{ name: "cr-1", nodes: reserved }] }),
    ...(zoneShares && { zoneShares }),
  };
}

const exactBudget: ConfigurationBudget = {
  items: 100,
  rounds: 500,
  nodesPerSearch: 10_000,
  nodes: 1e7,
  tolerance: 1e-7,
};

function boundOf(setup: Setup): number {
  return solveConfigurations(problemOf(setup), exactBudget)?.boundUsdPerHour ?? Number.NaN;
}

describe("the configuration LP", () => {
  it("knows that what is left of a node may be too small for anything", () => {
    const threeSizes: Setup = {
      items: [
        [7, 20],
        [5, 20],
        [4, 20],
      ],
      columns: [[10, 1]],
    };
    // A 7 leaves room for nothing; two of the others share a node.
    expect(boundOf(threeSizes)).toBeCloseTo(40, 4);
    expect(coverBoundUsdPerHour(problemOf(threeSizes), [0, 1, 2])).toBeCloseTo(32, 4);
  });

  it("is fractional in how often contents occur", () => {
    expect(boundOf({ items: [[1, 4]], columns: [[3, 1]] })).toBeCloseTo(4 / 3, 4);
  });

  it("holds no more of an item on a node than there is", () => {
    expect(
      boundOf({
        items: [[1, 2]],
        columns: [
          [1, 1],
          [100, 5],
        ],
      }),
    ).toBeCloseTo(2, 4);
  });

  it("prefers dearer nodes that waste less", () => {
    const solution = solveConfigurations(
      problemOf({
        items: [[3, 30]],
        columns: [
          [5, 1],
          [6, 1.5],
        ],
      }),
      exactBudget,
    );
    expect(solution?.boundUsdPerHour).toBeCloseTo(22.5, 4);
    expect(solution?.converged).toBe(true);
    expect(solution?.patterns.map(({ column, units, uses }) => [column, ...units, Math.round(uses)])).toEqual([
      [1, 2, 15],
    ]);
  });

  it("keeps what hostname rules let onto a node, of one item and of several together", () => {
    const items: Setup["items"] = [
      [1, 6],
      [1, 6],
    ];
    const columns: Setup["columns"] = [[12, 1]];
    const owns = Uint8Array.of(1, 0);
    expect(boundOf({ items, columns })).toBeCloseTo(1, 4);
    expect(
      boundOf({ items, columns, rules: [{ kind: "spread", max: 2, owns, matches: Int32Array.of(1, 0) }] }),
    ).toBeCloseTo(3, 4);
    const both = { owns: Uint8Array.of(1, 1), matches: Int32Array.of(1, 1) };
    expect(boundOf({ items, columns, rules: [{ kind: "spread", max: 3, ...both }] })).toBeCloseTo(4, 4);
    expect(boundOf({ items, columns, rules: [{ kind: "anti-affinity", ...both }] })).toBeCloseTo(12, 4);
  });

  it("counts on no more of a limited NodePool than its limit leaves", () => {
    const items: Setup["items"] = [[1, 10]];
    const columns: Setup["columns"] = [
      [1, 1],
      [1, 4],
    ];
    expect(boundOf({ items, columns })).toBeCloseTo(10, 4);
    expect(boundOf({ items, columns, nodesOfFirst: 4 })).toBeCloseTo(28, 3);
  });

  it("counts on no more places of a reservation than it has", () => {
    const setup: Setup = {
      items: [[1, 10]],
      columns: [
        [2, 1e-6],
        [1, 3],
      ],
      reserved: 2,
    };
    expect(boundOf(setup)).toBeCloseTo(18, 3);
  });

  it("shares units out among zones of different prices", () => {
    const items: Setup["items"] = [[2, 6]];
    const columns: Setup["columns"] = [[2, 1, 2, 9]];
    expect(boundOf({ items, columns })).toBeCloseTo(6, 4);
    const shares = (...ranges: readonly (readonly [readonly number[], readonly number[]])[]): ZoneShares => ({
      items: Uint8Array.of(1),
      units: 6,
      ranges: ranges.map(([least, most]) => ({ least: Float64Array.from(least), most: Float64Array.from(most) })),
    });
    expect(
      boundOf({
        items,
        columns,
        zoneShares: [
          shares([
            [2, 2, 2],
            [2, 2, 2],
          ]),
        ],
      }),
    ).toBeCloseTo(24, 4);
    const orElse = shares(
      [
        [2, 2, 2],
        [2, 2, 2],
      ],
      [
        [0, 0, 0],
        [3, 6, 0],
      ],
    );
    expect(boundOf({ items, columns, zoneShares: [orElse] })).toBeCloseTo(9, 4);
  });

  it("does not depend on the order of items and columns", () => {
    const setup: Setup = {
      items: [
        [7, 3],
        [5, 8],
        [4, 2],
        [3, 9],
        [2.5, 4],
        [1, 5],
      ],
      columns: [
        [8, 1],
        [11, 1.4],
        [17, 2.05],
        [31, 3.9],
        [64, 7.7],
      ],
    };
    const turned = { items: setup.items.toReversed(), columns: setup.columns.toReversed() };
    const [a, b] = [setup, turned].map((one) => solveConfigurations(problemOf(one), planningBudget)?.boundUsdPerHour);
    expect(a).toBeGreaterThan(0);
    expect(a).toBeCloseTo(b ?? Number.NaN, 12);
  });

  it("takes equal items for one", () => {
    const items = Array.from({ length: 300 }, () => [1, 1] as const);
    const solution = solveConfigurations(problemOf({ items, columns: [[10, 1]] }), planningBudget);
    expect(solution?.boundUsdPerHour).toBeCloseTo(30, 1);
    const [pattern] = solution?.patterns ?? [];
    expect(pattern?.units.filter((units) => units > 0)).toHaveLength(10);
  });

  it("is content with nothing, and leaves out what no node takes", () => {
    expect(boundOf({ items: [], columns: [[1, 1]] })).toBe(0);
    expect(boundOf({ items: [[1, 0]], columns: [[1, 1]] })).toBe(0);
    expect(boundOf({ items: [[1, 2]], columns: [] })).toBe(0);
    expect(
      boundOf({
        items: [
          [9, 2],
          [1, 3],
        ],
        columns: [[1, 1]],
      }),
    ).toBeCloseTo(3, 4);
  });

  it("is not tried on more different items than the budget has, whose bound follows from the resources", () => {
    const items = Array.from({ length: 5_000 }, (_, index) => [1 + index / 5_000, 1] as const);
    const problem = problemOf({
      items,
      columns: [
        [4, 1],
        [64, 15],
        [128, 31],
      ],
    });
    expect(solveConfigurations(problem, planningBudget)).toBeUndefined();
    const cpu = items.reduce((sum, [size]) => sum + size, 0);
    expect(lowerBoundUsdPerHour(problem)).toBeCloseTo((cpu * 15) / 64, 6);
  });

  it("has a bound however little work it may do, and says that it is not done", () => {
    const setup: Setup = {
      items: [
        [7, 20],
        [5, 20],
        [4, 20],
      ],
      columns: [
        [10, 1],
        [12, 1.25],
      ],
    };
    const hasty = solveConfigurations(problemOf(setup), { ...exactBudget, rounds: 1, nodesPerSearch: 1, nodes: 1 });
    expect(hasty?.converged).toBe(false);
    expect(hasty?.boundUsdPerHour).toBeLessThanOrEqual(boundOf(setup));
    expect(hasty?.boundUsdPerHour).toBeGreaterThan(0.9 * coverBoundUsdPerHour(problemOf(setup), [0, 1, 2]));
  });
});
