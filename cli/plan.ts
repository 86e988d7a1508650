import { stringify } from "yaml";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import { defaultSettings } from "../shared/state/settings.ts";
import { readCatalogFile } from "./catalog-file.ts";
import { asNote, badInput, type CommandResult } from "./command-result.ts";
import { loadObjects } from "./load-objects.ts";
import { type PlanReport, planReport } from "./report/plan-json.ts";
import { planTable } from "./report/plan-table.ts";
import { snapshotOf } from "./world.ts";

export type PlanFormat = "table" | "json" | "yaml";

export interface PlanOptions {
  /** Files, directories, `-`. */
  readonly filename: readonly string[];
  readonly scale?: readonly string[];
  readonly catalog?: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly output: PlanFormat;
}

/** `journeyman plan`: the nodes that would be launched for the objects of some files. */
export async function plan(options: PlanOptions, stdin: AsyncIterable<Buffer>): Promise<CommandResult> {
  const loaded = await loadObjects(options.filename, stdin);
  const catalog =
    options.catalog === undefined
      ? { catalog: embeddedCatalog(options.region), problems: [] }
      : await readCatalogFile(options.catalog);
  const problems = [...loaded.problems, ...catalog.problems];
  if (problems.length > 0) return badInput(problems, loaded.notes);

  const { region } = catalog.catalog;
  const settings = { ...defaultSettings, region, kubernetesVersion: options.kubernetesVersion };
  const world = snapshotOf(loaded.objects, { catalog: catalog.catalog, settings, scales: options.scale ?? [] });
  const notes = [...loaded.notes, ...world.notes];
  if (world.problems.length > 0) return badInput(world.problems, notes);

  const report = planReport(planProvisioning(world.snapshot));
  const modelled = options.catalog === undefined && region !== "us-east-1" ? [modelledPrices(region)] : [];
  return {
    exitCode: report.unschedulable.length > 0 ? 1 : 0,
    output: formatted(report, options.output),
    notes: [...notes, ...modelled].map(asNote),
  };
}

function formatted(report: PlanReport, format: PlanFormat): string {
  switch (format) {
    case "table":
      return planTable(report);
    case "json":
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case "yaml":
      return stringify(report);
  }
}

function modelledPrices(region: string): string {
  return `the built-in catalog has no prices of ${region}: those of us-east-1 stand in; --catalog takes real ones`;
}
