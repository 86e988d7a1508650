import { type Document, LineCounter, parseAllDocuments, type Tags } from "yaml";
import { type DuplicateKey, duplicateJsonKey, duplicateYamlKey } from "./duplicate-keys.ts";
import { describeValue, type Problem } from "./problems.ts";
import { asDecoded } from "./raw-objects.ts";

/** A larger file is not read: parsing takes many times a file's size in memory. */
export const maxDocumentBytes = 32 * 1024 * 1024;

/** Real manifests share a handful of anchors; a file that multiplies them by thousands is an attack. */
const maxAliasCount = 1_000;

interface YamlDocument {
  /** 1-based. */
  readonly document: number;
  readonly value: unknown;
}

interface DocumentText {
  readonly text: string;
  /** Lines of the file before it. */
  readonly precedingLines: number;
}

type Outcome = YamlDocument | Problem;

/**
 * The documents of a YAML or JSON file that are not empty, as plain data; broken ones are problems and do not hide the others. A file
 * without any is a problem that says what was `wanted`.
 */
export function yamlDocuments(
  source: { readonly name: string; readonly text: string },
  wanted = "at least one Kubernetes object",
): {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
} {
  const outcomes = outcomesOf(source.name, source.text, wanted);
  return {
    documents: outcomes.filter((outcome) => "value" in outcome),
    problems: outcomes.filter((outcome) => "file" in outcome),
  };
}

function outcomesOf(file: string, text: string, wanted: string): readonly Outcome[] {
  const whole = { file, document: 0, path: "" };
  if (text.length > maxDocumentBytes) {
    const expected = `at most ${maxDocumentBytes / 1024 / 1024} MiB; split it into several files`;
    return [{ ...whole, found: `${Math.ceil(text.length / 1024 / 1024)} MiB`, expected }];
  }
  if (text.includes("\0")) return [{ ...whole, found: "binary content", expected: "YAML or JSON text" }];
  const outcomes = splitDocuments(text).flatMap((part, index) => readDocument(file, index + 1, part));
  if (outcomes.length > 0) return outcomes;
  return [{ ...whole, found: "nothing in it", expected: wanted }];
}

/**
 * Cut where a line begins with `---`, before parsing, so that an unclosed quote or bracket spoils its own document only. What stands
 * before the first marker is no document when it is blank or comments.
 */
function splitDocuments(text: string): readonly DocumentText[] {
  const parts: DocumentText[] = [];
  let precedingLines = 0;
  for (const part of text.split(/^(?=---(?:\s|$))/m)) {
    const preamble = parts.length === 0 && !part.startsWith("---") && isBlank(part);
    if (!preamble) parts.push({ text: part, precedingLines });
    precedingLines += part.split("\n").length - 1;
  }
  return parts;
}

/** Only blank lines, comments and directives such as `%YAML`. */
function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\s*([#%].*)?$/.test(line));
}

function readDocument(file: string, document: number, part: DocumentText): readonly Outcome[] {
  try {
    const json = parseJson(part.text);
    if (json !== undefined) {
      const duplicate = duplicateJsonKey(part.text);
      if (duplicate !== undefined) return [keyTwice(file, document, duplicate, part)];
      return [{ document, value: asDecoded(json) }];
    }
    const lines = new LineCounter();
    const parsed = parseAllDocuments(part.text, {
      // Kubernetes reads YAML 1.1: an unquoted `yes` is a boolean there, so it must be one here.
      version: "1.1",
      merge: true,
      customTags: kubernetesTags,
      logLevel: "error",
      // Its check takes quadratic time; ours stands in readYaml.
      uniqueKeys: false,
      lineCounter: lines,
    });
    return [...parsed].flatMap((yaml) => readYaml(file, document, yaml, part));
  } catch (error) {
    return [malformed(file, document, error)];
  }
}

function readYaml(file: string, document: number, yaml: Document, part: DocumentText): readonly Outcome[] {
  const [error] = yaml.errors;
  if (error !== undefined) {
    const start = error.linePos?.[0];
    const path = start === undefined ? "" : `line ${start.line + part.precedingLines}, column ${start.col}`;
    return [{ ...malformed(file, document, error), path }];
  }
  const duplicate = duplicateYamlKey(yaml);
  if (duplicate !== undefined) return [keyTwice(file, document, duplicate, part)];
  const value = asDecoded(yaml.toJS({ maxAliasCount }));
  return value === null || value === undefined ? [] : [{ document, value }];
}

function keyTwice(file: string, document: number, { key, offset }: DuplicateKey, part: DocumentText): Problem {
  const before = part.text.slice(0, offset).split("\n");
  const path = `line ${part.precedingLines + before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { file, document, path, found: `the key ${describeValue(key)} again`, expected: "each key of an object once" };
}

function malformed(file: string, document: number, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const [summary = ""] = message.split(/ at line \d+|\n/);
  return { file, document, path: "", found: summary, expected: "well-formed YAML or JSON" };
}

/** JSON is YAML too, but its own parser is many times faster for the dump of a cluster. */
function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The YAML 1.1 tags but for those that Kubernetes' parser leaves as text: times, sexagesimal numbers and binary. */
function kubernetesTags(tags: Tags): Tags {
  return tags.filter(
    (tag) =>
      typeof tag !== "string" && !/:(timestamp|binary)$/.test(tag.tag) && !("format" in tag && tag.format === "TIME"),
  );
}
