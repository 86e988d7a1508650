import { labelKeyFault, labelValueFault } from "../api/label-syntax.ts";
import type { LabelSelector } from "../api/schema.ts";
import { selectorEntryFaults } from "../api/selector-validation.ts";

type Labels = Readonly<Record<string, string>>;
type Expression = NonNullable<LabelSelector["matchExpressions"]>[number];

/** `metav1.LabelSelector`: absent matches nothing, empty everything; `NotIn` also matches where the label is absent. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) {
    return false;
  }
  for (const key in selector.matchLabels) {
    if (labelValue(labels, key) !== selector.matchLabels[key]) {
      return false;
    }
  }
  return selector.matchExpressions?.every((expression) => matchesExpression(expression, labels)) ?? true;
}

/** Whether the API server takes it: keys and values in their syntax, and as many values as the operators ask for. */
export function isValidSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  const values = [...Object.values(matchLabels), ...matchExpressions.flatMap((expression) => expression.values ?? [])];
  return (
    keys.every((key) => labelKeyFault(key) === undefined) &&
    values.every((value) => labelValueFault(value) === undefined) &&
    matchExpressions.every((expression) => selectorEntryFaults(expression).length === 0)
  );
}

/** For example `app=web, tier In [a, b]`; the same text for the same selector, however its parts are ordered. */
export function describeSelector(selector: LabelSelector): string {
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector.matchExpressions ?? []).map(describeExpression),
  ];
  return parts.length === 0 ? "everything" : parts.sort().join(", ");
}

function matchesExpression({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labelValue(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

function describeExpression({ key, operator, values }: Expression): string {
  return values === undefined || values.length === 0
    ? `${key} ${operator}`
    : `${key} ${operator} [${values.toSorted().join(", ")}]`;
}

/** Own properties only: a label may be called `constructor`. */
function labelValue(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
