import { asNote, type CommandResult } from "./command-result.ts";
import { formatted, type OutputFormat } from "./formatted.ts";
import { offlinePlan } from "./offline-plan.ts";
import { type OfflineOptions, offlineWorld } from "./offline-world.ts";
import { planReport } from "./report/plan-json.ts";
import { planTable } from "./report/plan-table.ts";

export interface PlanOptions extends OfflineOptions {
  readonly output: OutputFormat;
}

/** `journeyman plan`: the nodes that would be launched for the objects of some files. */
export async function plan(options: PlanOptions, stdin: AsyncIterable<Buffer>): Promise<CommandResult> {
  const world = await offlineWorld(options, stdin);
  if ("exitCode" in world) return world;
  const { plan: planned, notes } = offlinePlan(world.snapshot);
  const report = planReport(planned);
  return {
    exitCode: report.unschedulable.length > 0 ? 1 : 0,
    output: formatted(report, options.output, planTable),
    notes: [...world.notes, ...notes.map(asNote)],
  };
}
