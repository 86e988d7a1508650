import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { CommandResult } from "../../cli/command-result.ts";
import { type PlanOptions, plan } from "../../cli/plan.ts";
import type { PlanReport } from "../../cli/report/plan-json.ts";

const entry = fileURLToPath(new URL("../../cli/journeyman.js", import.meta.url));
const preload = new URL("plan-checker/preload.ts", import.meta.url).href;

export interface CommandLineRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `journeyman ...` as a person starts it. Whatever happens, nobody may see a stack trace. */
export function journeyman(
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string } = {},
): CommandLineRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
    encoding: "utf8",
    input: options.input ?? "",
    env: checkedEnvironment(),
    ...(options.cwd && { cwd: options.cwd }),
  });
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  expect(stderr).not.toContain("this is a bug");
  return { exitCode: status, stdout, stderr };
}

/** An environment in which a process of this project checks each plan that it makes. */
export function checkedEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${preload}`.trim() };
}

/** A folder of files that is gone when the test ends. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), "journeyman-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** `plan -f -` in this process, on a text. */
export function planText(text: string, options: Partial<PlanOptions> = {}): Promise<CommandResult> {
  return plan(
    { filename: ["-"], scale: [], region: "us-east-1", kubernetesVersion: "1.34", output: "json", ...options },
    stdinOf(text),
  );
}

/** The report of a plan that had nothing wrong in its input. */
export async function planOf(text: string, options: Partial<PlanOptions> = {}): Promise<PlanReport> {
  const { exitCode, output, notes } = await planText(text, options);
  if (exitCode === 2) throw new Error(notes.join("\n"));
  return JSON.parse(output);
}

export async function* stdinOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
