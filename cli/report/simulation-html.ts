import type { SimulationResult, SimulationSample } from "../../shared/simulator/simulation-result.ts";
import { againstBound } from "../wording.ts";
import { clockText } from "./sample-columns.ts";
import { type ChartSeries, escapeHtml, svgChart } from "./svg-chart.ts";

/** One HTML file about a run that needs nothing else: no script, no font, no network. */
export function simulationHtml(result: SimulationResult): string {
  const title = `${result.scenario}, seed ${result.seed}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Journeyman simulation</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${summary(result)}
${charts(result)}
<h2>Invariants</h2>
${table(
  ["Verdict", "Invariant", "Detail"],
  result.invariants.map(({ name, holds, detail }) => [holds ? "holds" : "BROKEN", name, detail]),
)}
<h2>API calls</h2>
${table(
  ["API", "Calls"],
  result.apiCalls.map(({ api, calls }) => [api, String(calls)]),
)}
<h2>Timeline</h2>
${table(
  ["Time", "Who", "What"],
  result.timeline.map(({ at, kind, text }) => [clockText(at, result.startedAt), kind, text]),
)}
</main>
</body>
</html>
`;
}

function summary(result: SimulationResult): string {
  const { costUsd, lowerBoundCostUsd, podsToRunning } = result;
  const facts = [
    ["Virtual time", clockText(result.endedAt, result.startedAt)],
    ["Cost", `${costUsd.toFixed(4)} USD`],
    ["Against the lower bound", againstBound(costUsd, lowerBoundCostUsd)],
    ["Interruptions", String(result.interruptions)],
    ["Pods that ran", String(podsToRunning.count)],
    ["Pods that never ran", String(podsToRunning.neverRan)],
    ["To running, median", `${podsToRunning.medianSeconds.toFixed(1)} s`],
    ["To running, p99", `${podsToRunning.p99Seconds.toFixed(1)} s`],
    ["Invariants", result.invariants.every(({ holds }) => holds) ? "all hold" : "BROKEN"],
  ];
  const cards = facts.map(
    ([name = "", value = ""]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl>${cards.join("")}</dl>`;
}

function charts(result: SimulationResult): string {
  const series = (label: string, style: string, read: (sample: SimulationSample) => number): ChartSeries => ({
    label,
    style,
    points: result.samples.map((sample) => ({ x: sample.at, y: read(sample) })),
  });
  const usd = (value: number) => value.toFixed(3);
  const whole = (value: number) => String(Math.round(value * 100) / 100);
  return [
    chart(result, "USD per hour", usd, [
      series("price of the nodes", "a", (sample) => sample.priceUsdPerHour),
      series("lower bound", "b", (sample) => sample.lowerBoundUsdPerHour),
    ]),
    chart(result, "Nodes", whole, [series("nodes", "a", (sample) => sample.nodes)]),
    chart(result, "Pods", whole, [
      series("pending", "b", (sample) => sample.pendingPods),
      series("running", "a", (sample) => sample.runningPods),
    ]),
  ].join("\n");
}

function chart(
  { startedAt, endedAt }: SimulationResult,
  title: string,
  formatY: (value: number) => string,
  series: readonly ChartSeries[],
): string {
  const formatX = (at: number) => clockText(at, startedAt);
  const svg = svgChart({ title, series, fromX: startedAt, toX: endedAt, formatX, formatY });
  const keys = series.map(
    ({ label, style }) =>
      `<span><svg class="key" viewBox="0 0 32 8" aria-hidden="true"><path class="line ${style}" d="M0 4H32"/></svg>${escapeHtml(label)}</span>`,
  );
  return `<figure><figcaption><strong>${escapeHtml(title)}</strong> ${keys.join(" ")}</figcaption>\n${svg}</figure>`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join("");
  const body = rows.map((cells) => {
    const broken = cells[0] === "BROKEN" ? ' class="broken"' : "";
    return `<tr${broken}>${cells.map((text) => `<td>${escapeHtml(text)}</td>`).join("")}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table></div>`;
}

/** Blue and orange that people with any colour vision tell apart (Okabe and Ito); the dashes tell without colour. */
const styles = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #ffffff; --rule: #d1d9e0; --a: #0072b2; --b: #b34700; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0f1318; --rule: #30363d; --a: #56b4e9; --b: #e69f00; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 0; }
dl div { border: 1px solid var(--rule); border-radius: 6px; padding: .5rem .75rem; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
figure { margin: 2rem 0 0; } figcaption span { margin-left: 1rem; color: var(--soft); white-space: nowrap; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
svg.key { display: inline-block; width: 2rem; height: .5rem; margin-right: .35rem; vertical-align: middle; }
.grid { stroke: var(--rule); } .line { fill: none; stroke-width: 2; }
.a { stroke: var(--a); } .b { stroke: var(--b); stroke-dasharray: 6 4; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; } .broken td { color: var(--b); font-weight: 600; }
`;
