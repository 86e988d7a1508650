import fc from "fast-check";
import type { NodeRule, PackingProblem, ZoneShares } from "../../../shared/provisioning/packing/problem.ts";

const zones = ["a", "b", "c"];

const item = fc.record({
  cpu: fc.integer({ min: 1, max: 6 }),
  memory: fc.integer({ min: 0, max: 6 }),
  count: fc.integer({ min: 1, max: 4 }),
  accepts: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  isChoosy: fc.integer({ min: 0, max: 5 }).map((draw) => draw === 0),
  zoneMask: fc.oneof({ weight: 5, arbitrary: fc.constant(7) }, fc.integer({ min: 1, max: 7 })),
  labels: fc.constantFrom(3, 3, 3, 1, 2),
});

const column = fc.record({
  cpu: fc.integer({ min: 5, max: 14 }),
  memory: fc.integer({ min: 5, max: 14 }),
  price: fc.double({ min: 0.1, max: 10, noNaN: true }),
  /** By zone, on top of the price; 0 is not to be had there. */
  zoneFactors: fc.array(fc.constantFrom(0, 1, 1, 1, 1, 1, 1.3, 1.7), { minLength: 3, maxLength: 3 }),
  pool: fc.integer({ min: 0, max: 1 }),
  isReserved: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 0),
});

const rule = fc.record({
  kind: fc.constantFrom("spread" as const, "anti-affinity" as const),
  max: fc.integer({ min: 1, max: 3 }),
  owns: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  matches: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  isOfOwners: fc.boolean(),
});

const shares = fc.record({
  first: fc.integer({ min: 0, max: 5 }),
  most: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
  least: fc.array(fc.constantFrom(0, 0, 0, 0, 1), { minLength: 3, maxLength: 3 }),
  isEven: fc.boolean(),
});

/** Up to six kinds of pods and of nodes in up to three zones, with any mix of rules, limits, reservations and shares of zones. */
export const packingProblems: fc.Arbitrary<PackingProblem> = fc
  .record({
    items: fc.array(item, { minLength: 1, maxLength: 6 }),
    columns: fc.array(column, { minLength: 1, maxLength: 6 }),
    zoneCount: fc.integer({ min: 1, max: 3 }),
    rules: fc.array(rule, { maxLength: 2 }),
    hasLabels: fc.boolean(),
    nodesLeft: fc.option(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 3, max: 9 })), { freq: 2 }),
    reserved: fc.integer({ min: 0, max: 2 }),
    hasReservation: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
    shares: fc.array(shares, { maxLength: 2 }),
  })
  .map(
    ({
      items,
      columns,
      zoneCount,
      rules,
      hasLabels,
      nodesLeft,
      reserved,
      hasReservation,
      shares: drawn,
    }): PackingProblem => {
      const problem = {
        dimensions: ["cpu", "memory"],
        zones: zones.slice(0, zoneCount),
        items: items.map(({ cpu, memory, count, accepts, isChoosy, zoneMask }) => ({
          requests: Float64Array.of(cpu, memory),
          count,
          zoneMask: zoneMask & ((1 << zoneCount) - 1) || 1,
          accepts: Uint8Array.from(columns, (_, index) => Number(!isChoosy || accepts[index])),
        })),
        columns: columns.map(({ cpu, memory, price, zoneFactors, pool, ...drawn }, index) => {
          const isReserved = hasReservation && drawn.isReserved;
          return {
            name: `column ${index}`,
            pool,
            capacity: Float64Array.of(cpu, memory),
            zonePrices: Float64Array.from(zones.slice(0, zoneCount), (_, zone) => {
              const factor = zoneFactors[zone] ?? 0;
              return factor === 0 ? Number.POSITIVE_INFINITY : (isReserved ? 1e-6 : price) * factor;
            }),
            limitUse: Float64Array.from(nodesLeft === null ? [] : [1]),
            ...(isReserved && { reservation: 0 }),
          };
        }),
        rules: [
          ...rules.map((one) => ruleOf(one, items.length)),
          ...(hasLabels ? [labelRule(items.map(({ labels }) => labels))] : []),
        ],
        pools: [0, 1].map((pool) => ({
          name: `pool ${pool}`,
          headroom: Float64Array.from(nodesLeft === null ? [] : [nodesLeft[pool] ?? 0]),
        })),
        limitDimensions: nodesLeft === null ? [] : ["nodes"],
        reservations: [{ name: "cr-1", nodes: reserved }],
      };
      const zoneShares = drawn.flatMap((one) => sharesOf(one, problem.items, zoneCount));
      return zoneShares.length === 0 ? problem : { ...problem, zoneShares };
    },
  );

type DrawnRule = typeof rule extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function ruleOf({ kind, max, owns, matches, isOfOwners }: DrawnRule, items: number): NodeRule {
  const owners = Uint8Array.from({ length: items }, (_, index) => Number(owns[index]));
  const matching = Int32Array.from({ length: items }, (_, index) => Number((isOfOwners ? owns : matches)[index]));
  return kind === "spread" ? { kind, max, owns: owners, matches: matching } : { kind, owns: owners, matches: matching };
}

/** One pool has nodes with either of two values, the other with the first alone. */
function labelRule(labels: readonly number[]): NodeRule {
  return { kind: "label", valuesOfItem: labels.map(BigInt), valuesOfPool: [3n, 1n] };
}

/** About one item, either even to a pod, or within the one range drawn. */
function sharesOf(
  {
    first,
    most,
    least,
    isEven,
  }: { readonly first: number; readonly most: number[]; readonly least: number[]; readonly isEven: boolean },
  items: PackingProblem["items"],
  zoneCount: number,
): readonly ZoneShares[] {
  const units = items[first]?.count;
  if (units === undefined) return [];
  const even = Array.from({ length: Math.floor(units / zoneCount) + 1 }, (_, emptiest) => ({
    least: new Float64Array(zoneCount).fill(emptiest),
    most: new Float64Array(zoneCount).fill(emptiest + 1),
  }));
  const drawn = {
    least: Float64Array.from(least.slice(0, zoneCount)),
    most: Float64Array.from(most.slice(0, zoneCount)),
  };
  const ranges = isEven
    ? even
    : [{ ...drawn, most: drawn.most.map((amount, zone) => Math.max(amount, drawn.least[zone] ?? 0)) }];
  return [{ items: Uint8Array.from(items, (_, index) => Number(index === first)), units, ranges }];
}
