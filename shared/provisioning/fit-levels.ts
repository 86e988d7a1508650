import type { Resources } from "../scheduling/resources.ts";

/** How far requests reach among a number of free amounts: at the same levels they fit the same of them, whatever their exact sizes. */
export class FitLevels {
  /** By resource, the distinct amounts that are free somewhere, in ascending order. */
  readonly #amounts: ReadonlyMap<string, Float64Array>;

  constructor(free: Iterable<Resources>) {
    const amounts = new Map<string, Set<number>>();
    for (const one of new Set(free)) {
      for (const resource in one) {
        const known = amounts.get(resource) ?? new Set();
        amounts.set(resource, known.add(one[resource] ?? 0));
      }
    }
    this.#amounts = new Map([...amounts].map(([resource, found]) => [resource, Float64Array.from(found).sort()]));
  }

  /** Equal for requests that fit the same of the free amounts. What is not asked for always fits. */
  keyOf(requests: Resources): string {
    const levels: string[] = [];
    for (const resource in requests) {
      const amount = requests[resource] ?? 0;
      if (amount > 0) levels.push(`${resource}=${countBelow(this.#amounts.get(resource), amount)}`);
    }
    return levels.sort().join();
  }
}

/** How many of the sorted amounts are smaller. */
function countBelow(amounts: Float64Array | undefined, amount: number): number {
  let [low, high] = [0, amounts?.length ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((amounts?.[middle] ?? 0) < amount) low = middle + 1;
    else high = middle;
  }
  return low;
}
