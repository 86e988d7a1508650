import { getOrMake } from "../get-or-make.ts";
import type { PackingProblem } from "./problem.ts";

/**
 * Items by what they request: rules and zones tell many items apart that are of few sizes. What one of them has not got the room for none
 * of its size has, on a node that only gets fuller.
 */
class Shapes {
  /** By item, the first item that requests the same. */
  readonly #firstAlike: Int32Array;
  readonly #requests: readonly Float64Array[];
  /** By first item, the last node that had no room. */
  readonly #tooLargeFor: Int32Array;
  #node = 0;

  constructor({ items }: PackingProblem) {
    const first = new Map<string, number>();
    this.#firstAlike = Int32Array.from(items, ({ requests }, item) => getOrMake(first, requests.join(), () => item));
    this.#requests = items.map(({ requests }) => requests);
    this.#tooLargeFor = new Int32Array(items.length);
  }

  /** Starts with another node. */
  beginNode(): void {
    this.#node++;
  }

  /** Whether a unit of an item fits into what the node has free. */
  mayFit(item: number, free: Float64Array): boolean {
    const alike = this.#firstAlike[item] ?? -1;
    if (this.#tooLargeFor[alike] === this.#node) return false;
    const requests = this.#requests[alike];
    if (requests === undefined) return false;
    for (let dimension = 0; dimension < requests.length; dimension++) {
      if ((requests[dimension] ?? 0) <= (free[dimension] ?? 0)) continue;
      this.#tooLargeFor[alike] = this.#node;
      return false;
    }
    return true;
  }
}

export function shapesOf(problem: PackingProblem): Shapes {
  return getOrMake(known, problem.columns, () => new Shapes(problem));
}

/** Problems that differ in their items' numbers alone share their columns. */
const known = new WeakMap<PackingProblem["columns"], Shapes>();
