import { describeProblem, type Problem } from "../shared/api/problems.ts";

/** What a command leaves for its caller: 0 done, 1 the answer is a no (a pod without a place, a broken invariant), 2 bad input. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  /** The answer alone, so that it can be piped on. */
  readonly output: string;
  /** Lines for a person, on standard error. */
  readonly notes: readonly string[];
}

/** Everything that is wrong with the input, one line each, after the notes that may explain it. */
export function badInput(problems: readonly Problem[], notes: readonly string[] = []): CommandResult {
  const lines = [...new Set(problems.map(describeProblem))];
  return { exitCode: 2, output: "", notes: [...notes.map(asNote), ...lines.map((line) => `error: ${line}`)] };
}

export function asNote(text: string): string {
  return `note: ${text}`;
}

/** A problem with a command-line option rather than with a file. */
export function optionProblem(option: string, found: string, expected: string): Problem {
  return { file: option, document: 0, path: "", found, expected };
}
