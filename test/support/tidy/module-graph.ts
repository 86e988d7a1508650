import { type SourceFile, type Violation, violation } from "./source-file.ts";

/** Where execution starts. */
const entries = [
  /^cli\/main\.ts$/,
  /^functions\/[^/]+\/handler\.ts$/,
  /^functions\/webhook\/main\.ts$/,
  /^infra\/(app|build|manifests)\.ts$/,
  /^bench\/[^/]+\.ts$/,
  /^test\/.*\.test\.ts$/,
  /^test\/peers\/(moto|ministack)-server\.ts$/,
  /^test\/peers\/kubernetes\/cluster\.ts$/,
  /^test\/conformance\/report\.ts$/,
  /^test\/support\/plan-checker\/preload\.ts$/,
  /^[^/]+\.config\.ts$/,
];

const isEntry = (path: string) => entries.some((entry) => entry.test(path));

/** Imports that lead nowhere, modules that import each other, barrels, and code that nobody uses. */
export function moduleGraph(files: readonly SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return [...brokenImports(files, byPath), ...cycles(files, byPath), ...barrels(files), ...dead(files)];
}

type Files = ReadonlyMap<string, SourceFile>;

function brokenImports(files: readonly SourceFile[], byPath: Files): Violation[] {
  return files.flatMap((file) =>
    file.imports
      .filter(({ path }) => path?.endsWith(".ts") === true && !byPath.has(path))
      .map(({ path, start }) => violation(file, start, `an import of ${path}, which does not exist`, "a file")),
  );
}

/** One for each group of modules that import each other, types included, with a way around. */
function cycles(files: readonly SourceFile[], byPath: Files): Violation[] {
  const found: Violation[] = [];
  const finished = new Set<string>();
  const visit = (file: SourceFile, trail: readonly string[]): void => {
    for (const { path, start } of file.imports) {
      const next = path === undefined ? undefined : byPath.get(path);
      if (next === undefined || finished.has(next.path)) continue;
      const from = trail.indexOf(next.path);
      if (from < 0) visit(next, [...trail, next.path]);
      else found.push(violation(file, start, `a cycle: ${[...trail.slice(from), next.path].join(" -> ")}`, "none"));
    }
    finished.add(file.path);
  };
  for (const file of files) if (!finished.has(file.path)) visit(file, [file.path]);
  return found;
}

function barrels(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => [
    ...(/(^|\/)index\.ts$/.test(file.path) ? [violation(file, 0, "an index file", "a file named by its content")] : []),
    ...file.exports
      .filter(({ isHandedOn }) => isHandedOn)
      .map(({ start }) => violation(file, start, "an export of another module's name", "an import where it is used")),
  ]);
}

function dead(files: readonly SourceFile[]): Violation[] {
  const reached = reachable(files.map(({ path }) => path).filter(isEntry), files);
  const used = new Set(
    files.flatMap(({ imports }) => imports.flatMap(({ path, names }) => names.map((name) => `${path}#${name}`))),
  );
  return files.flatMap((file) => {
    if (!reached.has(file.path)) return [violation(file, 0, "a file that no entry reaches", "a use of it, or no file")];
    if (isEntry(file.path) || used.has(`${file.path}#*`)) return [];
    return file.exports
      .filter(({ name, isType }) => !used.has(`${file.path}#${name}`) && !(isType && isMentioned(file, name)))
      .map(({ name, start }) => violation(file, start, `${name} is exported and imported nowhere`, "no export"));
  });
}

/** The files that these import, and those import, and so on; with themselves. */
export function reachable(from: readonly string[], files: readonly SourceFile[]): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    waiting.push(...file.imports.flatMap((imported) => imported.path ?? []));
  }
  return reached;
}

/** A type may be exported to name a part of another export of its file. */
function isMentioned({ text }: SourceFile, name: string): boolean {
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;
}
