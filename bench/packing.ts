import { parseArgs } from "node:util";
import type { CapacityType } from "../shared/ports.ts";
import { planCostUsdPerHour } from "../shared/provisioning/plan.ts";
import { measuredPlan } from "./measured-plan.ts";
import { positiveNumbers } from "./options.ts";
import { type PackingSummary, summaryOf } from "./packing-summary.ts";
import { writeResults } from "./results-file.ts";
import { ownSuite, readSuite } from "./suite.ts";
import { casesOf, type SuiteCase, worldOf } from "./world.ts";

/**
 * What packing costs: the plan's price over its lower bound, and the time it takes. Prices follow from the suite and its seed; times
 * are those of this machine. Spot is planned twice: as it is by default, and with all that keeps spot nodes apart set to nothing.
 */
export interface PackingResult {
  readonly workload: string;
  readonly topology: boolean;
  readonly market: CapacityType;
  /** Whether spot nodes are kept flexible and apart (design §4.1, step 7). */
  readonly spread: boolean;
  readonly pods: number;
  readonly nodes: number;
  readonly unplaced: number;
  /** The instances alone. */
  readonly priceUsdPerHour: number;
  /** With the nodes' volumes. */
  readonly costUsdPerHour: number;
  readonly spotSpreadUsdPerHour: number;
  readonly spotFlexibilityUsdPerHour: number;
  /** Of the cost. */
  readonly lowerBoundUsdPerHour: number;
  readonly costOverBound: number;
  /** The median of the runs. */
  readonly milliseconds: number;
}

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    suite: { type: "string", default: ownSuite },
    seed: { type: "string" },
    workload: { type: "string", multiple: true },
    size: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
  },
});
const ownValues = readSuite(options.suite);
const suite = options.seed === undefined ? ownValues : { ...ownValues, seed: Number(options.seed) };
const sizes = options.smoke ? [10] : options.size && positiveNumbers("size", options.size);
const cases = casesOf({ ...suite, sizes: sizes ?? suite.sizes }).filter(
  ({ workload }) => options.workload?.includes(workload.name) ?? true,
);

// Without this the first line would measure the compiler.
for (const one of cases.slice(0, 1)) measure({ ...one, pods: 10 }, true);

const results: PackingResult[] = [];
const print = options.json ? () => {} : console.log;
print(line("workload", "market", ["pods", "nodes", "USD/h", "spread", "bound", "ratio", "ms"]));
for (const one of cases) {
  for (const spread of one.market === "spot" ? [true, false] : [true]) {
    const result = measure(one, spread);
    results.push(result);
    print(lineOf(result));
  }
}
const summary = summaryOf(results);
for (const [name, value] of summaryLines(summary)) print(`${name.padEnd(80)}${value}`);
if (options.json) console.log(JSON.stringify({ results, summary }, undefined, 2));
writeResults(`packing${options.smoke ? "-smoke" : ""}`, { seed: suite.seed, results, summary });
const unplaced = results.reduce((sum, result) => sum + result.unplaced, 0);
if (unplaced > 0) {
  console.error(`${unplaced} pods found no node, though each fits a NodePool`);
  process.exitCode = 1;
}

function measure(one: SuiteCase, spread: boolean): PackingResult {
  const settings = spread ? {} : { spotSpreadShare: 1, spotMinOfferings: 0 };
  const runs = options.smoke || one.pods > 1000 ? 1 : 3;
  const { plan, milliseconds } = measuredPlan(() => worldOf(suite, one, settings), runs);
  const { priceUsdPerHour, spotSpreadUsdPerHour, spotFlexibilityUsdPerHour, lowerBoundUsdPerHour } = plan;
  const costUsdPerHour = planCostUsdPerHour(plan);
  return {
    workload: one.workload.name,
    topology: one.workload.topology,
    market: one.market,
    spread,
    pods: one.pods,
    nodes: plan.nodeClaims.length,
    unplaced: plan.unschedulable.length,
    priceUsdPerHour,
    costUsdPerHour,
    spotSpreadUsdPerHour,
    spotFlexibilityUsdPerHour,
    lowerBoundUsdPerHour,
    costOverBound: costUsdPerHour / lowerBoundUsdPerHour,
    milliseconds,
  };
}

function lineOf(result: PackingResult): string {
  const { workload, market, spread, pods, nodes, milliseconds } = result;
  const money = [
    result.costUsdPerHour,
    result.spotSpreadUsdPerHour + result.spotFlexibilityUsdPerHour,
    result.lowerBoundUsdPerHour,
    result.costOverBound,
  ];
  const cells = [pods, nodes, ...money.map((usd) => usd.toFixed(3)), milliseconds.toFixed(1)];
  return line(workload, spread ? market : `${market}, loose`, cells);
}

function line(workload: string, market: string, cells: readonly (string | number)[]): string {
  return `${workload.padEnd(16)}${market.padEnd(14)}${cells.map((cell) => String(cell).padStart(10)).join("")}`;
}

function summaryLines(all: readonly PackingSummary[]): readonly (readonly [string, string])[] {
  return all.flatMap(({ market, geometricMeans: { flat, topology }, worst }) => [
    ...figure(`${market}: cost over bound, 200 pods and more, geometric mean`, flat),
    ...figure(`${market}: the same with topology`, topology),
    ...figure(`${market}: the worst of 50 pods and more (${worst.workload}, ${worst.pods} pods)`, worst.ratio),
  ]);
}

function figure(name: string, value: number): readonly (readonly [string, string])[] {
  return Number.isNaN(value) ? [] : [[name, value.toFixed(4)]];
}
