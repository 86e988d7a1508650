import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { type BundleName, bundle, bundleBudgetsBytes } from "../infra/bundling.ts";
import { median } from "./measured-plan.ts";
import { writeResults } from "./results-file.ts";

/**
 * What a cold Lambda costs before it is of use: for each function the size of its bundle, the time from the start of the process to a handler that
 * can be called, and for the planner that to its first NodeClaim, planned on the whole catalog from an API server in a process of its own.
 * Medians of process starts; the functions take turns, so that a noisy minute meets all of them.
 */
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    starts: { type: "string", default: "15" },
  },
});
const starts = options.smoke ? 1 : Number(options.starts);
const largestCount = 8;

interface Started {
  readonly name: BundleName;
  readonly file: string;
  readonly kilobytes: number;
  /** The packages and folders that give most, in kB. */
  readonly largest: readonly (readonly [string, number])[];
  readonly ready: number[];
  readonly readyCpu: number[];
}

interface Readiness {
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "journeyman-coldstart-"));
async function main(): Promise<void> {
  const functions: Started[] = [];
  for (const name of names()) functions.push(await bundled(name));
  const empty = join(folder, "empty.js");
  writeFileSync(empty, "exports.handler = () => {};");
  const emptyReady: Readiness[] = [];
  const firstPlans: number[] = [];
  const server = await planServer();
  try {
    for (let start = 0; start < starts; start += 1) {
      emptyReady.push(await readyIn(empty));
      for (const { file, ready, readyCpu } of functions) {
        const { milliseconds, cpuMilliseconds } = await readyIn(file);
        ready.push(milliseconds);
        readyCpu.push(cpuMilliseconds);
      }
      const planner = functions.find(({ name }) => name === "provisioning");
      if (planner !== undefined) firstPlans.push(await firstPlanIn(planner.file, server.environment));
    }
  } finally {
    server.process.kill();
  }
  const idle = {
    milliseconds: median(emptyReady.map(({ milliseconds }) => milliseconds)),
    cpuMilliseconds: median(emptyReady.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  };
  report(functions, idle, median(firstPlans));
}

function report(functions: readonly Started[], empty: Readiness, firstPlan: number): void {
  const rows = functions.map(({ name, kilobytes, largest, ready, readyCpu }) => ({
    function: name,
    kilobytes: Math.round(kilobytes),
    readyMilliseconds: Math.round(median(ready)),
    readyCpuMilliseconds: Math.round(median(readyCpu)),
    largest: Object.fromEntries(largest.map(([part, size]) => [part, Math.round(size)])),
  }));
  const results = { starts, emptyProcess: empty, firstPlanMilliseconds: firstPlan, functions: rows };
  if (options.json) console.log(JSON.stringify(results, undefined, 2));
  else {
    console.log(line(["function", "kB", "ready, ms", "CPU ms", "largest, kB"]));
    for (const row of rows) {
      const largest = Object.entries(row.largest)
        .slice(0, 4)
        .map(([part, size]) => `${part} ${size}`);
      console.log(line([row.function, row.kilobytes, row.readyMilliseconds, row.readyCpuMilliseconds, ...largest]));
    }
    console.log(line(["an empty process", "", Math.round(empty.milliseconds), Math.round(empty.cpuMilliseconds)]));
    console.log(`provisioning to its first NodeClaim: ${firstPlan.toFixed(0)} ms`);
  }
  if (!options.smoke) writeResults("coldstart", results);
}

/** The webhook is a process that stays, so it is not among them. */
function names(): BundleName[] {
  return Object.keys(bundleBudgetsBytes).filter(
    (name): name is BundleName => name in bundleBudgetsBytes && name !== "webhook",
  );
}

async function bundled(name: BundleName): Promise<Started> {
  const { code, metafile } = await bundle(name);
  const file = join(folder, `${name}.cjs`);
  writeFileSync(file, code);
  const byPart = new Map<string, number>();
  const [output] = Object.values(metafile.outputs);
  for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    byPart.set(partOf(path), (byPart.get(partOf(path)) ?? 0) + bytesInOutput / 1_000);
  }
  const largest = [...byPart].sort(([, one], [, other]) => other - one).slice(0, largestCount);
  return { name, file, kilobytes: code.length / 1_000, largest, ready: [], readyCpu: [] };
}

/** The package, or our own folder, that a source file is of. */
function partOf(path: string): string {
  const [, inPackage] = path.split(/.*node_modules\//);
  if (inPackage === undefined) return path.split("/").slice(0, 2).join("/");
  return inPackage
    .split("/")
    .slice(0, inPackage.startsWith("@") ? 2 : 1)
    .join("/");
}

/** From the start of the process to a handler in hand, and the CPU time that the process had used by then. */
async function readyIn(file: string): Promise<Readiness> {
  const script = `
    if (typeof require(${JSON.stringify(file)}).handler !== "function") throw new Error("no handler");
    const { user, system } = process.cpuUsage();
    console.log((user + system) / 1000);
    process.exit(0);`;
  const startedAt = performance.now();
  const started = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const cpuMilliseconds = Number(await firstLine(started));
  return { milliseconds: performance.now() - startedAt, cpuMilliseconds };
}

/** From the start of the process to the first NodeClaim that reaches the API server. */
async function firstPlanIn(file: string, environment: NodeJS.ProcessEnv): Promise<number> {
  const event = {
    Records: [{ messageId: "1", body: JSON.stringify({ kind: "provision", reason: "sweep", at: Date.now() }) }],
  };
  const context = `{ awsRequestId: "coldstart", getRemainingTimeInMillis: () => 60000 }`;
  const script = `require(${JSON.stringify(file)}).handler(${JSON.stringify(event)}, ${context}).catch(console.error);`;
  const startedAt = performance.now();
  const started = spawn(process.execPath, ["-e", script], { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const claimed = await claimAfter(startedAt);
  started.kill();
  return claimed;
}

let onClaim: (() => void) | undefined;

function claimAfter(startedAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("no NodeClaim within 60 s")), 60_000);
    onClaim = () => {
      clearTimeout(limit);
      onClaim = undefined;
      resolve(performance.now() - startedAt);
    };
  });
}

const place = z.object({ url: z.string(), certificateAuthority: z.string() });

/** The API server, which prints a line for each NodeClaim that somebody creates. */
async function planServer() {
  const path = fileURLToPath(new URL("coldstart-server.ts", import.meta.url));
  const server = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(server.stdout);
  const [first] = await once(lines, "line");
  const { url, certificateAuthority } = place.parse(JSON.parse(String(first)));
  lines.on("line", () => onClaim?.());
  const environment = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    // Nobody there: what follows the plan is not measured.
    AWS_ENDPOINT_URL: "http://127.0.0.1:9",
    JOURNEYMAN_FUNCTION: "provisioning",
    JOURNEYMAN_CLUSTER_NAME: "shop",
    JOURNEYMAN_ACCOUNT_ID: "123456789012",
    JOURNEYMAN_KUBERNETES_VERSION: "1.34",
    JOURNEYMAN_CLUSTER_ENDPOINT: url,
    JOURNEYMAN_CLUSTER_CA: Buffer.from(certificateAuthority).toString("base64"),
    JOURNEYMAN_SERVICE_CIDR: "10.100.0.0/16",
    JOURNEYMAN_PROVISIONING_QUEUE_URL: "https://sqs.example/provisioning.fifo",
    JOURNEYMAN_LATER_QUEUE_URL: "https://sqs.example/later",
    JOURNEYMAN_LIFECYCLE_QUEUE_URL: "https://sqs.example/lifecycle",
    JOURNEYMAN_TERMINATION_QUEUE_URL: "https://sqs.example/termination",
  };
  return { process: server, environment };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the process has no output");
  const [text] = await once(createInterface(stdout), "line");
  return String(text);
}

function line([name = "", ...cells]: readonly (string | number)[]): string {
  const [kilobytes = "", ready = "", cpu = "", ...largest] = cells;
  return (
    String(name).padEnd(20) +
    [kilobytes, ready, cpu].map((cell) => String(cell).padStart(11)).join("") +
    `  ${largest.join(", ")}`
  );
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}
