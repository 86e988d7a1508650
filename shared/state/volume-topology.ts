import { label } from "../api/labels.ts";
import { stableJson } from "../api/stable-json.ts";
import type { PersistentVolume, StorageClass } from "../api/storage.ts";
import { termRequirements } from "../scheduling/pod-requirements.ts";
import {
  firstConflict,
  intersectAll,
  type Requirement,
  type Requirements,
  requirement,
  requirementEntries,
  requirementsOf,
} from "../scheduling/requirements.ts";

/** Sets of node requirements of which one must hold. */
export type Alternatives = readonly Requirements[];

/** Any node will do. */
export const anywhere: Alternatives = [new Map()];

/** A pod's volumes together may leave this many ways at most; what is beyond has no sense but to take all our time. */
const mostAlternatives = 256;

/**
 * Where a volume can be reached: its node affinity, and the zone and region in its labels (kube-scheduler's VolumeZone). Volumes on
 * a node's own disk lose what they say of hostnames, as their pods could never move (karpenter-core §2.8).
 */
export function volumeAlternatives(volume: PersistentVolume): Alternatives {
  const { nodeAffinity, local, hostPath } = volume.spec;
  const onNode = local !== undefined || hostPath !== undefined;
  const terms = nodeAffinity?.required?.nodeSelectorTerms.map(termRequirements) ?? anywhere;
  const stated = onNode ? terms.map(withoutHostname) : terms;
  const labels = labelRequirements(volume.metadata.labels ?? {});
  return merged(stated.map((term) => intersectAll(term, labels)));
}

/** Where the volumes of a class may be made. */
export function classAlternatives({ allowedTopologies = [] }: StorageClass): Alternatives {
  if (allowedTopologies.length === 0) return anywhere;
  const terms = allowedTopologies.map(({ matchLabelExpressions = [] }) =>
    requirementsOf(matchLabelExpressions.map(({ key, values }) => ({ key, operator: "In", values }))),
  );
  return merged(terms);
}

/** What holds for both. Combinations that contradict themselves are dropped, unless that would drop all. */
export function crossed(a: Alternatives, b: Alternatives): Alternatives {
  const pairs = a.flatMap((one) => b.map((other) => ({ one, other })));
  const possible = pairs.filter(({ one, other }) => firstConflict(one, other) === undefined);
  const kept = possible.length > 0 ? possible : pairs;
  return merged(kept.slice(0, mostAlternatives).map(({ one, other }) => intersectAll(one, other)));
}

/** Whether some node could meet both, as far as their labels tell. */
export function agree(a: Alternatives, b: Alternatives): boolean {
  return a.some((one) => b.some((other) => firstConflict(one, other) === undefined));
}

/** Equal for alternatives that ask for the same. */
export function alternativesKey(alternatives: Alternatives): string {
  if (alternatives.every((each) => each.size === 0)) return "";
  return stableJson(alternatives.map(requirementEntries));
}

/** Labels of volumes that VolumeZone looks at, under their old names too; several zones are joined by `__`. */
const zoneLabels: ReadonlySet<string> = new Set([
  label.zone,
  label.region,
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
]);

function labelRequirements(labels: Readonly<Record<string, string>>): Requirements {
  const entries = Object.entries(labels).filter(([key]) => zoneLabels.has(key));
  return requirementsOf(entries.map(([key, value]) => ({ key, operator: "In", values: value.split("__") })));
}

function withoutHostname(term: Requirements): Requirements {
  return new Map([...term].filter(([key]) => key !== label.hostname));
}

/** Alternatives that differ in the values of one label are one, with all of these values: more for the planner to choose from. */
function merged(alternatives: Alternatives): Alternatives {
  return alternatives.reduce<Alternatives>(withJoined, []);
}

function withJoined(kept: Alternatives, added: Requirements): Alternatives {
  for (const [index, each] of kept.entries()) {
    const joined = joinedWith(each, added);
    if (joined !== undefined) return withJoined(kept.toSpliced(index, 1), joined);
  }
  return [...kept, added];
}

function joinedWith(a: Requirements, b: Requirements): Requirements | undefined {
  if (a.size !== b.size) return a.size === 0 || b.size === 0 ? new Map() : undefined;
  const differing = [...a.values()].filter((one) => !isSame(one, b.get(one.key)));
  const [one, ...more] = differing;
  if (one === undefined) return a;
  const other = b.get(one.key);
  if (more.length > 0 || other === undefined || !isPlainList(one) || !isPlainList(other)) return undefined;
  return new Map(a).set(one.key, requirement(one.key, "In", [...one.values.union(other.values)]));
}

function isPlainList({ complement, values }: Requirement): boolean {
  return !complement && values.size > 0;
}

function isSame(a: Requirement, b: Requirement | undefined): boolean {
  return (
    b !== undefined &&
    a.complement === b.complement &&
    a.mayBeAbsent === b.mayBeAbsent &&
    a.min === b.min &&
    a.max === b.max &&
    a.values.size === b.values.size &&
    a.values.isSubsetOf(b.values)
  );
}
