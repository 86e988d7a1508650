import { getOrMake } from "../get-or-make.ts";
import type { PackingItem, PackingProblem } from "./problem.ts";

/** Items of about one size, as numbers from 0. */
export interface SizeGroups {
  /** By item. */
  readonly groups: Int32Array;
  readonly count: number;
}

/**
 * Groups items whose requests differ by no more than a factor in each dimension. The factor is the smallest that leaves few enough
 * groups; with few items each is a group of its own. Equal for problems that share their items.
 */
export function sizeGroups({ items }: PackingProblem): SizeGroups {
  return getOrMake(known, items, () => {
    if (items.length <= mostGroups) return { groups: Int32Array.from(items.keys()), count: items.length };
    let found = groupsBy(items, factors[0]);
    for (const factor of factors.slice(1)) {
      if (found.count <= mostGroups) break;
      found = groupsBy(items, factor);
    }
    return found;
  });
}

const known = new WeakMap<readonly PackingItem[], SizeGroups>();

const mostGroups = 800;
const factors = [1.03, 1.06, 1.12, 1.25, 1.5, 2] as const;

function groupsBy(items: readonly PackingItem[], factor: number): SizeGroups {
  const step = Math.log(factor);
  const numbers = new Map<string, number>();
  const groups = Int32Array.from(items, ({ requests }) => {
    const levels = Array.from(requests, (request) => (request > 0 ? Math.round(Math.log(request) / step) : "-"));
    return getOrMake(numbers, levels.join(), () => numbers.size);
  });
  return { groups, count: numbers.size };
}
