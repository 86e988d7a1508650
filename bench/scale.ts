import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { kubernetesClient } from "../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../shared/adapters/kubernetes/kubernetes-port.ts";
import { WarmLists } from "../shared/adapters/kubernetes/warm-lists.ts";
import { readWorld } from "../shared/controllers/read-snapshot.ts";
import type { Ports } from "../shared/ports.ts";
import { defaultSettings } from "../shared/state/settings.ts";
import { writeResults } from "./results-file.ts";

/**
 * How long a snapshot of a large cluster takes and what memory, over TLS from a server in a process of its own: cold, and warm after one
 * object of a hundred has changed. Each reading process starts anew, so that the peak is its own.
 */
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
    /** Set for the process that measures. */
    measure: { type: "boolean", default: false },
  },
});

const place = z.object({ url: z.string(), certificateAuthority: z.string() });
const figures = z.object({
  coldMilliseconds: z.number(),
  coldCpuMilliseconds: z.number(),
  warmMilliseconds: z.number(),
  warmCpuMilliseconds: z.number(),
  coldPeakMib: z.number(),
  peakMib: z.number(),
  nodes: z.number(),
  pods: z.number(),
});

if (options.measure) await measure();
else await main();

async function main(): Promise<void> {
  const sizes = options.smoke
    ? [[60, 3_000]]
    : [
        [1_000, 20_000],
        [5_000, 100_000],
      ];
  const results: z.infer<typeof figures>[] = [];
  const headings = ["nodes", "pods", "cold s", "CPU s", "warm s", "CPU s", "cold MiB", "peak MiB"];
  if (!options.json) console.log(line(headings));
  for (const [nodes = 0, pods = 0] of sizes) {
    const found = await measured(nodes, pods);
    if (found.nodes !== nodes || found.pods !== pods)
      throw new Error(`read ${found.nodes} nodes and ${found.pods} pods`);
    results.push(found);
    const seconds = [
      found.coldMilliseconds,
      found.coldCpuMilliseconds,
      found.warmMilliseconds,
      found.warmCpuMilliseconds,
    ];
    const cells = [
      ...seconds.map((each) => (each / 1_000).toFixed(2)),
      found.coldPeakMib.toFixed(0),
      found.peakMib.toFixed(0),
    ];
    if (!options.json) console.log(line([nodes, pods, ...cells]));
  }
  if (options.json) console.log(JSON.stringify(results, undefined, 2));
  if (!options.smoke) writeResults(options.quiet ? "scale-quiet" : "scale", { results });
}

async function measured(nodes: number, pods: number): Promise<z.infer<typeof figures>> {
  const server = start("scale-server.ts", [String(nodes), String(pods), options.quiet ? "quiet" : "busy"]);
  try {
    const at = place.parse(JSON.parse(await firstLine(server)));
    const reader = start("scale.ts", ["--measure"]);
    reader.stdin?.end(JSON.stringify(at));
    return figures.parse(JSON.parse(await firstLine(reader)));
  } finally {
    server.kill();
  }
}

function start(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the process has no output");
  const [text] = await once(createInterface(stdout), "line");
  return String(text);
}

async function measure(): Promise<void> {
  let input = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) input += String(chunk);
  const endpoint = place.parse(JSON.parse(input));
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const tokens = { token: async () => "token", invalidate: () => {} };
  const client = kubernetesClient({ endpoint, tokens, sleep });
  const telemetry = { count: () => {}, log: () => {} };
  const kubernetes = kubernetesPort(async () => client, telemetry, { warmLists: new WarmLists(client) });
  const unused = (): never => {
    throw new Error("a snapshot is read from the API server alone");
  };
  const ports: Ports = {
    ec2: { runInstances: unused, describeInstances: unused, terminateInstances: unused, createTags: unused },
    cluster: { describe: unused },
    hints: { send: unused },
    kubernetes,
    telemetry,
    clock: { now: Date.now, sleep, remainingMilliseconds: () => 60_000, requestId: () => "r" },
  };
  const cold = await timed(ports);
  const coldPeakMib = peakMib();
  await client.request({ method: "POST", path: "/change", body: {} });
  const warm = await timed(ports);
  const { nodes, pods } = warm.world.snapshot;
  console.log(
    JSON.stringify({
      coldMilliseconds: cold.milliseconds,
      coldCpuMilliseconds: cold.cpuMilliseconds,
      warmMilliseconds: warm.milliseconds,
      warmCpuMilliseconds: warm.cpuMilliseconds,
      coldPeakMib,
      peakMib: peakMib(),
      nodes: nodes.length,
      pods: pods.length,
    }),
  );
  process.exit(0);
}

async function timed(ports: Ports) {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const world = await readWorld(ports, defaultSettings);
  const milliseconds = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { world, milliseconds, cpuMilliseconds: (user + system) / 1_000 };
}

/** Of all that the process had at once, in its memory and not in the server's. */
function peakMib(): number {
  return process.resourceUsage().maxRSS / 1_024;
}

function line(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(10)).join("");
}
