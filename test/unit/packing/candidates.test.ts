import { describe, expect, it } from "vitest";
import { AlignedFilling } from "../../../shared/provisioning/packing/aligned-filling.ts";
import { coverAndFill } from "../../../shared/provisioning/packing/cover-and-fill.ts";
import { evenPackings } from "../../../shared/provisioning/packing/even-packings.ts";
import { openNode, unitsByItem } from "../../../shared/provisioning/packing/node-filling.ts";
import { pack } from "../../../shared/provisioning/packing/packer.ts";
import { undominatedOffers } from "../../../shared/provisioning/packing/prune.ts";
import { apart, nodesOf, packingProblem } from "../../support/packing.ts";

describe("filling a node with what suits its free room", () => {
  it("takes from pods of two shapes as many as use CPU and memory up together", () => {
    const problem = packingProblem({
      items: [
        [2, 1, 9],
        [1, 2, 9],
      ],
      columns: [[9, 9, 1]],
    });
    const node = openNode(problem, 0, 0);
    const left = Int32Array.of(9, 9);
    new AlignedFilling(problem).fill(node, left);
    expect([...unitsByItem(problem, node)]).toEqual([3, 3]);
    expect([...left]).toEqual([6, 6]);
  });

  it("takes nothing that does not fit, nor what a rule forbids", () => {
    const problem = packingProblem({
      items: [
        [10, 1, 1],
        [1, 1, 4],
      ],
      columns: [[9, 9, 1]],
      rules: [apart([1], 2)],
    });
    const node = openNode(problem, 0, 0);
    new AlignedFilling(problem).fill(node, Int32Array.of(1, 4));
    expect([...unitsByItem(problem, node)]).toEqual([0, 1]);
  });
});

describe("covering and filling", () => {
  it("buys the whole nodes of the cheapest cover and leaves the rest to others", () => {
    const problem = packingProblem({
      items: [[1, 1, 11]],
      columns: [
        [4, 4, 3],
        [2, 2, 2],
      ],
    });
    const packing = coverAndFill(problem);
    expect(nodesOf(problem, packing)).toEqual(["4x4: 4", "4x4: 4"]);
    expect([...packing.unplaced]).toEqual([3]);
  });
});

describe("even packings", () => {
  const forced = packingProblem({
    items: [
      [1, 1, 10],
      [1, 1, 30],
    ],
    columns: [
      [2, 2, 2],
      [4, 4, 4],
      [40, 40, 40],
    ],
    rules: [apart([0], 2)],
  });

  it("share the other pods out over the nodes that a rule forces", () => {
    const best = [...evenPackings(forced)].reduce((a, b) => (a.priceUsdPerHour <= b.priceUsdPerHour ? a : b));
    expect(nodesOf(forced, best)).toEqual(Array.from({ length: 10 }, () => "4x4: 1 3"));
  });

  it("are none where no rule forces nodes", () => {
    expect([...evenPackings({ ...forced, rules: [] })]).toEqual([]);
  });
});

describe("offers that no other makes needless", () => {
  it("are the cheapest of each size", () => {
    const problem = packingProblem({
      items: [[1, 1, 1]],
      columns: [
        [2, 2, 3],
        [2, 2, 2],
        [4, 4, 3],
        [4, 2, 9],
      ],
    });
    expect(undominatedOffers(problem).map(({ column }) => column.name)).toEqual(["2x2", "4x4"]);
  });

  it("are sought zone by zone where pods are bound to zones", () => {
    const problem = packingProblem({
      items: [
        [1, 1, 1],
        [1, 1, 1],
      ],
      columns: [[2, 2, 2]],
      zones: ["a", "b"],
      zoneMasks: [1, 2],
    });
    expect(undominatedOffers(problem).map(({ zone }) => zone)).toEqual([0, 1]);
  });
});

describe("packing", () => {
  it("places what it can beside a pod that no node holds, whatever that pod makes scarce", () => {
    const problem = packingProblem({
      items: [
        [1, 0, 2],
        [1, 8, 1],
      ],
      columns: [
        [8, 0, 1],
        [8, 1, 2],
      ],
    });
    const packing = pack(problem);
    expect(nodesOf(problem, packing)).toEqual(["8x0: 2 0"]);
    expect([...packing.unplaced]).toEqual([0, 1]);
  });

  it("packs pods that are bound to different zones as if each zone were alone", () => {
    const items = [
      [1, 1, 3],
      [1, 1, 2],
    ] as const;
    const columns = [
      [2, 2, 2],
      [4, 4, 3],
    ] as const;
    const together = packingProblem({ items, columns, zones: ["a", "b"], zoneMasks: [1, 2] });
    expect(nodesOf(together, pack(together))).toEqual(["2x2: 0 2", "4x4: 3 0"]);
  });

  it("packs a thousand sizes at hardly more than their share of the cheapest node", () => {
    const sizes = Array.from(
      { length: 1000 },
      (_, index) => [10 + ((index * 37) % 91), 10 + ((index * 53) % 97), 1] as const,
    );
    const problem = packingProblem({
      items: sizes,
      columns: [
        [1000, 1000, 10],
        [500, 500, 5.2],
        [100, 100, 1.2],
      ],
    });
    const cpu = sizes.reduce((sum, [amount]) => sum + amount, 0);
    const memory = sizes.reduce((sum, [, amount]) => sum + amount, 0);
    const packing = pack(problem);
    expect(packing.unplaced.every((count) => count === 0)).toBe(true);
    expect(packing.priceUsdPerHour).toBeLessThan((1.02 * 10 * Math.max(cpu, memory)) / 1000);
  });
});
