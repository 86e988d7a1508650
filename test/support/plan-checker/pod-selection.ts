import type { PodAffinityTerm } from "../../../shared/api/core.ts";
import type { LabelSelector } from "../../../shared/api/schema.ts";
import type { PodConstraints } from "../../../shared/state/pod-record.ts";
import { expressionHolds, type Labels, labelOf } from "./node-matching.ts";

/** Namespace and labels: all that others' rules see of a pod. */
export type SelectablePod = Pick<PodConstraints, "namespace" | "labels">;
export type NamespaceLabels = ReadonlyMap<string, Labels>;

/** `metav1.LabelSelector`: an absent one matches nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((entry) => expressionHolds(entry, labels))
  );
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** The pod's own values of the keys join the selector: KEP-3243, KEP-3633. Keys that it lacks are ignored. */
export function withOwnValues(
  selector: LabelSelector | undefined,
  labels: Labels,
  operator: "In" | "NotIn",
  keys: readonly string[] = [],
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const added = keys.flatMap((key) => {
    const value = labelOf(labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}

/** Which pods a term of an owner is about, and text that is equal for equal targets. */
export interface TermTarget {
  readonly identity: string;
  readonly isMeant: (pod: SelectablePod) => boolean;
}

export function termTarget(term: PodAffinityTerm, owner: SelectablePod, namespaces: NamespaceLabels): TermTarget {
  const { namespaceSelector, namespaces: listed = [] } = term;
  const isOwnOnly = listed.length === 0 && namespaceSelector === undefined;
  const names = isOwnOnly ? [owner.namespace] : [...listed].sort();
  const matching = withOwnValues(term.labelSelector, owner.labels, "In", term.matchLabelKeys);
  const selector = withOwnValues(matching, owner.labels, "NotIn", term.mismatchLabelKeys);
  const isIn = (namespace: string) =>
    names.includes(namespace) ||
    (namespaceSelector !== undefined && selects(namespaceSelector, namespaces.get(namespace) ?? {}));
  return {
    identity: JSON.stringify([names, namespaceSelector ?? null, selector ?? null]),
    isMeant: memoised((pod) => isIn(pod.namespace) && selects(selector, pod.labels)),
  };
}

/** Pods of one workload share one object: it is matched once. */
export function memoised(matches: (pod: SelectablePod) => boolean): (pod: SelectablePod) => boolean {
  const known = new WeakMap<SelectablePod, boolean>();
  return (pod) => {
    let answer = known.get(pod);
    if (answer === undefined) {
      answer = matches(pod);
      known.set(pod, answer);
    }
    return answer;
  };
}
