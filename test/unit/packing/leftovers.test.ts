import { describe, expect, it } from "vitest";
import { withLeftovers } from "../../../shared/provisioning/packing/leftovers.ts";
import { pack } from "../../../shared/provisioning/packing/packer.ts";
import { type PackingProblem, packingOf as packed } from "../../../shared/provisioning/packing/problem.ts";
import { apart, nodesOf, packingOf, packingProblem } from "../../support/packing.ts";

/** What packs nothing more. */
function nothing({ items }: PackingProblem) {
  return packed(
    [],
    Int32Array.from(items, ({ count }) => count),
  );
}

/** One place in a reservation, which suits the second pod alone; the first may be bought a node. */
const reserved: PackingProblem = {
  ...packingProblem({
    items: [
      [4, 4, 1],
      [3, 3, 1],
    ],
    columns: [[4, 4, 1]],
  }),
  reservations: [{ name: "cr-1", nodes: 1 }],
};

describe("what a packing leaves over", () => {
  it("goes on nodes that are there already and have room", () => {
    const problem = packingProblem({ items: [[1, 1, 3]], columns: [[4, 4, 1]], nodesLeft: 1 });
    const first = packingOf(problem, [[0, [1]]]);
    const packing = withLeftovers(problem, { ...first, unplaced: Int32Array.of(2) }, nothing);
    expect(nodesOf(problem, packing)).toEqual(["4x4: 3"]);
    expect([...packing.unplaced]).toEqual([0]);
  });

  it("does not go where a rule forbids it", () => {
    const problem = packingProblem({
      items: [
        [1, 1, 1],
        [1, 1, 2],
      ],
      columns: [[4, 4, 1]],
      nodesLeft: 1,
      rules: [apart([1], 2)],
    });
    const first = packingOf(problem, [[0, [1, 0]]]);
    const packing = withLeftovers(problem, { ...first, unplaced: Int32Array.of(0, 2) }, nothing);
    expect(nodesOf(problem, packing)).toEqual(["4x4: 1 1"]);
    expect([...packing.unplaced]).toEqual([0, 1]);
  });

  it("takes a place of a reservation from pods that can go elsewhere", () => {
    const [column] = reserved.columns;
    if (column === undefined) throw new Error("no column");
    const problem: PackingProblem = {
      ...reserved,
      columns: [
        { ...column, name: "bought" },
        { ...column, name: "reserved", zonePrices: Float64Array.of(1e-6), reservation: 0 },
      ],
      items: reserved.items.map((item, index) => ({ ...item, accepts: Uint8Array.of(index === 0 ? 1 : 0, 1) })),
    };
    const packing = pack(problem);
    expect(nodesOf(problem, packing)).toEqual(["bought: 1 0", "reserved: 0 1"]);
    expect([...packing.unplaced]).toEqual([0, 0]);
  });
});
