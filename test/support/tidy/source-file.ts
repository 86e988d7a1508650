import { posix } from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

/** A TypeScript file of the project, parsed. */
export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly program: ESTree.Program;
  readonly comments: readonly { readonly value: string; readonly start: number }[];
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
}

export interface ModuleImport {
  /** As written. */
  readonly specifier: string;
  /** The file from the root of the repository; absent for a package. */
  readonly path?: string;
  /** Names as the other module exports them; `*` for all of them. */
  readonly names: readonly string[];
  readonly start: number;
}

export interface ModuleExport {
  readonly name: string;
  readonly isType: boolean;
  /** `export ... from`: the name of another module, handed on. */
  readonly isHandedOn: boolean;
  readonly start: number;
}

/** A rule that is broken: what was found where, and what is accepted. */
export interface Violation {
  readonly path: string;
  /** From 1; 1 also for the file as a whole. */
  readonly line: number;
  readonly found: string;
  readonly accepted: string;
}

/** @throws Error when the file is no TypeScript. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  return {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    program,
    comments,
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries, start }) => ({
        ...target(path, moduleRequest.value),
        names: entries.map(({ importName }) => importName.name ?? (importName.kind === "Default" ? "default" : "*")),
        start,
      })),
      ...handedOn(path, module.staticExports),
      ...otherImports(path, program),
    ],
    exports: module.staticExports.flatMap(({ entries }) =>
      entries.map(({ exportName, isType, moduleRequest, start }) => ({
        name: exportName.name ?? (exportName.kind === "Default" ? "default" : "*"),
        isType,
        isHandedOn: moduleRequest !== null,
        start,
      })),
    ),
  };
}

/** Line of a position in the text, from 1. */
function lineAt({ text }: Pick<SourceFile, "text">, position: number): number {
  return text.slice(0, position).split("\n").length;
}

export function violation(file: SourceFile, position: number, found: string, accepted: string): Violation {
  return { path: file.path, line: lineAt(file, position), found, accepted };
}

export function describeViolation({ path, line, found, accepted }: Violation): string {
  return `${path}:${line}: ${found}; accepted: ${accepted}`;
}

function target(importer: string, specifier: string): Pick<ModuleImport, "specifier" | "path"> {
  if (!specifier.startsWith(".")) return { specifier };
  return { specifier, path: posix.join(posix.dirname(importer), specifier) };
}

type StaticExports = ReturnType<typeof parseSync>["module"]["staticExports"];

function handedOn(path: string, staticExports: StaticExports): ModuleImport[] {
  return staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, start }) =>
      moduleRequest === null ? [] : [{ ...target(path, moduleRequest.value), names: [importName.name ?? "*"], start }],
    ),
  );
}

/** `import("...")` as an expression and as a type. */
function otherImports(path: string, program: ESTree.Program): ModuleImport[] {
  const found: ModuleImport[] = [];
  const add = (node: { readonly start: number }, source: { readonly type: string; readonly value?: unknown }) => {
    if (typeof source.value === "string")
      found.push({ ...target(path, source.value), names: ["*"], start: node.start });
  };
  new Visitor({
    ImportExpression: (node) => add(node, node.source as { type: string; value?: unknown }),
    TSImportType: (node) => add(node, node.source),
  }).visit(program);
  return found;
}
