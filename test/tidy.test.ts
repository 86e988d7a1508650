import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importDirection } from "./support/tidy/layers.ts";
import { moduleGraph } from "./support/tidy/module-graph.ts";
import { purity } from "./support/tidy/purity.ts";
import { describeViolation, parseSource, type Violation } from "./support/tidy/source-file.ts";
import { syntaxRules } from "./support/tidy/syntax-rules.ts";
import { machineTraces, medianLines, textRules } from "./support/tidy/text-rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const texts = projectFiles().map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") }));
const files = texts.filter(({ path }) => path.endsWith(".ts")).map(({ path, text }) => parseSource(path, text));

describe("the source tree", () => {
  it("imports in the direction of its layers", () => {
    expectNone(importDirection(files));
  });

  it("has no cycle, no barrel, no dead file and no dead export", () => {
    expectNone(moduleGraph(files));
  });

  it("computes plans from their snapshot alone, and takes time and chance from ports", () => {
    expectNone(files.flatMap(purity));
  });

  it("keeps to the types, to short functions and to named exports", () => {
    expectNone(files.flatMap(syntaxRules));
  });

  it("has short files with plain names and no leftovers", () => {
    expectNone([...files.flatMap(textRules), ...medianLines(files)]);
  });

  it("names no path and no registry of the machine it was written on", () => {
    expectNone(texts.flatMap(({ path, text }) => machineTraces(path, text)));
  });
});

/** Tracked files and new ones that are not ignored: what a commit would hold. */
function projectFiles(): readonly string[] {
  const listing = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...new Set(listing.split("\0"))]
    .filter((path) => path !== "" && existsSync(`${root}${path}`) && statSync(`${root}${path}`).isFile())
    .sort();
}

function expectNone(violations: readonly Violation[]): void {
  expect(violations.map(describeViolation).join("\n")).toBe("");
}
