import { type SourceFile, type Violation, violation } from "./source-file.ts";

const sourceLinesLimit = 300;
const testLinesLimit = 400;
const medianLinesLimit = 120;

const kebabCase = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*\.ts$/;

/** Names, sizes and leftovers of a file. */
export function textRules(file: SourceFile): Violation[] {
  const limit = file.path.startsWith("test/") ? testLinesLimit : sourceLinesLimit;
  const found: Violation[] = [];
  if (!kebabCase.test(file.path)) found.push(violation(file, 0, "the file's name", "kebab-case"));
  if (file.lines > limit) found.push(violation(file, 0, `${file.lines} lines`, `up to ${limit}`));
  for (const { value, start } of file.comments) {
    const [leftover] = /\b(?:TODO|FIXME|XXX)\b/.exec(value) ?? [];
    if (leftover !== undefined) found.push(violation(file, start, leftover, "the work done, or an issue"));
  }
  return found;
}

/** Half of the source files, tests apart, are short. */
export function medianLines(files: readonly SourceFile[]): Violation[] {
  const sizes = files
    .filter(({ path }) => !path.startsWith("test/"))
    .map(({ lines }) => lines)
    .sort((a, b) => a - b);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  if (median <= medianLinesLimit) return [];
  return [{ path: ".", line: 1, found: `a median of ${median} lines`, accepted: `up to ${medianLinesLimit}` }];
}

/** Traces of the machine that a file was written on; `text` is that of any tracked file. */
export function machineTraces(path: string, text: string): Violation[] {
  const traces = [
    [
      /(?<![\w.}~*])\/(?:work|root|home\/\w+|Users\/\w+)(?:\/|\b)/,
      "a path of one machine",
      "a path from the repository's root",
    ],
    [/https?:\/\/[\w.:-]*(?:registry|npmjs|pypi|artifactory|goproxy|proxy\.golang)/, "a registry's address", "none"],
  ] as const;
  return text.split("\n").flatMap((line, index) =>
    traces.flatMap(([pattern, found, accepted]) => {
      const trace = pattern.exec(line)?.[0];
      return trace === undefined ? [] : [{ path, line: index + 1, found: `${found}, ${trace}`, accepted }];
    }),
  );
}
