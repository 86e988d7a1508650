import type { SimulationResult, SimulationSample } from "../../shared/simulator/simulation-result.ts";
import { againstBound, counted } from "../wording.ts";
import { clockText, sampleColumns } from "./sample-columns.ts";
import { type Column, formatTable, wrapText } from "./table.ts";
import { textChart } from "./text-chart.ts";

const width = 100;
const chartColumns = 88;
const chartHeight = 8;

/** A run for a person to read: what happened, nodes and money over time, totals, verdicts. */
export function simulationText(result: SimulationResult): string {
  const { scenario, seed, startedAt, endedAt } = result;
  const title = `${scenario}, seed ${seed}: ${clockText(endedAt, startedAt)} of virtual time`;
  const sections = [[title], timeline(result), ...charts(result), totals(result), apiCalls(result), invariants(result)];
  return sections.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** What one actor does within one second is one entry. */
function timeline({ timeline: entries, startedAt }: SimulationResult): readonly string[] {
  const kindWidth = Math.max(...entries.map(({ kind }) => kind.length), 0);
  const indent = " ".repeat("00:00".length + 2 + kindWidth + 2);
  const groups = Map.groupBy(entries, ({ at, kind }) => `${clockText(at, startedAt)}  ${kind.padEnd(kindWidth)}`);
  return [...groups].flatMap(([when, group]) =>
    wrapText(`${when}  ${group.map(({ text }) => text).join("; ")}`, width, indent),
  );
}

function charts(result: SimulationResult): readonly (readonly string[])[] {
  const { samples, startedAt, endedAt } = result;
  const column = (read: (sample: SimulationSample) => number) => sampleColumns(samples, result, chartColumns, read);
  const ends = [clockText(startedAt, startedAt), clockText(endedAt, startedAt)] as const;
  const shared = { height: chartHeight, ends };
  const priceUsdPerHour = column((sample) => sample.priceUsdPerHour);
  const bound = column((sample) => sample.lowerBoundUsdPerHour);
  const nodes = column((sample) => sample.nodes);
  const pending = column((sample) => sample.pendingPods);
  const usdChart = textChart({ ...shared, values: priceUsdPerHour, solid: bound, format: (usd) => usd.toFixed(3) });
  return [
    ["USD PER HOUR (█ lower bound, ░ above it)", ...usdChart],
    ["NODES", ...textChart({ ...shared, values: nodes, format: whole })],
    ["PENDING PODS", ...textChart({ ...shared, height: 4, values: pending, format: whole })],
  ];
}

function totals(result: SimulationResult): readonly string[] {
  const { costUsd, lowerBoundCostUsd, interruptions, podsToRunning } = result;
  const { count, medianSeconds, p99Seconds, neverRan } = podsToRunning;
  const rows = [
    [
      "cost",
      `${costUsd.toFixed(4)} USD; ${againstBound(costUsd, lowerBoundCostUsd)} the lower bound, ${lowerBoundCostUsd.toFixed(4)} USD`,
    ],
    ["interruptions", String(interruptions)],
    ["pods to running", `${counted(count, "pod")}: median ${seconds(medianSeconds)}, p99 ${seconds(p99Seconds)}`],
    ...(neverRan === 0 ? [] : [["", `${counted(neverRan, "pod")} never ran`]]),
  ];
  return formatTable([{ title: "TOTALS" }, { title: "" }], rows, width);
}

function apiCalls({ apiCalls: calls }: SimulationResult): readonly string[] {
  const columns: readonly Column[] = [{ title: "API" }, { title: "CALLS", align: "right" }];
  return formatTable(
    columns,
    calls.map((entry) => [entry.api, String(entry.calls)]),
    width,
  );
}

function invariants({ invariants: verdicts }: SimulationResult): readonly string[] {
  return [
    "INVARIANTS",
    ...verdicts.flatMap(({ name, holds, detail }) =>
      wrapText(holds ? `  holds   ${name}` : `  BROKEN  ${name}: ${detail}`, width, "          "),
    ),
  ];
}

function whole(value: number): string {
  return String(Math.round(value));
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}
