import { writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { Problem } from "../shared/api/problems.ts";
import { runSimulation } from "../shared/simulator/simulation.ts";
import type { SimulationResult } from "../shared/simulator/simulation-result.ts";
import { asNote, badInput, type CommandResult, optionProblem } from "./command-result.ts";
import { simulationHtml } from "./report/simulation-html.ts";
import { simulationText } from "./report/simulation-text.ts";
import { unwritable, writeErrorText } from "./report-file.ts";
import { readScenario } from "./scenario-file.ts";

export interface SimulateOptions {
  readonly seed: number;
  readonly faults?: boolean;
  readonly report?: string;
  readonly output: "table" | "json";
}

/** `journeyman simulate`: the production controllers in virtual time; the same seed gives the same output. */
export async function simulate(nameOrPath: string, options: SimulateOptions): Promise<CommandResult> {
  const { seed, faults = false, report } = options;
  const { scenario, notes, problems } = await readScenario(nameOrPath);
  const refused = report === undefined ? [] : await refusedReport(report);
  if (scenario === undefined || refused.length > 0) return badInput([...refused, ...problems], notes);
  const result = await runSimulation(scenario, { seed, faults });
  const failed = report === undefined ? [] : await writeReport(report, result);
  if (failed.length > 0) return badInput(failed, notes);
  const output = options.output === "json" ? `${JSON.stringify(result, undefined, 2)}\n` : simulationText(result);
  return { exitCode: result.invariants.every(({ holds }) => holds) ? 0 : 1, output, notes: notes.map(asNote) };
}

/** Before the run, which may take minutes. */
async function refusedReport(path: string): Promise<readonly Problem[]> {
  return unwritten(path, await unwritable(path));
}

async function writeReport(path: string, result: SimulationResult): Promise<readonly Problem[]> {
  // The run leaves the event loop no turn in which to notice that whoever started it has gone.
  await setImmediate();
  try {
    await writeFile(path, simulationHtml(result));
    return [];
  } catch (error) {
    return unwritten(path, writeErrorText(error));
  }
}

function unwritten(path: string, found: string | undefined): readonly Problem[] {
  return found === undefined ? [] : [optionProblem(`--report ${path}`, found, "a file that can be written")];
}
