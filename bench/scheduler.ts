import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { fiveFamilies, fiveFamiliesOnEc2 } from "./five-families.ts";
import { measuredPlan } from "./measured-plan.ts";
import { positiveNumbers } from "./options.ts";
import { writeResults } from "./results-file.ts";

/**
 * How fast the planner is, and how much memory it takes: the mix of Karpenter's scheduling benchmark from 1 to 20,000 pods. Each size is
 * planned in a process of its own whose JavaScript heap may not grow past `--heap`, as in a function with little memory. The time is
 * from decoded pods and instance types in memory to the plan, after one plan of the same world; `--smoke` does the smallest sizes.
 */
const result = z.object({
  types: z.string(),
  pods: z.int(),
  podsPerSecond: z.number(),
  milliseconds: z.number(),
  cpuMilliseconds: z.number(),
  nodes: z.int(),
  unplaced: z.int(),
  priceUsdPerHour: z.number(),
  /** The most that the process has held, the runtime and the snapshot included. */
  peakRssMib: z.number(),
});
type Result = z.infer<typeof result>;

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    size: { type: "string", multiple: true },
    seed: { type: "string", default: "42" },
    heap: { type: "string", default: "384" },
    json: { type: "boolean", default: false },
    /** Set for the process that measures one size. */
    measure: { type: "string" },
  },
});
const worlds = { linear: fiveFamilies, ec2: fiveFamiliesOnEc2 } as const;
const defaultSizes = [1, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000];
const sizes = options.size === undefined ? defaultSizes : positiveNumbers("size", options.size);
const [heapMib = 0] = positiveNumbers("heap", [options.heap]);

if (options.measure === undefined) measureAll();
else console.log(JSON.stringify(measured(options.measure === "ec2" ? "ec2" : "linear", sizes[0] ?? 1)));

function measureAll(): void {
  const linear = (options.smoke ? [1, 50] : sizes).map((pods) => ({ types: "linear", pods }) as const);
  // The largest size once more, among EC2's own types: what has to fit into the memory of a function.
  const largest = options.smoke ? 50 : Math.max(...sizes);
  const print = options.json ? () => {} : console.log;
  print(line(["types", "pods", "pods/s", "ms", "CPU ms", "nodes", "unplaced", "USD/h", "RSS MiB"]));
  const results: Result[] = [];
  for (const { types, pods } of [...linear, { types: "ec2", pods: largest } as const]) {
    const one = inOwnProcess(types, pods);
    if (one === undefined) {
      print(line([types, pods, "failed; its messages are above"]));
      process.exitCode = 1;
      continue;
    }
    results.push(one);
    print(lineOf(one));
  }
  if (options.json) console.log(JSON.stringify({ results }, undefined, 2));
  writeResults(`scheduler${options.smoke ? "-smoke" : ""}`, { heapMib, results });
}

function inOwnProcess(types: string, pods: number): Result | undefined {
  const script = fileURLToPath(import.meta.url);
  const own = ["--measure", types, "--size", String(pods), "--seed", options.seed];
  const { status, stdout } = spawnSync(process.execPath, [`--max-old-space-size=${heapMib}`, script, ...own], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return status === 0 ? result.parse(JSON.parse(stdout)) : undefined;
}

function measured(types: keyof typeof worlds, pods: number): Result {
  const world = () => worlds[types](pods, Number(options.seed));
  // Without this the compiler would be measured, and what a warm function remembers of its NodePools.
  measuredPlan(world, 1);
  const { plan, milliseconds, cpuMilliseconds } = measuredPlan(world, pods > 1000 ? 1 : 3);
  return {
    types,
    pods,
    podsPerSecond: (1000 * pods) / milliseconds,
    milliseconds,
    cpuMilliseconds,
    nodes: plan.nodeClaims.length,
    unplaced: plan.unschedulable.length + plan.waiting.length,
    priceUsdPerHour: plan.priceUsdPerHour,
    peakRssMib: process.resourceUsage().maxRSS / 1024,
  };
}

function lineOf(one: Result): string {
  const times = [one.podsPerSecond.toFixed(0), one.milliseconds.toFixed(1), one.cpuMilliseconds.toFixed(1)];
  const [price, memory] = [one.priceUsdPerHour.toFixed(3), one.peakRssMib.toFixed(0)];
  return line([one.types, one.pods, ...times, one.nodes, one.unplaced, price, memory]);
}

function line(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => (index === 0 ? String(cell).padEnd(8) : String(cell).padStart(10))).join("");
}
