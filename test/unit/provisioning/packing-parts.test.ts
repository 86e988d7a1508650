import { describe, expect, it } from "vitest";
import { pack } from "../../../shared/provisioning/packing/packer.ts";
import { independentParts } from "../../../shared/provisioning/packing/parts.ts";
import type { PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { unitsOf } from "../../support/packing.ts";

interface Setup {
  /** What both NodePools may still add of nodes. */
  readonly nodesLeft?: readonly [number, number];
  /** Reservation of each column. */
  readonly reservation?: number;
  /** By item, the columns that take it. */
  readonly accepts?: readonly (readonly number[])[];
}

/** Two items of two units, each of them for the one column of a NodePool of its own; a node holds one unit. */
function problemWith({
  nodesLeft,
  reservation,
  accepts = [
    [1, 0],
    [0, 1],
  ],
}: Setup = {}): PackingProblem {
  const limited = nodesLeft === undefined ? [] : ["nodes"];
  return {
    dimensions: ["cpu"],
    zones: ["a"],
    items: accepts.map((columns) => ({
      requests: Float64Array.of(1),
      count: 2,
      zoneMask: 1,
      accepts: Uint8Array.from(columns),
    })),
    columns: [0, 1].map((pool) => ({
      name: `column ${pool}`,
      pool,
      capacity: Float64Array.of(1),
      zonePrices: Float64Array.of(pool + 1),
      limitUse: Float64Array.from(limited, () => 1),
      ...(reservation !== undefined && { reservation }),
    })),
    rules: [{ kind: "anti-affinity", matches: Int32Array.of(1, 1), owns: Uint8Array.of(1, 1) }],
    pools: [0, 1].map((pool) => ({
      name: `pool ${pool}`,
      headroom: Float64Array.from(nodesLeft === undefined ? [] : [nodesLeft[pool] ?? 0]),
    })),
    limitDimensions: limited,
    reservations: reservation === undefined ? [] : [{ name: "cr-1", nodes: 3 }],
  };
}

describe("the parts of a packing problem", () => {
  it("are apart when no column takes items of both, whatever rules say about sharing a node", () => {
    const parts = independentParts(problemWith(), "columns and headroom");
    expect(parts.map(({ items, columns }) => ({ items, columns }))).toEqual([
      { items: [0], columns: [0] },
      { items: [1], columns: [1] },
    ]);
    expect(parts.map(({ problem }) => problem.pools.map(({ name }) => name))).toEqual([["pool 0"], ["pool 1"]]);
  });

  it("are one when a column takes both, or both take places of one reservation", () => {
    const shared = problemWith({
      accepts: [
        [1, 0],
        [1, 1],
      ],
    });
    expect(independentParts(shared, "columns and headroom")).toHaveLength(1);
    const reserved = problemWith({ reservation: 0 });
    expect(independentParts(reserved, "columns and headroom")).toHaveLength(1);
    expect(independentParts(reserved, "columns")).toHaveLength(2);
  });

  it("are one for a NodePool's limit that both count against", () => {
    const { columns, ...rest } = problemWith({ nodesLeft: [3, 3] });
    const onePool = { ...rest, columns: columns.map((column) => ({ ...column, pool: 0 })) };
    expect(independentParts({ ...rest, columns }, "columns and headroom")).toHaveLength(2);
    expect(independentParts(onePool, "columns and headroom")).toHaveLength(1);
    expect(pack(onePool).unplaced.reduce((sum, units) => sum + units)).toBe(1);
  });

  it("are packed each within its own limits, and told in terms of the whole", () => {
    const problem = problemWith({ nodesLeft: [1, 5] });
    const packing = pack(problem);
    expect(packing.nodes.map(({ column, contents }) => [column, ...unitsOf(problem, contents)])).toEqual([
      [0, 1, 0],
      [1, 0, 1],
      [1, 0, 1],
    ]);
    expect([...packing.unplaced]).toEqual([1, 0]);
    expect(packing.priceUsdPerHour).toBe(5);
  });
});
