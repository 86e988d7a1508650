import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { simulate } from "../../cli/simulate.ts";
import type { SimulationResult } from "../../shared/simulator/simulation-result.ts";
import { poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { folderOf } from "../support/command-line.ts";

const instanceType = "node.kubernetes.io/instance-type";
const applying = (replicas: number) => ({
  at: "10s",
  do: "apply",
  objects: [workloadManifest("Deployment", "web", { replicas })],
});

/** Five minutes in which one small Deployment arrives. */
const scenario = {
  name: "small",
  durationSeconds: 300,
  objects: poolManifests(),
  steps: [applying(2)],
};

describe("journeyman simulate", () => {
  it("runs a scenario, prints what happened and writes the report that is asked for", async () => {
    const folder = folderOf({ "small.yaml": stringify(scenario) });
    const report = `${folder}/out.html`;
    const options = { seed: 1, faults: false, report, output: "table" } as const;
    const { exitCode, output } = await simulate(`${folder}/small.yaml`, options);
    expect(output).not.toContain("BROKEN");
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^small, seed 1: 05:00 of virtual time\n/);
    expect(output).toContain("2 pods: median");
    expect(readFileSync(report, "utf8")).toContain("<title>small, seed 1 - Journeyman simulation</title>");
  });

  it("tells why pods wait, how many never ran, and a bound that no limit of the cluster cuts", async () => {
    const pool = poolManifests([
      "spec.template.spec.requirements",
      [{ key: instanceType, operator: "In", values: ["c6a.large"] }],
    ]);
    const held = { ...scenario, settings: { maxNodes: 1 }, objects: pool, steps: [applying(4)] };
    const folder = folderOf({ "held.yaml": stringify(held) });
    const { output, exitCode } = await simulate(`${folder}/held.yaml`, { seed: 1, output: "json" });
    const { timeline, podsToRunning, samples }: SimulationResult = JSON.parse(output);
    expect(exitCode).toBe(0);
    expect(timeline.filter(({ kind }) => kind === "no place").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^1 pod: default\/web-.*: default: the cluster's limit maxNodes is 1/),
    ]);
    expect(podsToRunning).toMatchObject({ count: 3, neverRan: 1 });
    expect(samples.at(-1)?.lowerBoundUsdPerHour).toBeGreaterThan(samples.at(-1)?.priceUsdPerHour ?? 0);
  });

  it("gives the same output for the same seed", async () => {
    const file = `${folderOf({ "small.yaml": stringify(scenario) })}/small.yaml`;
    const run = async () => (await simulate(file, { seed: 3, faults: true, output: "json" })).output;
    expect(await run()).toBe(await run());
  });

  it.each([
    ["no/out.html", /no folder .*\/no, expected a file that can be written$/],
    [".", /found a directory, expected a file that can be written$/],
    ["small.yaml/out.html", /found a path through a file that is no directory, expected a file that can be written$/],
  ])("refuses a report at %s before it runs anything", async (path, expected) => {
    const folder = folderOf({ "small.yaml": stringify(scenario) });
    const options = { seed: 1, faults: false, report: `${folder}/${path}`, output: "table" } as const;
    const { exitCode, notes } = await simulate(`${folder}/no-such-scenario.yaml`, options);
    expect(exitCode).toBe(2);
    expect(notes).toEqual([expect.stringMatching(expected), expect.stringContaining("no-such-scenario.yaml")]);
    expect(notes[0]).toContain(`--report ${folder}/${path}`);
    expect((await simulate(`${folder}/small.yaml`, options)).notes).toEqual(notes.slice(0, 1));
  });
});
