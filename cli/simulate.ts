import { writeFile } from "node:fs/promises";
import { runSimulation } from "../shared/simulator/simulation.ts";
import type { SimulationResult } from "../shared/simulator/simulation-result.ts";
import { asNote, badInput, type CommandResult, optionProblem } from "./command-result.ts";
import { simulationHtml } from "./report/simulation-html.ts";
import { simulationText } from "./report/simulation-text.ts";
import { readScenario } from "./scenario-file.ts";

export interface SimulateOptions {
  readonly seed: number;
  readonly faults?: boolean;
  readonly report?: string;
  readonly output: "table" | "json";
}

/** `journeyman simulate`: the production controllers in virtual time; the same seed gives the same output. */
export async function simulate(nameOrPath: string, options: SimulateOptions): Promise<CommandResult> {
  const { scenario, notes, problems } = await readScenario(nameOrPath);
  if (scenario === undefined) return badInput(problems, notes);
  const { seed, faults = false } = options;
  const result = await runSimulation(scenario, { seed, faults });
  const unwritten = options.report === undefined ? undefined : await writeReport(options.report, result);
  if (unwritten !== undefined) {
    return badInput([optionProblem(`--report ${options.report}`, unwritten, "a file that can be written")], notes);
  }
  const output = options.output === "json" ? `${JSON.stringify(result, undefined, 2)}\n` : simulationText(result);
  return { exitCode: result.invariants.every(({ holds }) => holds) ? 0 : 1, output, notes: notes.map(asNote) };
}

/** Why the report could not be written, if so. */
async function writeReport(path: string, result: SimulationResult): Promise<string | undefined> {
  try {
    await writeFile(path, simulationHtml(result));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
