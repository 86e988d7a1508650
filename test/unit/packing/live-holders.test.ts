import { describe, expect, it } from "vitest";
import type { MinValuesRule } from "../../../shared/provisioning/packing/holder-table.ts";
import { reachesMinValues } from "../../../shared/provisioning/packing/min-values.ts";
import { addUnits, openNode, unitsByItem } from "../../../shared/provisioning/packing/node-filling.ts";
import { demandOf, type PackingProblem } from "../../../shared/provisioning/packing/problem.ts";

/** Two items of 1 and 2 CPUs; three types of 8, 6 and 4 CPUs, of which the second takes the first item alone. */
function problemWith(least: number): { readonly problem: PackingProblem; readonly rule: MinValuesRule } {
  const item = (cpu: number) => ({
    requests: Float64Array.of(cpu),
    count: 9,
    zoneMask: 1,
    accepts: Uint8Array.of(1),
  });
  const holder = (cpu: number, accepts: readonly number[], value: number) => ({
    capacity: Float64Array.of(cpu),
    zoneMask: 1,
    accepts: Uint8Array.from(accepts),
    values: [value],
  });
  const rule: MinValuesRule = {
    kind: "min-values",
    counts: "values",
    pool: 0,
    leastOfItem: Float64Array.of(least, least),
    listOfItem: Int32Array.of(0, 1),
    holders: [holder(8, [1, 1], 0), holder(6, [1, 0], 1), holder(4, [1, 1], 2)],
  };
  const column = { name: "a", pool: 0, capacity: Float64Array.of(8), zonePrices: Float64Array.of(1) };
  const problem: PackingProblem = {
    dimensions: ["cpu"],
    zones: ["a"],
    items: [item(1), item(2)],
    columns: [{ ...column, limitUse: new Float64Array() }],
    rules: [rule],
    pools: [{ name: "default", headroom: new Float64Array() }],
    limitDimensions: [],
  };
  return { problem, rule };
}

describe("a node that is filled under minValues", () => {
  it.each([
    [1, [0, 0], [8]],
    [2, [0, 0], [6]],
    [3, [0, 0], [4]],
    [2, [1, 0], [1, 2]],
    [2, [0, 1, 0], [6, 0, 0]],
    [3, [1], [0]],
  ])("keeps %i values open: items %j, each as often as it fits", (least, items, expected) => {
    const { problem, rule } = problemWith(least);
    const node = openNode(problem, 0, 0);
    const added = items.slice(0, expected.length).map((item, index) => {
      const isLast = index === expected.length - 1;
      return addUnits(problem, node, item, isLast ? 9 : (expected[index] ?? 0));
    });
    expect(added).toEqual(expected);
    const units = unitsByItem(problem, node);
    expect(
      node.present.length === 0 || reachesMinValues(problem, rule, node.column, node.present, demandOf(problem, units)),
    ).toBe(true);
  });
});
