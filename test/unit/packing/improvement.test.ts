import { describe, expect, it } from "vitest";
import { improved } from "../../../shared/provisioning/packing/improvement.ts";
import type { PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { apart, nodesOf, packingOf, packingProblem } from "../../support/packing.ts";

const plenty = { attempts: 100, enoughUsdPerHour: 0 };

function improve(problem: PackingProblem, nodes: Parameters<typeof packingOf>[1], budget = plenty): readonly string[] {
  const worths = Float64Array.from(problem.items, ({ requests }) => requests.reduce((sum, amount) => sum + amount, 0));
  return nodesOf(problem, improved(problem, packingOf(problem, nodes), worths, budget));
}

describe("improving a packing", () => {
  it("merges two nodes that one cheaper node holds", () => {
    const problem = packingProblem({
      items: [[1, 1, 4]],
      columns: [
        [2, 2, 3],
        [4, 4, 5],
      ],
    });
    expect(
      improve(problem, [
        [0, [2]],
        [0, [2]],
      ]),
    ).toEqual(["4x4: 4"]);
  });

  it("merges nodes at the same price, because fewer are better", () => {
    const problem = packingProblem({
      items: [[1, 1, 4]],
      columns: [
        [2, 2, 3],
        [4, 4, 6],
      ],
    });
    expect(
      improve(problem, [
        [0, [2]],
        [0, [2]],
      ]),
    ).toEqual(["4x4: 4"]);
  });

  it("splits what two nodes hold over three cheaper ones", () => {
    const problem = packingProblem({
      items: [[2, 2, 3]],
      columns: [
        [2, 2, 1],
        [4, 4, 3],
      ],
    });
    expect(
      improve(problem, [
        [1, [2]],
        [1, [1]],
      ]),
    ).toEqual(["2x2: 1", "2x2: 1", "2x2: 1"]);
  });

  it("splits one node that holds all", () => {
    const problem = packingProblem({
      items: [[2, 2, 3]],
      columns: [
        [2, 2, 1],
        [6, 6, 4],
      ],
    });
    expect(improve(problem, [[1, [3]]])).toEqual(["2x2: 1", "2x2: 1", "2x2: 1"]);
  });

  it("changes types where pods trade places: those that need CPU by those that need memory", () => {
    const problem = packingProblem({
      items: [
        [3, 1, 2],
        [1, 3, 2],
      ],
      columns: [
        [4, 4, 5],
        [6, 2, 4],
        [2, 6, 4],
      ],
    });
    expect(
      improve(problem, [
        [0, [1, 1]],
        [0, [1, 1]],
      ]),
    ).toEqual(["2x6: 0 2", "6x2: 2 0"]);
  });

  it("keeps apart what a rule keeps apart", () => {
    const problem = packingProblem({
      items: [[1, 1, 2]],
      columns: [
        [2, 2, 3],
        [4, 4, 5],
      ],
      rules: [apart([0], 1)],
    });
    expect(
      improve(problem, [
        [0, [1]],
        [0, [1]],
      ]),
    ).toEqual(["2x2: 1", "2x2: 1"]);
  });

  it("adds no node beyond a limit", () => {
    const setup = {
      items: [[2, 2, 3]],
      columns: [
        [2, 2, 1],
        [4, 4, 3],
      ],
    } as const;
    const nodes = [
      [1, [2]],
      [1, [1]],
    ] as const;
    expect(improve(packingProblem({ ...setup, nodesLeft: 2 }), nodes)).toEqual(["2x2: 1", "4x4: 2"]);
    expect(improve(packingProblem({ ...setup, nodesLeft: 3 }), nodes)).toEqual(["2x2: 1", "2x2: 1", "2x2: 1"]);
  });

  it("ends when the price is good enough, or when its attempts are used up", () => {
    const problem = packingProblem({
      items: [[1, 1, 4]],
      columns: [
        [2, 2, 3],
        [4, 4, 5],
      ],
    });
    const nodes = [
      [0, [2]],
      [0, [2]],
    ] as const;
    expect(improve(problem, nodes, { ...plenty, enoughUsdPerHour: 6 })).toEqual(["2x2: 2", "2x2: 2"]);
    expect(improve(problem, nodes, { ...plenty, attempts: 0 })).toEqual(["2x2: 2", "2x2: 2"]);
  });
});
