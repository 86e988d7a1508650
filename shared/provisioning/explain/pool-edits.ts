import { canonicalLabel, label, wellKnownLabels } from "../../api/labels.ts";
import type { NodePool, RequirementEntry } from "../../api/node-pool.ts";

import type { PoolOptions } from "../node-options.ts";
import type { Refusal } from "../plan.ts";
import type { Edit, EditPath } from "./edit.ts";
import { limitEdits } from "./limit-edits.ts";
import { meantBy } from "./misspelling.ts";
import { untolerated } from "./placement-edits.ts";
import type { Question } from "./question.ts";
import { missedTypes } from "./type-edits.ts";

const valuesTried = 3;
const requirementsPath: EditPath = ["spec", "template", "spec", "requirements"];

/** Edits of the NodePools that refuse the pod, each made from the refusal of that NodePool. */
export function poolEdits(question: Question): readonly Edit[] {
  return question.refusals.flatMap((refusal) => {
    const pool = question.snapshot.nodePools.find(({ metadata }) => metadata.name === refusal.nodePool);
    if (pool === undefined) return [];
    const options = question.pools.find((candidate) => candidate.pool === pool);
    return [
      ...usabilityEdits(question, pool, refusal),
      ...(options === undefined ? [] : plannedPoolEdits(question, options, refusal)),
    ];
  });
}

/** Of a NodePool that takes no part: what it refers to, and that it is static. */
function usabilityEdits({ snapshot }: Question, pool: NodePool, { key }: Refusal): readonly Edit[] {
  const target = targetOf(pool);
  const { replicas, template } = pool.spec;
  if (key === "replicas") return [{ target, at: ["spec", "replicas"], from: replicas, size: "drop" }];
  if (key !== "nodeClassRef") return [];
  const { name } = template.spec.nodeClassRef;
  const names = snapshot.nodeClasses.map(({ metadata }) => metadata.name);
  const meant = meantBy(name, names);
  const at = ["spec", "template", "spec", "nodeClassRef", "name"];
  return names.map((to) => ({ target, at, from: name, to, size: to === meant ? "correct" : "widen" }));
}

function plannedPoolEdits(question: Question, options: PoolOptions, refusal: Refusal): readonly Edit[] {
  const { pool } = options;
  const { key = "" } = refusal;
  return [
    ...(key === "taint" ? taintEdits(question, options) : []),
    ...(key.startsWith("limits.") ? limitEdits(question, options) : []),
    ...minValuesEdits(pool, refusal),
    ...(key === "" || key === "taint" ? [] : keyedEdits(question, pool, key)),
    ...missedTypes(question, options).flatMap(({ key: missed, value }) => requirementEdits(pool, missed, [value])),
  ];
}

function taintEdits(question: Question, options: PoolOptions): readonly Edit[] {
  const [taint, another] = untolerated(question, options);
  if (taint === undefined || another !== undefined) return [];
  const index = (options.pool.spec.template.spec.taints ?? []).indexOf(taint);
  const at = ["spec", "template", "spec", "taints", index];
  return [{ target: targetOf(options.pool), at, from: taint, size: "untaint" }];
}

/** For a label: what the pod wants of it is let in, or put on the template. */
function keyedEdits(question: Question, pool: NodePool, key: string): readonly Edit[] {
  const wanted = wantedValues(question, key);
  const zones = key === label.zone ? question.snapshot.catalog.zones : [];
  return [...requirementEdits(pool, key, [...wanted, ...zones]), ...templateLabelEdits(question, pool, key, wanted)];
}

function wantedValues({ pod }: Question, key: string): readonly string[] {
  const wanted = pod.constraints.nodeAlternatives.flatMap((alternative) => {
    const found = alternative.get(key);
    return found === undefined || found.complement ? [] : [...found.values];
  });
  return [...new Set(wanted)];
}

/** Values let in by the requirements of a key, or those requirements given up. */
function requirementEdits(pool: NodePool, key: string, wanted: readonly string[]): readonly Edit[] {
  const { requirements } = pool.spec.template.spec;
  return requirements.flatMap((entry, index): readonly Edit[] => {
    if (canonicalLabel(entry.key) !== key) return [];
    const at = [...requirementsPath, index];
    const dropped: Edit = { target: targetOf(pool), at, from: entry, size: "drop" };
    return [...letIn(pool, entry, at, wanted), dropped];
  });
}

function letIn(pool: NodePool, entry: RequirementEntry, at: EditPath, wanted: readonly string[]): readonly Edit[] {
  const target = targetOf(pool);
  const { operator, values = [] } = entry;
  if (operator === "In") {
    const missing = wanted.filter((value) => !values.includes(value));
    return missing.slice(0, valuesTried).flatMap((to): readonly Edit[] => {
      const misspelt = meantBy(to, values);
      const index = misspelt === undefined ? -1 : values.indexOf(misspelt);
      const corrected: Edit[] =
        misspelt === undefined ? [] : [{ target, at: [...at, "values", index], from: misspelt, to, size: "correct" }];
      return [...corrected, { target, at: [...at, "values", values.length], to, size: "widen" }];
    });
  }
  if (operator !== "NotIn") return [];
  return values.flatMap((from, index): readonly Edit[] =>
    wanted.includes(from) ? [{ target, at: [...at, "values", index], from, size: "widen" }] : [],
  );
}

/** `minValues` lowered to what is reached, or given up. */
function minValuesEdits(pool: NodePool, { key, found = "" }: Refusal): readonly Edit[] {
  const target = targetOf(pool);
  const reached = Number.parseInt(found, 10);
  return pool.spec.template.spec.requirements.flatMap(({ key: own, minValues }, index): readonly Edit[] => {
    if (minValues === undefined || key !== `minValues of ${canonicalLabel(own)}`) return [];
    const at = [...requirementsPath, index, "minValues"];
    const lowered: Edit[] = reached > 0 ? [{ target, at, from: minValues, to: reached, size: "soften" }] : [];
    return [...lowered, { target, at, from: minValues, size: "drop" }];
  });
}

/** A label of one's own choice on every node of the NodePool. */
function templateLabelEdits(
  question: Question,
  pool: NodePool,
  key: string,
  wanted: readonly string[],
): readonly Edit[] {
  if (wellKnownLabels.has(key) || key === label.hostname || !isLabelOfPod(question, key)) return [];
  const from = pool.spec.template.metadata?.labels?.[key];
  const [to = pool.metadata.name] = wanted;
  const at = ["spec", "template", "metadata", "labels", key];
  return [{ target: targetOf(pool), at, to, size: "widen", ...(from === undefined ? {} : { from }) }];
}

/** Whether the pod speaks of this label, and so the key is one: other refusals have keys too. */
function isLabelOfPod({ pod }: Question, key: string): boolean {
  const { nodeAlternatives, topologySpread, podAffinity, podAntiAffinity } = pod.constraints;
  return (
    nodeAlternatives.some((alternative) => alternative.has(key)) ||
    [...topologySpread, ...podAffinity, ...podAntiAffinity].some(({ topologyKey }) => topologyKey === key)
  );
}

function targetOf({ metadata }: NodePool) {
  return { kind: "NodePool", name: metadata.name } as const;
}
