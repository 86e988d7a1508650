import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { SchedulingInput } from "./scheduling-input.ts";

const report = z.object({
  nodes: z.int(),
  priceUsdPerHour: z.number(),
  unplaced: z.array(z.object({ pod: z.string(), error: z.string() })),
  runs: z.array(z.object({ milliseconds: z.number(), cpuMilliseconds: z.number() })).min(1),
});

/** What Karpenter makes of an input: the plan of its last run, and the time of each run. */
type KarpenterReport = z.infer<typeof report>;

/**
 * Builds the program in bench/karpenter, unless its sources have been built before, and returns the executable's path. Throws an Error that
 * says what is missing when there is no Go, or one that is too old.
 */
export function builtKarpenter(): string {
  const goVersion = requireGo();
  const sources = readdirSync(folder).sort();
  const hash = createHash("sha256").update(goVersion);
  for (const name of sources) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "journeyman");
  const program = join(cache, `karpenter-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(program)) return program;

  console.error("Building bench/karpenter. The first time takes minutes, and fetches Karpenter's modules.");
  mkdirSync(cache, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  const { status } = spawnSync("go", ["build", "-buildvcs=false", "-o", unfinished, "."], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error("bench/karpenter: go build failed; its messages are above");
  renameSync(unfinished, program);
  return program;
}

/** Plans an input with Karpenter's scheduler. Throws an Error with what the program says when it fails. */
export function runKarpenter(program: string, input: SchedulingInput): KarpenterReport {
  const { status, signal, stdout, error } = spawnSync(program, {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (status !== 0)
    throw new Error(`bench/karpenter ended with ${error?.message ?? signal ?? `exit status ${status}`}`);
  return report.parse(JSON.parse(stdout));
}

const folder = fileURLToPath(new URL("karpenter/", import.meta.url));

function requireGo(): string {
  const [, needed = ""] = /^go (\S+)$/m.exec(readFileSync(join(folder, "go.mod"), "utf8")) ?? [];
  const { status, stdout, stderr, error } = spawnSync("go", ["env", "GOVERSION"], { cwd: folder, encoding: "utf8" });
  if (error !== undefined) {
    throw new Error(
      `Go ${needed} or newer is needed to build bench/karpenter; found none on the PATH (${error.message})`,
    );
  }
  const found = stdout.trim();
  if (status !== 0 || isOlder(found, needed)) {
    throw new Error(`Go ${needed} or newer is needed to build bench/karpenter; found ${found || stderr.trim()}`);
  }
  return found;
}

function isOlder(found: string, needed: string): boolean {
  const [a, b] = [found, needed].map((version) => (version.match(/\d+/g) ?? []).map(Number));
  const differs = b?.findIndex((part, index) => part !== (a?.[index] ?? 0)) ?? -1;
  return differs >= 0 && (a?.[differs] ?? 0) < (b?.[differs] ?? 0);
}
