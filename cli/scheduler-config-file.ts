import { type Problem, problemAt } from "../shared/api/problems.ts";
import { type DefaultSpreadConstraint, schedulerConfig } from "../shared/api/scheduler-config.ts";
import { schemaProblems } from "../shared/api/schema-problems.ts";
import { yamlDocuments } from "../shared/api/yaml-documents.ts";
import { readFileText } from "./read-inputs.ts";

export interface SchedulerConfigReading {
  readonly defaultTopologySpread: readonly DefaultSpreadConstraint[];
  readonly problems: readonly Problem[];
}

/** The YAML or JSON file behind `--scheduler-config`, of one document; none without the option. */
export async function readSchedulerConfigFile(path: string | undefined): Promise<SchedulerConfigReading> {
  if (path === undefined) return { defaultTopologySpread: [], problems: [] };
  const source = await readFileText(path);
  return "found" in source
    ? { defaultTopologySpread: [], problems: [source] }
    : parseSchedulerConfig(path, source.text);
}

const wanted = "one scheduler configuration, with podTopologySpread.defaultConstraints";

function parseSchedulerConfig(name: string, text: string): SchedulerConfigReading {
  const { documents, problems } = yamlDocuments({ name, text }, wanted);
  if (problems.length > 0) return { defaultTopologySpread: [], problems };
  const [first, ...others] = documents;
  const place = { name, document: others[0]?.document ?? 0 };
  if (first === undefined || others.length > 0) {
    const found = `${documents.length} documents`;
    return { defaultTopologySpread: [], problems: [problemAt(place, [], found, wanted)] };
  }
  const parsed = schedulerConfig.safeParse(first.value);
  if (parsed.success) {
    return { defaultTopologySpread: parsed.data.podTopologySpread.defaultConstraints, problems: [] };
  }
  const faults = schemaProblems(schedulerConfig, first.value, parsed.error.issues, { name, document: first.document });
  return { defaultTopologySpread: [], problems: faults };
}
