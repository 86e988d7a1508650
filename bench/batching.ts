import { parseArgs } from "node:util";
import type { CapacityType } from "../shared/ports.ts";
import { arrivals, type Launched, launchFor } from "./batching-world.ts";
import { positiveNumbers } from "./options.ts";
import { writeResults } from "./results-file.ts";
import { ownSuite, readSuite } from "./suite.ts";
import { pendingPods } from "./workloads.ts";
import { casesOf, type SuiteCase, worldOf } from "./world.ts";

/**
 * What it costs that pods do not all arrive at once: 500 of each workload over 30 s, evenly and in bursts, against the same at once.
 * All of it follows from the seeds.
 */
interface BatchingResult extends Launched {
  readonly workload: string;
  readonly market: CapacityType;
  readonly pods: number;
  readonly arrival: string;
  /** To what they cost at once. */
  readonly ratio: number;
}

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    suite: { type: "string", default: ownSuite },
    seed: { type: "string", default: "1" },
    workload: { type: "string", multiple: true },
    market: { type: "string", multiple: true },
    pods: { type: "string", default: "500" },
  },
});
const seed = Number(options.seed);
const suite = readSuite(options.suite);
const [pods = 0] = options.smoke ? [50] : positiveNumbers("pods", [options.pods]);
const cases = casesOf({ ...suite, sizes: [pods] }).filter(
  ({ workload, market }) =>
    (options.workload?.includes(workload.name) ?? true) && (options.market?.includes(market) ?? true),
);

const results: BatchingResult[] = [];
console.log(line("workload", "market", "arrival", ["nodes", "passes", "USD/h", "ratio", "unbound"]));
for (const one of cases) {
  const atOnce = await launch(one, "at once");
  for (const arrival of ["at once", "evenly", "in bursts"] as const) {
    const launched = arrival === "at once" ? atOnce : await launch(one, arrival);
    const { nodes, passes, priceUsdPerHour, unbound } = launched;
    const ratio = priceUsdPerHour / atOnce.priceUsdPerHour;
    results.push({ workload: one.workload.name, market: one.market, pods, arrival, ...launched, ratio });
    const cells = [nodes, passes, priceUsdPerHour.toFixed(3), ratio.toFixed(4), unbound];
    console.log(line(one.workload.name, one.market, arrival, cells));
  }
}
const late = results.filter(({ arrival }) => arrival !== "at once");
const summary = {
  geometricMean: Math.exp(late.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / Math.max(1, late.length)),
  worst: Math.max(...late.map(({ ratio }) => ratio)),
};
console.log(
  `cost over that at once: ${summary.geometricMean.toFixed(4)} in the geometric mean, ${summary.worst.toFixed(4)} at worst`,
);
writeResults(`batching${options.smoke ? "-smoke" : ""}`, { seed, summary, results });

function launch(one: SuiteCase, arrival: keyof typeof arrivals): Promise<Launched> {
  const list = pendingPods(one.workload, one.pods, suite.seed);
  return launchFor(worldOf(suite, one), list, { seed, arrivals: arrivals[arrival] });
}

function line(workload: string, market: string, arrival: string, cells: readonly (string | number)[]): string {
  return `${workload.padEnd(16)}${market.padEnd(10)}${arrival.padEnd(10)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
}
