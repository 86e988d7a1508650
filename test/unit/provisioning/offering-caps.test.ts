import { describe, expect, it } from "vitest";
import { Headroom } from "../../../shared/provisioning/packing/headroom.ts";
import { pack } from "../../../shared/provisioning/packing/packer.ts";
import { independentParts } from "../../../shared/provisioning/packing/parts.ts";
import type { PackingColumn, PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { undominatedColumns } from "../../../shared/provisioning/packing/prune.ts";
import { remainder } from "../../../shared/provisioning/packing/remainder.ts";
import { contentsOf } from "../../support/packing.ts";

/** Of capacity 1 in zones a and b; each zone has a cap of its own unless stated otherwise. */
function column(name: string, prices: readonly [number, number], caps?: PackingColumn["capsByZone"]): PackingColumn {
  return {
    name,
    pool: 0,
    capacity: Float64Array.of(1),
    zonePrices: Float64Array.from(prices),
    limitUse: new Float64Array(),
    ...(caps && { capsByZone: caps }),
  };
}

/** Units that fill a node each. */
function problemWith(columns: readonly PackingColumn[], caps: readonly number[], units = 8): PackingProblem {
  return {
    dimensions: ["cpu"],
    zones: ["a", "b"],
    items: [{ requests: Float64Array.of(1), count: units, zoneMask: 0b11, accepts: Uint8Array.from(columns, () => 1) }],
    columns,
    rules: [],
    pools: [{ name: "default", headroom: new Float64Array() }],
    limitDimensions: [],
    offeringCaps: { nodes: Float64Array.from(caps), enough: 2 },
  };
}

const own = column("own", [1, 2], [[0], [1]]);
const other = column("other", [3, 4], [[2], [3]]);

/** Nodes by column and zone. */
function counts(problem: PackingProblem): Readonly<Record<string, number>> {
  const { nodes, unplaced } = pack(problem);
  expect(unplaced[0]).toBe(0);
  const places = Map.groupBy(
    nodes,
    ({ column: index, zone }) => `${problem.columns[index]?.name} ${problem.zones[zone]}`,
  );
  return Object.fromEntries([...places].map(([place, same]) => [place, same.length]));
}

describe("caps on offerings", () => {
  it("are kept by a packing: the cheapest offerings first, each as far as its cap goes", () => {
    expect(counts(problemWith([own, other], [2, 3, 9, 9]))).toEqual({ "own a": 2, "own b": 3, "other a": 3 });
  });

  it("leave over what no offering has room for", () => {
    expect(pack(problemWith([own], [2, 3])).unplaced[0]).toBe(3);
  });

  it("hold for several columns together, and several hold for one", () => {
    const shared = [column("p", [1, 9], [[0], []]), column("q", [1.5, 9], [[0, 1], []])];
    const result = counts(problemWith(shared, [5, 1], 6));
    expect((result["p a"] ?? 0) + (result["q a"] ?? 0)).toBe(5);
    expect(result["q a"] ?? 0).toBeLessThanOrEqual(1);
  });

  it("say nothing about columns without caps", () => {
    expect(counts(problemWith([column("free", [1, 2])], []))).toEqual({ "free a": 8 });
  });

  it("tie items that no column takes both of", () => {
    const columns = [column("p", [1, 1], [[0], []]), column("q", [1, 1], [[0], []])];
    const item = (accepts: readonly number[]) => ({
      requests: Float64Array.of(1),
      count: 2,
      zoneMask: 0b01,
      accepts: Uint8Array.from(accepts),
    });
    const problem = { ...problemWith(columns, [3]), items: [item([1, 0]), item([0, 1])] };
    expect(independentParts(problem, "columns and headroom")).toHaveLength(1);
    const { nodes, unplaced } = pack(problem);
    expect([nodes.length, unplaced.reduce((sum, count) => sum + count, 0)]).toEqual([3, 1]);
  });

  it("keep columns that as many others as are enough do not dominate", () => {
    const dearer = (index: number) => column(String(index), [index, index], [[2 * index], [2 * index + 1]]);
    const columns = [1, 2, 3, 4].map(dearer);
    expect(undominatedColumns(problemWith(columns, []))).toEqual([0, 1]);
    expect(undominatedColumns(problemWith([column("free", [0.5, 0.5]), ...columns], []))).toEqual([0]);
  });

  it("have less room for what a packing leaves over", () => {
    const problem = problemWith([own], [2, 3]);
    const node = { column: 0, zone: 0, contents: contentsOf([1]), priceUsdPerHour: 1 };
    const rest = remainder(problem, { nodes: [node], unplaced: Int32Array.of(7), priceUsdPerHour: 1 });
    expect([...(rest.offeringCaps?.nodes ?? [])]).toEqual([1, 3]);
  });

  it("are counted down and up by zone", () => {
    const headroom = new Headroom(problemWith([own], [2, 3]));
    headroom.take(own, 0, 2);
    expect([headroom.nodesLeft(own, 0), headroom.nodesLeft(own, 1), headroom.zonesLeft(own, 0b11)]).toEqual([
      0, 3, 0b10,
    ]);
    headroom.take(own, 0, -1);
    expect([headroom.nodesLeft(own, 0), headroom.zonesLeft(own, 0b01)]).toEqual([1, 0b01]);
  });
});
