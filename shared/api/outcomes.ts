import type { Problem } from "./problems.ts";

/** What one step of reading made of its input. */
export interface Outcome<T> {
  readonly values: readonly T[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

export function read<T>(...values: readonly T[]): Outcome<T> {
  return { values, notes: [], problems: [] };
}

export function refused(...problems: readonly Problem[]): Outcome<never> {
  return { values: [], notes: [], problems };
}

/** The step applied to each input, with everything that came of it in the order of the inputs. */
export function gather<A, B>(inputs: readonly A[], step: (input: A) => Outcome<B>): Outcome<B> {
  const outcomes = inputs.map(step);
  return {
    values: outcomes.flatMap(({ values }) => values),
    notes: outcomes.flatMap(({ notes }) => notes),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}
