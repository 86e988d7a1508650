import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lowerBoundUsdPerHour } from "../../shared/provisioning/packing/lower-bound.ts";
import { pack } from "../../shared/provisioning/packing/packer.ts";
import type { PackingColumn, PackingProblem } from "../../shared/provisioning/packing/problem.ts";

const size = fc.integer({ min: 1, max: 6 });
const item = fc.record({ cpu: size, memory: size, count: fc.integer({ min: 1, max: 2 }) });
const capacity = fc.integer({ min: 2, max: 12 });
const reserved = fc.record({ cpu: capacity, memory: capacity, pool: fc.integer({ min: 0, max: 1 }), of: fc.nat(1) });
const places = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 2, maxLength: 2 });

/** Two NodePools that share two reservations, and one type that can be bought without end and holds every pod. */
const problems: fc.Arbitrary<PackingProblem> = fc
  .record({
    items: fc.array(item, { minLength: 1, maxLength: 3 }),
    reserved: fc.array(reserved, { minLength: 1, maxLength: 3 }),
    bought: fc.record({ cpu: fc.integer({ min: 6, max: 12 }), memory: fc.integer({ min: 6, max: 12 }) }),
    places,
  })
  .map(({ items, reserved: columns, bought, places: [first = 0, second = 0] }) => ({
    dimensions: ["cpu", "memory"],
    zones: ["a"],
    items: items.map(({ cpu, memory, count }) => ({
      requests: Float64Array.of(cpu, memory),
      count,
      zoneMask: 1,
      accepts: new Uint8Array(columns.length + 1).fill(1),
    })),
    columns: [
      column("bought", 0, bought, 1),
      ...columns.map(({ pool, of, ...amounts }, index) => ({
        ...column(`reserved-${index}`, pool, amounts, (1 + amounts.cpu) * 1e-7),
        reservation: of,
      })),
    ],
    rules: [],
    pools: ["heavy", "light"].map((name) => ({ name, headroom: new Float64Array() })),
    limitDimensions: [],
    reservations: [
      { name: "cr-1", nodes: first },
      { name: "cr-2", nodes: second },
    ],
  }));

function column(
  name: string,
  pool: number,
  { cpu, memory }: { readonly cpu: number; readonly memory: number },
  price: number,
): PackingColumn {
  const amounts = Float64Array.of(cpu, memory);
  return { name, pool, capacity: amounts, zonePrices: Float64Array.of(price), limitUse: new Float64Array() };
}

describe("packing with capacity reservations", () => {
  it("places every pod, takes no more places than there are, and costs no less than the bound", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const packing = pack(problem);
        expect([...packing.unplaced].every((units) => units === 0)).toBe(true);
        for (const [index, { nodes }] of (problem.reservations ?? []).entries()) {
          const taken = packing.nodes.filter((node) => problem.columns[node.column]?.reservation === index);
          expect(taken.length).toBeLessThanOrEqual(nodes);
        }
        const cheapest = cheapestOfAll(problem);
        expect(packing.priceUsdPerHour).toBeGreaterThanOrEqual(cheapest - 1e-12);
        expect(lowerBoundUsdPerHour(problem)).toBeLessThanOrEqual(cheapest + 1e-9);
      }),
      { numRuns: 300 },
    );
  });
});

/** Tries every way to put the pods into groups, and every choice of nodes for the groups that the places allow. */
function cheapestOfAll(problem: PackingProblem): number {
  const pods = problem.items.flatMap(({ count, requests }) => Array.from({ length: count }, () => requests));
  let best = Number.POSITIVE_INFINITY;
  const assign = (next: number, groups: readonly Float64Array[]): void => {
    const pod = pods[next];
    if (pod === undefined) {
      best = Math.min(
        best,
        cheapestNodes(
          problem,
          groups,
          (problem.reservations ?? []).map(({ nodes }) => nodes),
        ),
      );
      return;
    }
    for (let index = 0; index <= groups.length; index++) {
      const joined = (groups[index] ?? new Float64Array(2)).map((amount, row) => amount + (pod[row] ?? 0));
      assign(next + 1, [...groups.slice(0, index), joined, ...groups.slice(index + 1)]);
    }
  };
  assign(0, []);
  return best;
}

function cheapestNodes(
  problem: PackingProblem,
  [group, ...others]: readonly Float64Array[],
  left: readonly number[],
): number {
  if (group === undefined) return 0;
  const prices = problem.columns.map(({ capacity: holds, zonePrices, reservation }) => {
    if (group.some((amount, row) => amount > (holds[row] ?? 0))) return Number.POSITIVE_INFINITY;
    if (reservation !== undefined && (left[reservation] ?? 0) === 0) return Number.POSITIVE_INFINITY;
    const after = left.map((nodes, index) => (index === reservation ? nodes - 1 : nodes));
    return (zonePrices[0] ?? 0) + cheapestNodes(problem, others, after);
  });
  return Math.min(...prices);
}
