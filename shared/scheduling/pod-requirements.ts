import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../api/core.ts";
import { label } from "../api/labels.ts";
import { intersectAll, type Requirements, requirementsOf } from "./requirements.ts";

/**
 * Where a pod's required node affinity and `nodeSelector` let it run: one entry for each OR-term, the selector included in each, in
 * the order written; at least one. Preferences are not part of it.
 */
export function nodeAlternatives(spec: PodSpec): readonly Requirements[] {
  const selector = requirementsOf(
    Object.entries(spec.nodeSelector ?? {}).map(([key, value]) => ({ key, operator: "In", values: [value] })),
  );
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) {
    return [selector];
  }
  const alternatives = required.nodeSelectorTerms
    .map(termRequirements)
    .filter((term) => term.size > 0)
    .map((term) => intersectAll(term, selector));
  return alternatives.length > 0 ? alternatives : [intersectAll(nowhere, selector)];
}

/** What a pod's preferred node affinity terms ask, the heaviest first. An empty term asks nothing and is left out. */
export function preferredNodeTerms(spec: PodSpec): readonly Requirements[] {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ preference }) => termRequirements(preference))
    .filter((requirements) => requirements.size > 0);
}

/** Kubernetes: an empty term matches no node, so required affinity of nothing but empty terms matches none. */
const nowhere: Requirements = requirementsOf([{ key: label.hostname, operator: "In", values: [] }]);

/** One OR-term: its expressions, and its fields as labels. */
export function termRequirements({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): Requirements {
  return requirementsOf([...matchExpressions, ...matchFields.map(fieldAsLabel)]);
}

/** `metadata.name` is the only field Kubernetes knows. EKS nodes carry their name as the hostname label. */
function fieldAsLabel(field: NodeSelectorRequirement): NodeSelectorRequirement {
  return { ...field, key: field.key === "metadata.name" ? label.hostname : field.key };
}
