import { canonicalLabel } from "../api/labels.ts";
import type { RequirementEntry } from "../api/node-pool.ts";
import { suggestLabel } from "./label-suggestions.ts";
import {
  commonValues,
  everyValue,
  hasValue,
  haveCommonValue,
  isEmpty,
  larger,
  noValues,
  numbersThat,
  type ValueSet,
} from "./value-sets.ts";

/**
 * What a label must be (karpenter-core §3): a set of values, a least number of distinct ones, and whether the label may be missing.
 * Label values cannot be negative (their syntax starts with a letter or digit).
 */
export interface Requirement extends ValueSet {
  readonly key: string;
  /** How many distinct values the offered instance types must span. */
  readonly minValues?: number;
  /**
   * Whether a node without the label satisfies it: `NotIn` and `DoesNotExist`, but not `NotIn` together with `Exists`. Karpenter
   * reads this from the operator and so launches nodes for contradictory pods, which kube-scheduler never places.
   */
  readonly mayBeAbsent: boolean;
}

/** By label key. */
export type Requirements = ReadonlyMap<string, Requirement>;

export type RequirementOperator = RequirementEntry["operator"];

/**
 * One entry as a requirement, under the label's current name. A numeric operator without one integer accepts nothing, as in
 * kube-scheduler; integers beyond 2^53-1 count as none.
 */
export function requirement(
  key: string,
  operator: RequirementOperator,
  values: readonly string[] = [],
  minValues?: number,
): Requirement {
  return {
    ...valueSetOf(operator, values),
    key: canonicalLabel(key),
    mayBeAbsent: operator === "NotIn" || operator === "DoesNotExist",
    ...(minValues === undefined ? {} : { minValues }),
  };
}

/** Entries of one key intersect. */
export function requirementsOf(
  entries: readonly {
    readonly key: string;
    readonly operator: RequirementOperator;
    readonly values?: readonly string[];
    readonly minValues?: number;
  }[],
): Requirements {
  const requirements = new Map<string, Requirement>();
  for (const { key, operator, values, minValues } of entries) {
    narrow(requirements, requirement(key, operator, values, minValues));
  }
  return requirements;
}

/** Each label as `In [value]`. Where an old and the current spelling of a label are both there, the current one counts. */
export function requirementsOfLabels(labels: Readonly<Record<string, string>>): Requirements {
  const requirements = new Map<string, Requirement>();
  for (const [key, value] of Object.entries(labels)) {
    const canonical = canonicalLabel(key);
    if (canonical === key || !Object.hasOwn(labels, canonical)) {
      narrow(requirements, requirement(canonical, "In", [value]));
    }
  }
  return requirements;
}

export function allows(requirement: Requirement, value: string): boolean {
  return hasValue(requirement, value);
}

/** No value satisfies it: a contradiction, or `DoesNotExist`. */
export function isImpossible(requirement: Requirement): boolean {
  return isEmpty(requirement);
}

/** The operator it reads back as; `Exists` and `NotIn` may be bounded as well. */
export function operatorOf({ complement, values }: Requirement): "In" | "NotIn" | "Exists" | "DoesNotExist" {
  if (complement) {
    return values.size === 0 ? "Exists" : "NotIn";
  }
  return values.size === 0 ? "DoesNotExist" : "In";
}

/** What satisfies both, for requirements of one key. */
export function intersect(a: Requirement, b: Requirement): Requirement {
  if (a === b) {
    return a;
  }
  const minValues = larger(a.minValues, b.minValues);
  return {
    ...commonValues(a, b),
    key: a.key,
    mayBeAbsent: a.mayBeAbsent && b.mayBeAbsent,
    ...(minValues === undefined ? {} : { minValues }),
  };
}

/** Whether some value satisfies both: `!isImpossible(intersect(a, b))`, without allocating. */
export function overlaps(a: Requirement, b: Requirement): boolean {
  return haveCommonValue(a, b);
}

/** Keys of one set are kept, keys of several intersect. */
export function intersectAll(...sets: readonly Requirements[]): Requirements {
  const filled = sets.filter((set) => set.size > 0);
  const [first = noRequirements, ...others] = filled;
  if (others.length === 0) {
    return first;
  }
  const requirements = new Map(first);
  for (const set of others) {
    for (const requirement of set.values()) {
      narrow(requirements, requirement);
    }
  }
  return requirements;
}

/** Why two sets of requirements do not go together; `found` is absent where the key is not defined at all. */
export interface RequirementConflict {
  readonly key: string;
  readonly found: Requirement | undefined;
  readonly wanted: Requirement;
}

/**
 * Karpenter's `Intersects`: the first key by name that both define and on which they have nothing in common. Two requirements that
 * both accept an absent label never conflict.
 */
export function firstConflict(a: Requirements, b: Requirements): RequirementConflict | undefined {
  let conflict: RequirementConflict | undefined;
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  for (const one of fewer.values()) {
    const { key } = one;
    const other = more.get(key);
    if (other !== undefined && isConflict(one, other) && (conflict === undefined || key < conflict.key)) {
      conflict = fewer === a ? { key, found: one, wanted: other } : { key, found: other, wanted: one };
    }
  }
  return conflict;
}

/**
 * Karpenter's `Compatible`: as {@link firstConflict}, and besides the node must define each key of the pod, but for keys in
 * `mayBeUndefined` and requirements that accept an absent label. Pass the well-known labels for nodes to be launched, whose
 * instance types resolve them, and an empty set for nodes that exist.
 */
export function firstIncompatibility(
  node: Requirements,
  pod: Requirements,
  mayBeUndefined: ReadonlySet<string>,
): RequirementConflict | undefined {
  let conflict: RequirementConflict | undefined;
  for (const wanted of pod.values()) {
    const { key } = wanted;
    if (conflict !== undefined && key > conflict.key) {
      continue;
    }
    const found = node.get(key);
    const refused = found ? isConflict(found, wanted) : isUnmetWhenUndefined(wanted, mayBeUndefined);
    if (refused) {
      conflict = { key, found, wanted };
    }
  }
  return conflict;
}

/** One line that names the key, what was found and what was wanted. */
export function describeConflict({ key, found, wanted }: RequirementConflict): string {
  if (found !== undefined) {
    return `${describeRequirement(wanted)} has nothing in common with ${describeRequirement(found)}`;
  }
  if (isImpossible(wanted)) {
    return describeRequirement(wanted);
  }
  const suggestion = suggestLabel(key);
  const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  return `label ${key} is not defined, wanted ${describeRequirement(wanted)}${hint}`;
}

/** For example `zone In [a, b]` or `cpu >= 3 and <= 8 and NotIn [5]`; long lists are cut. */
export function describeRequirement(requirement: Requirement): string {
  const { key, values, min, max, minValues, mayBeAbsent } = requirement;
  const operator = operatorOf(requirement);
  const parts = [
    ...(min === undefined || (min === 0 && max !== undefined) ? [] : [`>= ${min}`]),
    ...(max === undefined ? [] : [`<= ${max}`]),
    ...(operator === "NotIn" && min === undefined && !mayBeAbsent ? ["Exists"] : []),
    ...(values.size === 0 ? [] : [`${operator} [${describeValues(values)}]`]),
  ];
  const contradicts = isImpossible(requirement) && !mayBeAbsent;
  const text = parts.length > 0 ? parts.join(" and ") : contradicts ? "contradicts itself" : operator;
  return `${key} ${text}${minValues === undefined ? "" : ` (at least ${minValues} values)`}`;
}

/**
 * As NodePool and NodeClaim entries, sorted by key; `requirementsOf` gives back the same requirements. Bounds are written as `Gt`
 * and `Lt`, which every version of the CRD accepts, and exclusions beside bounds are kept, which Karpenter loses (karpenter-core §3).
 */
export function requirementEntries(requirements: Requirements): RequirementEntry[] {
  return [...requirements.keys()].sort().flatMap((key) => {
    const found = requirements.get(key);
    return found === undefined ? [] : entriesOf(found);
  });
}

const noRequirements: Requirements = new Map();
const shownValues = 8;
/** `Lt` this: any integer that a label can be. */
const beyondIntegers = String(2 ** 53);

function valueSetOf(operator: RequirementOperator, values: readonly string[]): ValueSet {
  switch (operator) {
    case "In":
      return { complement: false, values: new Set(values) };
    case "NotIn":
      return { complement: true, values: new Set(values) };
    case "Exists":
      return everyValue;
    case "DoesNotExist":
      return noValues;
    default:
      return numbersThat(operator, values);
  }
}

function narrow(requirements: Map<string, Requirement>, added: Requirement): void {
  const present = requirements.get(added.key);
  requirements.set(added.key, present === undefined ? added : intersect(present, added));
}

function isConflict(found: Requirement, wanted: Requirement): boolean {
  return !(found.mayBeAbsent && wanted.mayBeAbsent) && !overlaps(found, wanted);
}

function isUnmetWhenUndefined(wanted: Requirement, mayBeUndefined: ReadonlySet<string>): boolean {
  return !wanted.mayBeAbsent && (isImpossible(wanted) || !mayBeUndefined.has(wanted.key));
}

function describeValues(values: ReadonlySet<string>): string {
  const sorted = [...values].sort();
  const hidden = sorted.length - shownValues;
  return hidden > 0 ? `${sorted.slice(0, shownValues).join(", ")} and ${hidden} more` : sorted.join(", ");
}

function entriesOf(requirement: Requirement): RequirementEntry[] {
  const { key, minValues } = requirement;
  const [first, ...others] = operatorsOf(requirement);
  return [
    { key, ...first, ...(minValues === undefined ? {} : { minValues }) },
    ...others.map((entry) => ({ key, ...entry })),
  ];
}

type Operation = Omit<RequirementEntry, "key" | "minValues">;

/** The operators that together make up a requirement. */
function operatorsOf({ complement, values, min, max, mayBeAbsent }: Requirement): readonly [Operation, ...Operation[]] {
  const listed = { operator: complement ? "NotIn" : "In", values: [...values].sort() } as const;
  if (!complement) {
    if (values.size > 0) {
      return [listed];
    }
    return mayBeAbsent ? [{ operator: "DoesNotExist" }] : [{ operator: "Exists" }, { operator: "DoesNotExist" }];
  }
  const excluded = values.size > 0 ? [listed] : [];
  if (min === undefined) {
    return mayBeAbsent ? [listed] : [{ operator: "Exists" }, ...excluded];
  }
  const below: Operation = { operator: "Lt", values: [max === undefined ? beyondIntegers : String(max + 1)] };
  const above: Operation = { operator: "Gt", values: [String(min - 1)] };
  if (min === 0) {
    return [below, ...excluded];
  }
  return max === undefined ? [above, ...excluded] : [above, below, ...excluded];
}
