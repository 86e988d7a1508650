import type { Kind, KubernetesObject } from "../shared/api/kinds.ts";
import type { Problem } from "../shared/api/problems.ts";
import { closestWord } from "../shared/api/spelling.ts";
import { mostPods } from "../shared/simulator/scenario.ts";
import { optionProblem } from "./command-result.ts";

/** Kinds whose pods are made in a number that `--scale` can set. */
export type Workload = Extract<
  KubernetesObject,
  { kind: "Deployment" | "ReplicaSet" | "ReplicationController" | "StatefulSet" | "Job" | "CronJob" }
>;

export interface Scales {
  /** Pods by {@link workloadKey}. */
  readonly counts: ReadonlyMap<string, number>;
  readonly problems: readonly Problem[];
}

const scalePattern = /^(?:(?<namespace>[a-z0-9-]+)\/)?(?<kind>[a-z]+)\/(?<name>[a-z0-9.-]+)=(?<count>\d{1,9})$/i;

/** The spellings that kubectl takes. */
const kindNames: Readonly<Record<Workload["kind"], readonly string[]>> = {
  Deployment: ["deployment", "deployments", "deploy"],
  ReplicaSet: ["replicaset", "replicasets", "rs"],
  ReplicationController: ["replicationcontroller", "replicationcontrollers", "rc"],
  StatefulSet: ["statefulset", "statefulsets", "sts"],
  Job: ["job", "jobs"],
  CronJob: ["cronjob", "cronjobs", "cj"],
};

/** The `--scale [namespace/]kind/name=N` options, each matched to the one workload that it means. */
export function resolveScales(options: readonly string[], workloads: readonly Workload[]): Scales {
  const counts = new Map<string, number>();
  const problems: Problem[] = [];
  for (const option of options) {
    const resolved = resolveScale(option, workloads);
    if ("found" in resolved) problems.push(resolved);
    else counts.set(resolved.key, resolved.count);
  }
  return { counts, problems };
}

/** One name for a workload: `Deployment/shop/cart`. */
export function workloadKey(kind: Kind | string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

export function keyOf({ kind, metadata }: Workload): string {
  return workloadKey(kind, metadata.namespace ?? "default", metadata.name);
}

function resolveScale(
  option: string,
  workloads: readonly Workload[],
): { readonly key: string; readonly count: number } | Problem {
  const parts = scalePattern.exec(option)?.groups;
  const isKind = (kind: string) => (candidate: Workload) => kindNames[candidate.kind].includes(kind.toLowerCase());
  if (
    parts === undefined ||
    !Object.values(kindNames)
      .flat()
      .includes((parts.kind ?? "").toLowerCase())
  ) {
    return optionProblem("--scale", JSON.stringify(option), "[namespace/]kind/name=N such as deployment/web=25");
  }
  const { namespace, kind = "", name = "", count } = parts;
  const pods = Number(count);
  if (pods > mostPods) return optionProblem("--scale", JSON.stringify(option), `at most ${mostPods} pods`);
  const matches = workloads.filter(
    (workload) =>
      isKind(kind)(workload) &&
      workload.metadata.name === name &&
      (namespace === undefined || workload.metadata.namespace === namespace),
  );
  const [match, ...others] = matches;
  if (match !== undefined && others.length === 0) return { key: keyOf(match), count: pods };
  const choices = (match === undefined ? workloads : matches).map(scaleName);
  const expected =
    match === undefined ? `a workload of the input${hint(option, choices)}` : `one of ${choices.join(", ")}`;
  const found = match === undefined ? "no such workload" : `${matches.length} workloads of that name`;
  return optionProblem(`--scale ${option}`, found, expected);
}

function scaleName({ kind, metadata }: Workload): string {
  return `${metadata.namespace ?? "default"}/${kind.toLowerCase()}/${metadata.name}`;
}

function hint(option: string, choices: readonly string[]): string {
  const wanted = option.replace(/=.*$/, "");
  const close = closestWord(wanted, choices) ?? closestWord(`default/${wanted}`, choices);
  if (close !== undefined) return `; did you mean ${close}?`;
  return choices.length > 0 && choices.length <= 12 ? `: ${choices.join(", ")}` : "";
}
