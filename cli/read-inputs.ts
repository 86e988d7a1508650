import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Problem } from "../shared/api/problems.ts";
import { maxDocumentBytes } from "../shared/api/yaml-documents.ts";

export interface Source {
  readonly name: string;
  readonly text: string;
}

export interface Inputs {
  readonly sources: readonly Source[];
  readonly problems: readonly Problem[];
}

/** The name that `-` has in messages. */
const stdinName = "standard input";

/**
 * The texts behind `-f`: files, directories (every .yaml, .yml and .json below them, by name) and `-` for standard input. What cannot
 * be read is a problem each; the rest is read all the same.
 */
export async function readInputs(paths: readonly string[], stdin: AsyncIterable<Buffer>): Promise<Inputs> {
  const read = await Promise.all([...new Set(paths)].map((path) => readPath(path, stdin)));
  return { sources: read.flatMap(({ sources }) => sources), problems: read.flatMap(({ problems }) => problems) };
}

/** One file as text: the same checks for a manifest, a catalog and a scenario. */
export async function readFileText(path: string): Promise<Source | Problem> {
  try {
    const { size } = await stat(path);
    return size > maxDocumentBytes ? tooLarge(path, size) : await readStream(path, createReadStream(path));
  } catch (error) {
    return unreadable(path, error);
  }
}

async function readPath(path: string, stdin: AsyncIterable<Buffer>): Promise<Inputs> {
  if (path === "-") return asInputs([await readStream(stdinName, stdin)]);
  try {
    if (!(await stat(path)).isDirectory()) return asInputs([await readFileText(path)]);
    const files = await manifestsBelow(path);
    if (files.length > 0) return asInputs(await Promise.all(files.map(readFileText)));
    return asInputs([problem(path, "a directory without manifests", "at least one .yaml, .yml or .json file in it")]);
  } catch (error) {
    return asInputs([unreadable(path, error)]);
  }
}

async function manifestsBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && /\.(ya?ml|json)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A pipe has no size to look at first, so reading stops where it grows too large. */
async function readStream(name: string, stream: AsyncIterable<Buffer>): Promise<Source | Problem> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxDocumentBytes) return tooLarge(name, size);
      chunks.push(chunk);
    }
    return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (error instanceof TypeError) return problem(name, "binary content", "YAML or JSON text in UTF-8");
    return unreadable(name, error);
  }
}

function asInputs(read: readonly (Source | Problem)[]): Inputs {
  return {
    sources: read.filter((one) => "text" in one),
    problems: read.filter((one) => "found" in one),
  };
}

function tooLarge(file: string, bytes: number): Problem {
  const mebibytes = (size: number) => `${Math.ceil(size / 1024 / 1024)} MiB`;
  return problem(file, `at least ${mebibytes(bytes)}`, `at most ${mebibytes(maxDocumentBytes)}; split it`);
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "no permission to read it",
  EPERM: "no permission to read it",
  EISDIR: "a directory",
  ENOTDIR: "a path through a file that is no directory",
  ELOOP: "a symbolic link that leads to itself",
};

function unreadable(file: string, error: unknown): Problem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = errorTexts[code] ?? (error instanceof Error ? error.message : String(error));
  return problem(file, text, "a readable file");
}

function problem(file: string, found: string, expected: string): Problem {
  return { file, document: 0, path: "", found, expected };
}
