import { type Documents, readDocuments } from "../shared/api/documents.ts";
import type { KubernetesObject } from "../shared/api/kinds.ts";
import { type Place, type Problem, problemAt } from "../shared/api/problems.ts";
import { checkReferences } from "../shared/api/references.ts";
import { parseDuration } from "../shared/api/time.ts";
import {
  type InstanceTarget,
  mostPods,
  type ScalableKind,
  type ScenarioAction,
  type ScenarioFile,
  type ScenarioStep,
  type StepFile,
} from "../shared/simulator/scenario.ts";
import type { readFileText, Source } from "./read-inputs.ts";

type ReadFile = (file: string) => ReturnType<typeof readFileText>;
type ScaleStep = Extract<StepFile, { do: "scale" }>;
type ScaleAction = Extract<ScenarioAction, { do: "scale" }>;
type Scalable = Extract<KubernetesObject, { kind: ScalableKind }>;

export interface ResolvedSteps {
  readonly objects: readonly KubernetesObject[];
  readonly steps: readonly ScenarioStep[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** A step of the file, or what is wrong with it. */
export type StepReading = StepFile | { readonly problems: readonly Problem[] };

/** What a scenario file says beside its settings. */
export type ScenarioContent = Pick<ScenarioFile, "objects" | "files" | "steps" | "durationSeconds">;

interface TimedStep {
  readonly step: StepFile;
  readonly atSeconds: number;
  readonly path: readonly (string | number)[];
}

/**
 * Reads the manifests of a scenario and turns its steps into single actions in order of time. What is missing is a problem only where
 * everything else could be read: it may stand in the part that could not.
 */
export async function resolveSteps(
  file: ScenarioContent,
  steps: readonly StepReading[],
  place: Place,
  readFile: ReadFile,
): Promise<ResolvedSteps> {
  const timed = timedSteps(steps);
  const atStart = await readManifests(file, [], place, readFile);
  const loaded = [...atStart.objects];
  const notes = [...atStart.notes];
  const unread = [...atStart.problems];
  const missing: Problem[] = [];
  const excessive: Problem[] = [];
  const resolved: ScenarioStep[] = [];
  for (const { step, atSeconds, path } of timed) {
    if (step.do === "apply") {
      const applied = await readManifests(step, path, place, readFile);
      loaded.push(...applied.objects);
      notes.push(...applied.notes);
      unread.push(...applied.problems);
      resolved.push({ atSeconds, action: { do: "apply", objects: applied.objects.map(({ object }) => object) } });
    } else if (step.do === "scale") {
      const targets = loaded.map(({ object }) => object).filter((object) => isTarget(object, step));
      if (targets.length === 0) missing.push(noTarget(step, path, place));
      for (const target of targets) {
        const action = scaled(target, step);
        if (action.replicas > mostPods) excessive.push(tooManyPods(action, path, place));
        resolved.push({ atSeconds, action });
      }
    } else {
      resolved.push({ atSeconds, action: plainAction(step) });
    }
  }
  const references = checkReferences(loaded);
  const isComplete = unread.length === 0 && timed.length === steps.length;
  return {
    objects: atStart.objects.map(({ object }) => object),
    steps: resolved,
    notes: [...new Set([...notes, ...references.notes])],
    problems: [
      ...unread,
      ...excessive,
      ...beyondTheEnd(timed, file.durationSeconds, place),
      ...(isComplete ? [...missing, ...references.problems] : []),
    ],
  };
}

function timedSteps(steps: readonly StepReading[]): readonly TimedStep[] {
  return steps
    .flatMap((step, index) =>
      "problems" in step ? [] : [{ step, atSeconds: parseDuration(step.at) ?? 0, path: ["steps", index] }],
    )
    .sort((a, b) => a.atSeconds - b.atSeconds);
}

/** Objects that stand in the scenario and those of the files that it names, read as `plan` reads them. */
async function readManifests(
  from: Pick<ScenarioFile, "objects" | "files">,
  path: readonly (string | number)[],
  place: Place,
  readFile: ReadFile,
): Promise<Documents> {
  const files = await Promise.all((from.files ?? []).map(readFile));
  const sources = files.filter((one): one is Source => "text" in one);
  const inline = from.objects ?? [];
  const where = [place.name, ...(path.length === 0 ? [] : [`step ${Number(path[1]) + 1}`])].join(", ");
  const list = { name: where, text: JSON.stringify({ apiVersion: "v1", kind: "List", items: inline }) };
  const documents = readDocuments(inline.length === 0 ? sources : [list, ...sources]);
  return { ...documents, problems: [...files.filter((one) => "found" in one), ...documents.problems] };
}

function isTarget(object: KubernetesObject, step: ScaleStep): object is Scalable {
  return (
    object.kind === step.kind &&
    (object.metadata.namespace ?? "default") === step.namespace &&
    (step.name === undefined || object.metadata.name === step.name)
  );
}

function scaled({ kind, metadata, spec }: Scalable, step: ScaleStep): ScaleAction {
  const replicas = step.replicas ?? Math.round((spec.replicas ?? 1) * (step.factor ?? 1));
  return { do: "scale", kind, namespace: step.namespace, name: metadata.name, replicas };
}

function tooManyPods({ kind, name, replicas }: ScaleAction, path: readonly (string | number)[], place: Place): Problem {
  return problemAt(place, path, `${replicas} pods of ${kind} ${name}`, `at most ${mostPods}`);
}

function noTarget(step: ScaleStep, path: readonly (string | number)[], place: Place): Problem {
  const wanted = `${step.kind} ${step.namespace}/${step.name ?? "*"}`;
  return problemAt(place, path, `nothing that is ${wanted} by ${step.at}`, "a workload that was applied before");
}

function plainAction(step: Exclude<StepFile, { do: "apply" | "scale" }>): ScenarioAction {
  switch (step.do) {
    case "interruptSpot":
    case "recommendRebalance":
      return { do: step.do, target: targetOf(step) };
    default: {
      const { at: _at, ...action } = step;
      return action;
    }
  }
}

function targetOf({ count, node }: { readonly count?: number; readonly node?: string }): InstanceTarget {
  return node === undefined ? { count: count ?? 1 } : { node };
}

function beyondTheEnd(steps: readonly TimedStep[], durationSeconds: number, place: Place): readonly Problem[] {
  return steps
    .filter(({ atSeconds }) => atSeconds > durationSeconds)
    .map(({ step, path }) =>
      problemAt(place, [...path, "at"], JSON.stringify(step.at), `a time before the end, at ${durationSeconds} s`),
    );
}
