import { closestWord } from "../shared/api/spelling.ts";
import { explainPod } from "../shared/provisioning/explain/explain-pod.ts";
import { type PodRecord, podName } from "../shared/state/pod-record.ts";
import { badInput, type CommandResult, optionProblem } from "./command-result.ts";
import { formatted, type OutputFormat } from "./formatted.ts";
import { type OfflineOptions, offlineWorld } from "./offline-world.ts";
import { type ExplanationReport, explanationReport } from "./report/explain-json.ts";
import { explanationTable } from "./report/explain-table.ts";
import { counted } from "./wording.ts";

export interface ExplainOptions extends OfflineOptions {
  readonly output: OutputFormat;
}

/** `journeyman explain pod NS/NAME`: where a pod of some files would run, or why nowhere and what would help. */
export async function explain(
  kind: string,
  name: string,
  options: ExplainOptions,
  stdin: AsyncIterable<Buffer>,
): Promise<CommandResult> {
  if (!["pod", "pods", "po"].includes(kind)) return badInput([optionProblem("explain", kind, "pod")]);
  const world = await offlineWorld(options, stdin);
  if ("exitCode" in world) return world;
  const wanted = name.includes("/") ? name : `default/${name}`;
  const pod = world.snapshot.pods.find((candidate) => podName(candidate) === wanted);
  const phase = world.endedPods.get(wanted);
  if (pod === undefined && phase !== undefined) {
    const ended: ExplanationReport = { pod: wanted, situation: "ended", reason: `its phase is ${phase}` };
    return { exitCode: 0, output: formatted(ended, options.output, explanationTable), notes: world.notes };
  }
  if (pod === undefined) {
    const expected = nearestNames(wanted, world.snapshot.pods);
    const unknown = badInput([optionProblem("explain pod", `no pod ${wanted}`, expected)]);
    return { ...unknown, notes: [...world.notes, ...unknown.notes] };
  }
  const report = explanationReport(explainPod(world.snapshot, pod));
  return {
    exitCode: report.situation === "no-place" ? 1 : 0,
    output: formatted(report, options.output, explanationTable),
    notes: world.notes,
  };
}

const namesListed = 4;

/** Pods that were probably meant: of that workload, of that name elsewhere, or close in spelling. */
function nearestNames(wanted: string, pods: readonly PodRecord[]): string {
  const names = pods.map(podName).sort(new Intl.Collator("en", { numeric: true }).compare);
  const [, own = wanted] = wanted.split("/");
  const closest = closestWord(wanted, names);
  const near = [
    ...names.filter((name) => name.startsWith(`${wanted}-`)),
    ...names.filter((name) => name.endsWith(`/${own}`) || name.includes(`/${own}-`)),
    ...(closest === undefined ? [] : [closest]),
  ];
  const shown = [...new Set(near.length > 0 ? near : names)].slice(0, namesListed);
  if (shown.length === 0) return "a pod of the input, which has none";
  return `one of its ${counted(names.length, "pod")}, such as ${shown.join(", ")}`;
}
