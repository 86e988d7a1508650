import type { NodeRule, PackingProblem } from "./problem.ts";

type MinValuesRule = Extract<NodeRule, { kind: "min-values" }>;

/** Whether enough of a pool's options hold these units, for the distinct values that they offer. */
export function reachesMinValues(
  problem: PackingProblem,
  rule: MinValuesRule,
  units: Int32Array,
  demand: Float64Array,
): boolean {
  let least = 0;
  let zoneMask = -1;
  const present: number[] = [];
  for (let item = 0; item < units.length; item++) {
    if ((units[item] ?? 0) === 0) continue;
    const wanted = rule.leastOfItem[item] ?? 0;
    least = present.length === 0 ? wanted : Math.min(least, wanted);
    zoneMask &= problem.items[item]?.zoneMask ?? 0;
    present.push(item);
  }
  if (least === 0) return true;
  const found = new Set<number>();
  let zones = 0;
  for (const { capacity, zoneMask: sold, accepts, values } of rule.holders) {
    if ((sold & zoneMask) === 0 || !holds(capacity, demand)) continue;
    if (!present.every((item) => accepts[item] === 1)) continue;
    zones |= sold & zoneMask;
    for (const value of values) found.add(value);
    if ((rule.isZone ? bitsOf(zones) : found.size) >= least) return true;
  }
  return false;
}

function holds(capacity: Float64Array, demand: Float64Array): boolean {
  for (let dimension = 0; dimension < demand.length; dimension++) {
    if ((demand[dimension] ?? 0) > (capacity[dimension] ?? 0)) return false;
  }
  return true;
}

function bitsOf(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
