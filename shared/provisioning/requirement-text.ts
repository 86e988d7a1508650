import { describeRequirement, type Requirement } from "../scheduling/requirements.ts";

const shownValues = 12;

/** `In [a, b]`: what describeRequirement says, without the key. */
export function requirementText(requirement: Requirement): string {
  return describeRequirement(requirement).slice(requirement.key.length + 1);
}

/** Distinct values, sorted (numbers by size), as `In [a, b]`; long lists are cut. */
export function listedValues(values: readonly string[]): string {
  const distinct = [...new Set(values)];
  const sorted = distinct.every((value) => /^\d+$/.test(value))
    ? distinct.sort((a, b) => Number(a) - Number(b))
    : distinct.sort();
  if (sorted.length === 0) return "no value";
  const hidden = sorted.length - shownValues;
  return `In [${sorted.slice(0, shownValues).join(", ")}${hidden > 0 ? ` and ${hidden} more` : ""}]`;
}
