import { parseArgs } from "node:util";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { type Comparison, comparisonOf, type Side, summariesOf } from "./comparison.ts";
import { fiveFamilies } from "./five-families.ts";
import { builtKarpenter, runKarpenter } from "./karpenter-program.ts";
import { measuredPlan, median } from "./measured-plan.ts";
import { exitWith, positiveNumbers } from "./options.ts";
import { writeResults } from "./results-file.ts";
import { schedulingInput } from "./scheduling-input.ts";
import { ownSuite, readSuite } from "./suite.ts";
import { casesOf, worldOf } from "./world.ts";

/**
 * Our planner beside Karpenter's own scheduler: the suite's inputs and Karpenter's benchmark mix, each through both, one after the other, in
 * the same run. Both are timed from decoded pods and resolved instance types in memory to the final plan, topology included, and start
 * anew in each run. Ours has one thread. Karpenter has `--workers`, beside the threads of its garbage collector: one by default, as its
 * controller has one for each CPU it requests, and requests one; 5 is what its benchmark takes. Its price is the cheapest offering of each
 * node, ours that of the offering the plan chose, with all that keeps spot nodes apart; volumes are in neither.
 */
interface Input {
  readonly workload: string;
  readonly market: string;
  readonly pods: number;
  readonly world: () => Snapshot;
}

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    suite: { type: "string", default: ownSuite },
    seed: { type: "string" },
    workload: { type: "string", multiple: true },
    market: { type: "string", multiple: true },
    size: { type: "string", multiple: true },
    workers: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const mix = "five-families";
const chosenSizes = options.size && positiveNumbers("size", options.size);
const [workers = 1] = positiveNumbers("workers", [options.workers]);
const inputs = [...suiteInputs(), ...mixInputs()].filter(
  ({ workload, market }) =>
    (options.workload?.includes(workload) ?? true) && (options.market?.includes(market) ?? true),
);
if (inputs.length === 0) exitWith("no input is of the given --workload and --market");
const program = programOrExit();

// Without this the first line would measure the compiler.
for (const { world } of inputs.slice(0, 1)) measuredPlan(world, 1);

const comparisons: Comparison[] = [];
const print = options.json ? () => {} : console.log;
print(header());
for (const input of inputs) {
  const compared = compare(input);
  comparisons.push(compared);
  print(lineOf(compared));
}
const summaries = summariesOf(comparisons);
for (const [name, value] of summaries.flatMap(summaryLines)) print(`${name.padEnd(64)}${value}`);
if (options.json) console.log(JSON.stringify({ comparisons, summaries }, undefined, 2));
writeResults(`karpenter${options.smoke ? "-smoke" : ""}`, { workers, comparisons, summaries });
if (comparisons.some(({ ours, karpenter }) => ours.unplaced > karpenter.unplaced)) {
  console.error("our plan leaves more pods without a node than Karpenter's");
  process.exitCode = 1;
}

function suiteInputs(): readonly Input[] {
  const read = readSuite(options.suite);
  const suite = options.seed === undefined ? read : { ...read, seed: Number(options.seed) };
  return casesOf({ ...suite, sizes: [...sizesOr(suite.sizes, 10)] }).map((one) => ({
    workload: one.workload.name,
    market: one.market,
    pods: one.pods,
    world: () => worldOf(suite, one),
  }));
}

function mixInputs(): readonly Input[] {
  return sizesOr([500, 1000, 5000, 20_000], 50).map((pods) => ({
    workload: mix,
    market: "any",
    pods,
    world: () => fiveFamilies(pods, options.seed === undefined ? undefined : Number(options.seed)),
  }));
}

function sizesOr(sizes: readonly number[], smallest: number): readonly number[] {
  return options.smoke ? [smallest] : (chosenSizes ?? sizes);
}

function programOrExit(): string {
  try {
    return builtKarpenter();
  } catch (error) {
    exitWith(error instanceof Error ? error.message : String(error));
  }
}

function compare({ workload, market, pods, world }: Input): Comparison {
  const runs = options.smoke || pods > 1000 ? 1 : 3;
  progress(`${workload}, ${market}, ${pods} pods: ours`);
  const { plan, milliseconds, cpuMilliseconds } = measuredPlan(world, runs);
  const ours: Side = {
    nodes: plan.nodeClaims.length,
    unplaced: plan.unschedulable.length + plan.waiting.length,
    priceUsdPerHour: plan.priceUsdPerHour,
    milliseconds,
    cpuMilliseconds,
  };
  progress(`${workload}, ${market}, ${pods} pods: Karpenter's`);
  const report = runKarpenter(program, schedulingInput(world(), { runs, workers }));
  progress("");
  return comparisonOf({ workload, market, pods }, ours, {
    nodes: report.nodes,
    unplaced: report.unplaced.length,
    priceUsdPerHour: report.priceUsdPerHour,
    milliseconds: median(report.runs.map((run) => run.milliseconds)),
    cpuMilliseconds: median(report.runs.map((run) => run.cpuMilliseconds)),
  });
}

/** One line on a terminal, written over by the next. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function header(): string {
  const cells = ["USD/h", "theirs", "ratio", "nodes", "theirs", "s", "theirs", "faster", "unplaced", "theirs"];
  return line("workload", "market", "pods", cells);
}

function lineOf({ workload, market, pods, ours, karpenter, priceRatio, speedRatio }: Comparison): string {
  const seconds = (side: Side) => (side.milliseconds / 1000).toFixed(3);
  return line(workload, market, pods, [
    ...[ours.priceUsdPerHour.toFixed(3), karpenter.priceUsdPerHour.toFixed(3), priceRatio.toFixed(3)],
    ...[ours.nodes, karpenter.nodes],
    ...[seconds(ours), seconds(karpenter), speedRatio.toFixed(1)],
    ...[ours.unplaced, karpenter.unplaced],
  ]);
}

function line(workload: string, market: string, pods: number | string, cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) => String(cell).padStart(10)).join("");
  return `${workload.padEnd(17)}${market.padEnd(10)}${String(pods).padStart(6)}${texts}`;
}

function summaryLines({ of, priceRatio, speedRatio, unplaced }: (typeof summaries)[number]) {
  const worst = ({ ratio, workload, market, pods }: typeof priceRatio.worst) =>
    `${ratio.toFixed(3)} (${workload}, ${market}, ${pods} pods)`;
  return [
    [`${of}: price over Karpenter's, geometric mean`, priceRatio.geometricMean.toFixed(4)],
    [`${of}: the worst`, worst(priceRatio.worst)],
    [`${of}: speed over Karpenter's, geometric mean`, speedRatio.geometricMean.toFixed(1)],
    [`${of}: the slowest`, worst(speedRatio.worst)],
    [`${of}: unplaced, ours and Karpenter's`, `${unplaced.ours} and ${unplaced.karpenter}`],
  ] as const;
}
