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

/** Kubernetes: an empty term matches no node, so required affinity of nothing but empty terms matches none. */
const nowhere: Requirements = requirementsOf([{ key: label.hostname, operator: "In", values: [] }]);

function termRequirements({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): Requirements {
  return requirementsOf([...matchExpressions, ...matchFields.map(fieldAsLabel)]);
}

/** `metadata.name` is the only field Kubernetes knows. EKS nodes carry their name as the hostname label. */
function fieldAsLabel(field: NodeSelectorRequirement): NodeSelectorRequirement {
  return { ...field, key: field.key === "metadata.name" ? label.hostname : field.key };
}
