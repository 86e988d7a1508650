import { describe, expect, it } from "vitest";
import { sampleColumns } from "../../cli/report/sample-columns.ts";
import { simulationHtml } from "../../cli/report/simulation-html.ts";
import { simulationText } from "../../cli/report/simulation-text.ts";
import { textChart } from "../../cli/report/text-chart.ts";
import type { SimulationResult, SimulationSample } from "../../shared/simulator/simulation-result.ts";

function sampleAt(at: number, nodes: number): SimulationSample {
  return { at, nodes, priceUsdPerHour: nodes, lowerBoundUsdPerHour: nodes / 2, pendingPods: 0, runningPods: 0 };
}

function resultOf(changes: Partial<SimulationResult> = {}): SimulationResult {
  return {
    scenario: "test",
    seed: 7,
    startedAt: 0,
    endedAt: 600_000,
    timeline: [],
    samples: [sampleAt(0, 0), sampleAt(300_000, 4)],
    costUsd: 1.5,
    lowerBoundCostUsd: 1,
    interruptions: 2,
    podsToRunning: { count: 10, medianSeconds: 42, p99Seconds: 61.25, neverRan: 0 },
    apiCalls: [{ api: "ec2 RunInstances", calls: 3 }],
    invariants: [{ name: "nothing is lost", holds: true, detail: "" }],
    ...changes,
  };
}

describe("samples as columns", () => {
  it("hold until the next, and the highest of a stretch counts", () => {
    const samples = [sampleAt(10, 1), sampleAt(22, 5), sampleAt(28, 2), sampleAt(40, 0)];
    const span = { startedAt: 0, endedAt: 50 };
    expect(sampleColumns(samples, span, 5, ({ nodes }) => nodes)).toEqual([0, 1, 5, 2, 0]);
  });
});

describe("a chart of block characters", () => {
  it("is as high as its highest value, in eighths of a cell", () => {
    const ends = ["00:00", "10:00"] as const;
    expect(textChart({ values: [0, 1, 2, 4, 3, 1.25, 0, 0, 0, 0, 0], height: 2, format: String, ends })).toEqual([
      "4 │   █▄",
      "2 │ ▄███▅",
      "0 └───────────",
      "   00:00 10:00",
    ]);
  });

  it("is solid up to the bound and shaded above it", () => {
    const chart = textChart({ values: [4, 4], solid: [2, 4], height: 4, format: String, ends: ["", ""] });
    expect(chart.slice(0, 4).map((line) => line.slice(3))).toEqual(["░█", "░█", "██", "██"]);
  });

  it("stands empty when nothing ever was", () => {
    const chart = textChart({ values: [0, 0], height: 1, format: String, ends: ["", ""] });
    expect(chart[0]).toBe("0 │");
  });
});

describe("the text of a run", () => {
  it("joins what one actor does in one second, and fits 100 columns", () => {
    const step = (text: string) => ({ at: 60_000, kind: "step", text });
    const timeline = [step("scales web to 3"), step("scales api to 6"), { at: 61_000, kind: "launched", text: "x" }];
    const text = simulationText(resultOf({ timeline }));
    expect(text).toContain("01:00  step      scales web to 3; scales api to 6\n01:01  launched  x\n");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("has cost, waiting times and calls", () => {
    const text = simulationText(resultOf());
    expect(text).toContain("cost             1.5000 USD; 50.0 % above the lower bound, 1.0000 USD");
    expect(text).toContain("10 pods: median 42.0 s, p99 61.3 s");
    expect(text).toMatch(/ec2 RunInstances +3/);
  });

  it("counts the pods that never ran, and says when waiting pods made the run cheaper than its bound", () => {
    const text = simulationText(
      resultOf({ costUsd: 0.5, podsToRunning: { ...resultOf().podsToRunning, neverRan: 1 } }),
    );
    expect(text).toMatch(/\n +1 pod never ran\n/);
    expect(text).toContain("0.5000 USD; 50.0 % below the lower bound, 1.0000 USD");
    expect(simulationText(resultOf())).not.toContain("never ran");
  });

  it("has the verdict on each invariant", () => {
    const broken = { name: "one node per claim", holds: false, detail: "i-1 and i-2 at 03:10" };
    const text = simulationText(resultOf({ invariants: [...resultOf().invariants, broken] }));
    expect(text).toContain(
      "INVARIANTS\n  holds   nothing is lost\n  BROKEN  one node per claim: i-1 and i-2 at 03:10\n",
    );
  });
});

describe("the HTML of a run", () => {
  it("needs nothing from anywhere else", () => {
    const html = simulationHtml(resultOf());
    expect(html).not.toMatch(/https?:|<script|<link|@import|url\(|src=/);
    expect(html).toContain("prefers-color-scheme: dark");
  });

  it("draws three charts that can also be heard", () => {
    const labels = [...simulationHtml(resultOf()).matchAll(/role="img" aria-label="([^"]+)"/g)].map(([, text]) => text);
    expect(labels).toEqual([
      "USD per hour: price of the nodes up to 4.000, at the end 4.000; lower bound up to 2.000, at the end 2.000",
      "Nodes: nodes up to 4, at the end 4",
      "Pods: pending up to 0, at the end 0; running up to 0, at the end 0",
    ]);
  });

  it("has the pods that never ran", () => {
    const html = simulationHtml(resultOf({ podsToRunning: { ...resultOf().podsToRunning, neverRan: 3 } }));
    expect(html).toContain("<dt>Pods that never ran</dt><dd>3</dd>");
  });

  it("escapes what came from files", () => {
    const html = simulationHtml(resultOf({ scenario: "<b>", timeline: [{ at: 0, kind: "step", text: '"a" & <i>' }] }));
    expect(html).toContain("&lt;b&gt;, seed 7");
    expect(html).toContain("&quot;a&quot; &amp; &lt;i&gt;");
    expect(html).not.toContain("<i>");
  });
});
