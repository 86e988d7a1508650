import { describe, expect, it } from "vitest";
import { planningBudget, solveConfigurations } from "../../../shared/provisioning/packing/configuration-lp.ts";
import { configuredPackings } from "../../../shared/provisioning/packing/configured-packings.ts";
import { lowerBoundUsdPerHour } from "../../../shared/provisioning/packing/lower-bound.ts";
import { pack } from "../../../shared/provisioning/packing/packer.ts";
import type { NodeRule, PackingProblem } from "../../../shared/provisioning/packing/problem.ts";
import { apart, nodesOf, packingProblem } from "../../support/packing.ts";

function configured(problem: PackingProblem) {
  const solution = solveConfigurations(problem, planningBudget);
  return solution === undefined ? [] : [...configuredPackings(problem, solution)];
}

describe("packings by the configuration LP", () => {
  it("are of the contents that its solution is of", () => {
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
    expect(configured(problem).map((packing) => nodesOf(problem, packing))).toEqual([["2x6: 0 2", "6x2: 2 0"]]);
  });

  it("are among those that the packer chooses from", () => {
    const problem = packingProblem({
      items: [
        [4, 9, 8],
        [6, 4, 14],
      ],
      columns: [[23, 19, 43]],
    });
    expect(pack(problem).nodes.length).toBe(8);
  });

  it("hold every pod once, whatever the solution's parts of nodes", () => {
    const problem = packingProblem({
      items: [
        [5, 3, 7],
        [3, 4, 5],
        [2, 1, 11],
      ],
      columns: [
        [16, 12, 10],
        [8, 8, 6],
        [4, 4, 3.5],
      ],
    });
    const packings = configured(problem);
    expect(packings.length).toBeGreaterThan(0);
    for (const { nodes, unplaced } of packings) {
      const units = [0, 0, 0].map((_, item) =>
        nodes.reduce((sum, { contents }) => sum + (contents.counts[contents.items.indexOf(item)] ?? 0), 0),
      );
      expect(units.map((count, item) => count + (unplaced[item] ?? 0))).toEqual([7, 5, 11]);
    }
  });

  it("are of no more nodes than a limit allows", () => {
    const problem = packingProblem({ items: [[1, 1, 8]], columns: [[2, 2, 1]], nodesLeft: 3 });
    for (const { nodes } of configured(problem)) expect(nodes.length).toBeLessThanOrEqual(3);
  });
});

describe("packing among many small nodes", () => {
  const pods = 450;
  const shareOf = (index: number, step: number) => ((index * step) % pods) / pods;
  /** A bell of sorts around 1, in logarithms. */
  const factor = (index: number, steps: readonly number[]) =>
    Math.exp(2 * steps.reduce((sum, step) => sum + shareOf(index, step) - 0.5, 0));
  const sizes = Array.from({ length: pods }, (_, index) => {
    const [cpu, memory] = [250 * factor(index, [7, 131, 211]), 600 * factor(index, [37, 89, 307])];
    return [Math.round(cpu), Math.round(memory), 1] as const;
  });
  /** At the price of their memory, like burstable types; the smallest suit few pods. */
  const small = [
    [1900, 250, 4.2],
    [1900, 650, 8.4],
    [1900, 1500, 16.8],
  ] as const;
  const others = [
    [1900, 3200, 33.6],
    [1900, 7000, 67.2],
    [3900, 14500, 134.4],
    [7900, 29500, 268.8],
    [15800, 60000, 616],
    [31800, 122000, 1232],
  ] as const;

  it("costs no more than with the smallest left out", () => {
    const all = pack(packingProblem({ items: sizes, columns: [...small, ...others] }));
    const fewer = pack(packingProblem({ items: sizes, columns: others }));
    expect(all.unplaced.every((units) => units === 0)).toBe(true);
    expect(all.priceUsdPerHour).toBeLessThanOrEqual(fewer.priceUsdPerHour + 1e-9);
  });
});

describe("the bound of nodes that rules force", () => {
  /** More sizes than the configuration LP takes, on nodes of just these sizes, of which the larger are dearer for what they have. */
  const sizes = Array.from({ length: 80 }, (_, index) => index + 1);
  const items = sizes.map((size) => [size, 1, 1] as const);
  const columns = sizes.map((size) => [size, 9, size ** 2] as const);
  const sumOf = (list: readonly number[]) => list.reduce((sum, size) => sum + size ** 2, 0);

  it("is the sum of what each pod's own node costs, where none shares one", () => {
    const problem = packingProblem({ items, columns, rules: [apart([...items.keys()], items.length)] });
    expect(lowerBoundUsdPerHour(problem)).toBeCloseTo(sumOf(sizes), 6);
    expect(pack(problem).priceUsdPerHour).toBeCloseTo(sumOf(sizes), 6);
  });

  it("lets the two dearest share a node, then the next two, where a spread allows two", () => {
    const rule: NodeRule = {
      kind: "spread",
      max: 2,
      owns: Uint8Array.from(items, () => 1),
      matches: Int32Array.from(items, () => 1),
    };
    const forty = columns.map(([cpu, memory, price]) => [2 * cpu, memory, price] as const);
    const bound = lowerBoundUsdPerHour(packingProblem({ items, columns: forty, rules: [rule] }));
    expect(bound).toBeGreaterThanOrEqual(sumOf(sizes.filter((size) => size % 2 === 0).map((size) => size / 2)) - 1e-6);
    expect(bound).toBeLessThanOrEqual(sumOf(sizes.filter((size) => size % 2 === 0)) + 1e-6);
  });
});
