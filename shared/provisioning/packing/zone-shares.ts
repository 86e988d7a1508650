import type { PackingProblem, ZoneRange, ZoneShares } from "./problem.ts";

/** Zones that are alike in all that a packing knows of them, by zone the number of its kind. */
export function kindsOfZones({ zones, columns, items, zoneShares = [] }: PackingProblem): Int32Array {
  const kinds = new Map<string, number>();
  const masks = [...new Set(items.map(({ zoneMask }) => zoneMask))];
  return Int32Array.from(zones, (_, zone) => {
    const prices = columns.map(({ zonePrices }) => zonePrices[zone]);
    const allowed = masks.map((mask) => (mask >> zone) & 1);
    const ranges = zoneShares.flatMap((shares) =>
      shares.ranges.flatMap(({ least, most }) => [least[zone], most[zone]]),
    );
    const key = `${prices.join()} ${allowed.join("")} ${ranges.join()}`;
    const kind = kinds.get(key) ?? kinds.size;
    kinds.set(key, kind);
    return kind;
  });
}

/** The shares that bind an item's units alone: it is all that the rule is about. */
export function sharesOf(problem: PackingProblem, members: readonly number[]): ZoneShares | undefined {
  const own = new Set(members);
  const count = members.reduce((sum, member) => sum + (problem.items[member]?.count ?? 0), 0);
  return problem.zoneShares?.find(
    ({ items, units }) => units === count && problem.items.every((_, item) => (items[item] === 1) === own.has(item)),
  );
}

/** Units by zone. */
export interface ZoneAmounts {
  readonly cost: number;
  readonly units: Float64Array;
}

/**
 * The cheapest way to share units out among zones within one of the ranges, by what a unit costs in each zone: the least of each zone,
 * then the cheapest zones to the brim. Undefined when they fit into no range.
 */
export function cheapestShares(
  ranges: readonly ZoneRange[],
  units: number,
  costs: Float64Array,
): ZoneAmounts | undefined {
  const order = [...costs.keys()].sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0) || a - b);
  let best: ZoneAmounts | undefined;
  for (const { least, most } of ranges) {
    const amounts = Float64Array.from(least);
    let left = units - amounts.reduce((sum, amount) => sum + amount, 0);
    if (left < 0) continue;
    for (const zone of order) {
      const more = Math.min(left, (most[zone] ?? 0) - (amounts[zone] ?? 0));
      amounts[zone] = (amounts[zone] ?? 0) + more;
      left -= more;
    }
    const cost = amounts.reduce((sum, amount, zone) => (amount > 0 ? sum + amount * (costs[zone] ?? 0) : sum), 0);
    if (left === 0 && (best === undefined || cost < best.cost)) best = { cost, units: amounts };
  }
  return best;
}
