import { parseArgs } from "node:util";
import type { CapacityType } from "../shared/ports.ts";
import { positiveNumbers } from "./options.ts";
import { type Realised, realise } from "./realised-world.ts";
import { writeResults } from "./results-file.ts";
import { ownSuite, readSuite } from "./suite.ts";
import { pendingPods } from "./workloads.ts";
import { casesOf, type SuiteCase, worldOf } from "./world.ts";

/**
 * How much of a plan comes true: its nodes become ready one after another, pods are in a random order, and those that kube-scheduler
 * finds no room for need a further node. With nominations, and without them at several slacks. All of it follows from the seeds.
 */
interface RealisedResult extends Realised {
  readonly workload: string;
  readonly market: CapacityType;
  readonly pods: number;
  readonly mode: string;
}

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    suite: { type: "string", default: ownSuite },
    seed: { type: "string", default: "1" },
    workload: { type: "string", multiple: true },
    market: { type: "string", multiple: true },
    size: { type: "string", multiple: true },
    slack: { type: "string", multiple: true, default: ["0", "3"] },
  },
});
const seed = Number(options.seed);
const suite = readSuite(options.suite);
const sizes = options.smoke ? [50] : options.size && positiveNumbers("size", options.size);
const cases = casesOf({ ...suite, sizes: sizes ?? suite.sizes }).filter(
  ({ workload, market }) =>
    (options.workload?.includes(workload.name) ?? true) && (options.market?.includes(market) ?? true),
);
const modes = [
  { mode: "nominations", settings: { nominatePods: true } },
  ...options.slack.map((percent) => ({
    mode: `slack ${percent} %`,
    settings: { nominatePods: false, packingSlackPercent: Number(percent) },
  })),
];

const results: RealisedResult[] = [];
console.log(
  line("workload", "market", ["pods", "nodes"], "mode", ["USD/h", "waiting", "further", "USD/h", "extra %", "s"]),
);
for (const one of cases) {
  for (const { mode, settings } of modes) {
    const startedAt = performance.now();
    const realised = await realise(worldOf(suite, one), pendingPods(one.workload, one.pods, suite.seed), {
      seed,
      settings,
    });
    results.push(resultOf(one, mode, realised));
    print(one, mode, realised, performance.now() - startedAt);
  }
}
const totals = modes.map(({ mode }) => totalOf(mode));
for (const { mode, plannedPods, furtherPods, furtherPercent, extraPercent } of totals) {
  console.log(
    `${mode}: ${furtherPods} of ${plannedPods} planned pods need a further node (${furtherPercent.toFixed(3)} %); the bill is ${extraPercent.toFixed(3)} % above the plan with nominations`,
  );
}
writeResults(`realised${options.smoke ? "-smoke" : ""}`, { seed, totals, results });

function resultOf({ workload, market, pods }: SuiteCase, mode: string, realised: Realised): RealisedResult {
  return { workload: workload.name, market, pods, mode, ...realised };
}

function totalOf(mode: string) {
  const own = results.filter((result) => result.mode === mode);
  const bill = (list: readonly RealisedResult[], ofFurther: 0 | 1) =>
    list.reduce((sum, result) => sum + result.priceUsdPerHour + ofFurther * result.furtherUsdPerHour, 0);
  const planned = bill(
    results.filter((result) => result.mode === modes[0]?.mode),
    0,
  );
  const plannedPods = own.reduce((sum, result) => sum + result.plannedPods, 0);
  const furtherPods = own.reduce((sum, result) => sum + result.furtherPods, 0);
  return {
    mode,
    plannedPods,
    furtherPods,
    furtherPercent: (100 * furtherPods) / plannedPods,
    priceUsdPerHour: bill(own, 1),
    extraPercent: 100 * (bill(own, 1) / planned - 1),
  };
}

function print({ workload, market, pods }: SuiteCase, mode: string, realised: Realised, milliseconds: number): void {
  const { nodes, priceUsdPerHour, waitingPods, furtherPods, furtherUsdPerHour } = realised;
  const money = [priceUsdPerHour.toFixed(3), waitingPods, furtherPods, furtherUsdPerHour.toFixed(3)];
  const extra = ((100 * furtherUsdPerHour) / priceUsdPerHour).toFixed(2);
  console.log(line(workload.name, market, [pods, nodes], mode, [...money, extra, (milliseconds / 1_000).toFixed(1)]));
}

function line(
  workload: string,
  market: string,
  sizesOf: readonly (string | number)[],
  mode: string,
  cells: readonly (string | number)[],
): string {
  const row = (list: readonly (string | number)[]) => list.map((cell) => String(cell).padStart(9)).join("");
  return `${workload.padEnd(16)}${market.padEnd(10)}${row(sizesOf)}  ${mode.padEnd(12)}${row(cells)}`;
}
