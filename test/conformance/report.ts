import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { conformanceReport, formatReport, type Shown } from "../support/conformance/report.ts";
import { casesPath, checkedInSections, formatSections, referenceSections } from "../support/conformance/rows.ts";
import { notApplicable } from "./not-applicable.ts";

/**
 * Runs the conformance tests and writes what became of each row to docs/conformance.md. Fails when a row has no test or does not
 * hold, and when too few hold. `--take-rows` first takes the rows anew from the lists they come from.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "docs/conformance.md");

const testRun = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().exactOptional(),
      assertionResults: z.array(
        z.object({
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          meta: z.object({ differs: z.string().exactOptional() }).exactOptional(),
        }),
      ),
    }),
  ),
});
type TestRun = z.infer<typeof testRun>;

if (process.argv.includes("--take-rows")) writeFileSync(casesPath, formatSections(referenceSections()));
const run = runTests();
const report = conformanceReport(checkedInSections(), shownRows(run), notApplicable);
const text = formatReport(report);
writeFileSync(page, text);
console.log(text);
const faults = [...brokenFiles(run), ...report.faults];
for (const fault of faults) console.error(fault);
console.error(faults.length === 0 ? "every row is accounted for" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

function runTests(): TestRun {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const output = join(folder, "run.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = ["run", "test/conformance/", "--reporter=json", `--outputFile=${output}`];
    const { stderr } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, encoding: "utf8" });
    if (!existsSync(output)) throw new Error(`vitest left no report: ${stderr}`);
    return testRun.parse(JSON.parse(readFileSync(output, "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function shownRows({ testResults }: TestRun): readonly Shown[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status, meta }) => ({
      title,
      file: relative(root, name).replaceAll("\\", "/"),
      passed: status === "passed",
      ...meta,
    })),
  );
}

/** Files that could not be run, and what the tests that failed said. */
function brokenFiles({ testResults }: TestRun): readonly string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => [
    ...(status === "failed" && assertionResults.length === 0
      ? [`${relative(root, name)}: cannot be run: ${message}`]
      : []),
    ...assertionResults.flatMap(({ title, failureMessages }) =>
      (failureMessages ?? []).map((failure) => `${title}\n  ${failure.split("\n")[0]}`),
    ),
  ]);
}
