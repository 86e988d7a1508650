import type { NodeSelectorRequirement } from "../../api/core.ts";
import { canonicalLabel, label } from "../../api/labels.ts";

import { suggestLabel } from "../../scheduling/label-suggestions.ts";
import type { Edit, EditPath } from "./edit.ts";
import { meantBy } from "./misspelling.ts";
import { launchableValues, type Question, refusedKeys } from "./question.ts";

const target = { kind: "Pod" } as const;
/** Of each label: enough to find one that helps, few enough to try. */
const valuesTried = 3;

/** Edits of the pod's node selector and required node affinity, for the labels that NodePools refuse. */
export function selectorEdits(question: Question): readonly Edit[] {
  return refusedKeys(question).flatMap((key) =>
    key === "nodeSelectorTerms"
      ? [{ target, at: requiredAffinity, from: requiredOf(question), size: "drop" }]
      : [...nodeSelectorEdits(question, key), ...expressionEdits(question, key)],
  );
}

function requiredOf({ pod }: Question) {
  return pod.constraints.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
}

/** Labels that a key was probably meant to be: well-known ones, and those that NodePools have of their own. */
function meantKeys({ pools }: Question, key: string): readonly string[] {
  const own = [...new Set(pools.flatMap(({ requirements }) => [...requirements.keys()]))].sort();
  const nameOf = (name: string) => name.slice(name.lastIndexOf("/") + 1);
  const meant = [suggestLabel(key), own.find((name) => nameOf(name) === nameOf(key)), meantBy(key, own)];
  return [...new Set(meant.filter((name) => name !== undefined))].filter((name) => name !== key);
}

function nodeSelectorEdits(question: Question, key: string): readonly Edit[] {
  const selector = question.pod.constraints.spec.nodeSelector ?? {};
  return Object.entries(selector).flatMap(([name, value]): readonly Edit[] => {
    if (canonicalLabel(name) !== key) return [];
    const at = ["spec", "nodeSelector", name];
    const { [name]: _, ...others } = selector;
    const renamed = meantKeys(question, name).map(
      (meant): Edit => ({
        target,
        at: at.slice(0, 2),
        from: selector,
        to: { ...others, [meant]: value },
        size: "correct",
      }),
    );
    return [...renamed, ...changedValues(question, key, at, value), { target, at, from: value, size: "drop" }];
  });
}

/** The value that was most likely meant, and those of the cheapest nodes. */
function changedValues({ pools }: Question, key: string, at: EditPath, from: string): readonly Edit[] {
  const values = launchableValues(pools, key).filter((value) => value !== from);
  const meant = meantBy(from, values);
  const corrected: Edit[] = meant === undefined ? [] : [{ target, at, from, to: meant, size: "correct" }];
  return [...corrected, ...values.slice(0, valuesTried).map((to): Edit => ({ target, at, from, to, size: "widen" }))];
}

const requiredAffinity: EditPath = [
  "spec",
  "affinity",
  "nodeAffinity",
  "requiredDuringSchedulingIgnoredDuringExecution",
];

function expressionEdits(question: Question, key: string): readonly Edit[] {
  const terms = requiredOf(question)?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [], matchFields = [] }, term) => {
    const termAt = [...requiredAffinity, "nodeSelectorTerms", term];
    const expressions = matchExpressions.flatMap((expression, index): readonly Edit[] => {
      if (canonicalLabel(expression.key) !== key) return [];
      const at = [...termAt, "matchExpressions", index];
      return [...changedExpression(question, expression, at), droppedExpression(question, term, at, expression)];
    });
    // The only field there is, the node's name, is read as the hostname.
    const fields = matchFields.map((field, index) =>
      droppedExpression(question, term, [...termAt, "matchFields", index], field),
    );
    return key === label.hostname ? [...expressions, ...fields] : expressions;
  });
}

/** An empty term matches no node: a term goes with its last expression, and the affinity with its last term. */
function droppedExpression(question: Question, term: number, at: EditPath, from: NodeSelectorRequirement): Edit {
  const required = requiredOf(question);
  const { matchExpressions = [], matchFields = [] } = required?.nodeSelectorTerms[term] ?? {};
  if (matchExpressions.length + matchFields.length > 1) return { target, at, from, size: "drop" };
  if (required?.nodeSelectorTerms.length === 1) return { target, at: requiredAffinity, from: required, size: "drop" };
  return { target, at: at.slice(0, -2), from: required?.nodeSelectorTerms[term], size: "drop" };
}

function changedExpression(question: Question, expression: NodeSelectorRequirement, at: EditPath): readonly Edit[] {
  const { key, operator, values = [] } = expression;
  const renamed = meantKeys(question, key).map(
    (meant): Edit => ({ target, at: [...at, "key"], from: key, to: meant, size: "correct" }),
  );
  if (operator !== "In") return renamed;
  const launchable = launchableValues(question.pools, key).filter((value) => !values.includes(value));
  const corrected = values.flatMap((value, index): readonly Edit[] => {
    const closest = meantBy(value, launchable);
    return closest === undefined
      ? []
      : [{ target, at: [...at, "values", index], from: value, to: closest, size: "correct" }];
  });
  const added = launchable
    .slice(0, valuesTried)
    .map((to): Edit => ({ target, at: [...at, "values", values.length], to, size: "widen" }));
  return [...renamed, ...corrected, ...added];
}
