import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeValue, type Place, type Problem, problemAt } from "../shared/api/problems.ts";
import { isRawObject } from "../shared/api/raw-objects.ts";
import { schemaProblems } from "../shared/api/schema-problems.ts";
import { closestWord } from "../shared/api/spelling.ts";
import { yamlDocuments } from "../shared/api/yaml-documents.ts";
import { type Scenario, scenarioFile, stepSchemas } from "../shared/simulator/scenario.ts";
import { readFileText } from "./read-inputs.ts";
import { resolveSteps, type ScenarioContent, type StepReading } from "./scenario-steps.ts";

export interface ScenarioReading {
  /** Absent when there are problems. */
  readonly scenario?: Scenario;
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

const scenarioFolder = fileURLToPath(new URL("./scenarios", import.meta.url));

/** Names that `simulate` takes in place of a file. */
export function shippedScenarios(): readonly string[] {
  return readdirSync(scenarioFolder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}

/** Reads a scenario, by file or by the name of a shipped one, with the manifests that it refers to. */
export async function readScenario(nameOrPath: string): Promise<ScenarioReading> {
  const isName = /^[\w-]+$/.test(nameOrPath);
  const shipped = shippedScenarios();
  if (isName && !shipped.includes(nameOrPath)) {
    const close = closestWord(nameOrPath, shipped);
    const hint = close === undefined ? "" : `; did you mean ${close}?`;
    const expected = `a scenario file, or one that is shipped: ${shipped.join(", ")}${hint}`;
    return failed([{ file: nameOrPath, document: 0, path: "", found: "no such scenario", expected }]);
  }
  const source = await readFileText(isName ? join(scenarioFolder, `${nameOrPath}.yaml`) : nameOrPath);
  if ("found" in source) return failed([source]);
  return parseScenario(source.name, source.text, (file) => readFileText(join(dirname(source.name), file)));
}

/** `readFile` reads a manifest that the scenario names. */
export async function parseScenario(
  name: string,
  text: string,
  readFile: (file: string) => ReturnType<typeof readFileText>,
): Promise<ScenarioReading> {
  const { documents, problems } = yamlDocuments({ name, text }, "one scenario");
  const [document, ...others] = documents;
  if (document === undefined || problems.length > 0) return failed(problems);
  const place: Place = { name, document: document.document };
  if (others.length > 0) return failed([problemAt(place, [], `${documents.length} documents`, "one scenario")]);
  const parsed = scenarioFile.safeParse(document.value);
  const ownProblems = parsed.success ? [] : schemaProblems(scenarioFile, document.value, parsed.error.issues, place);
  const content = parsed.success ? parsed.data : usableContent(document.value);
  const steps = content.steps.map((step, index) => parseStep(step, index, place));
  const unclear = [...ownProblems, ...steps.flatMap((step) => ("problems" in step ? step.problems : []))];
  const resolved = await resolveSteps(content, steps, place, readFile);
  if (!parsed.success || unclear.length + resolved.problems.length > 0) {
    return { notes: resolved.notes, problems: [...unclear, ...resolved.problems] };
  }
  const { name: title, description, durationSeconds, settings } = parsed.data;
  const scenario: Scenario = {
    name: title,
    description,
    durationSeconds,
    settings,
    objects: resolved.objects,
    steps: resolved.steps,
  };
  return { scenario, notes: resolved.notes, problems: [] };
}

/** The fields of a faulty scenario that are right by themselves: what they refer to is looked at all the same. */
function usableContent(value: unknown): ScenarioContent {
  const fields = isRawObject(value) ? value : {};
  const { objects, files, steps, durationSeconds } = scenarioFile.shape;
  return {
    objects: objects.safeParse(fields.objects).data ?? [],
    files: files.safeParse(fields.files).data ?? [],
    steps: steps.safeParse(fields.steps).data ?? [],
    durationSeconds: durationSeconds.safeParse(fields.durationSeconds).data ?? Number.POSITIVE_INFINITY,
  };
}

/** A step is looked at by its own schema, so that what is said fits what was meant. */
function parseStep(step: unknown, index: number, place: Place): StepReading {
  const word = isRawObject(step) ? step.do : undefined;
  const path = ["steps", index];
  if (typeof word !== "string" || !isStepName(word)) {
    const expected = `one of ${Object.keys(stepSchemas).join(", ")}`;
    return { problems: [problemAt(place, [...path, "do"], describeValue(word), expected)] };
  }
  const schema = stepSchemas[word];
  const parsed = schema.safeParse(step);
  if (parsed.success) return parsed.data;
  const problems = schemaProblems(schema, step, parsed.error.issues, place);
  return {
    problems: problems.map((one) => ({ ...one, path: `steps[${index}]${one.path === "" ? "" : `.${one.path}`}` })),
  };
}

function isStepName(word: string): word is keyof typeof stepSchemas {
  return Object.hasOwn(stepSchemas, word);
}

function failed(problems: readonly Problem[]): ScenarioReading {
  return { notes: [], problems };
}
