import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../api/core.ts";

type Labels = Readonly<Record<string, string>>;

/** Plugin NodeAffinity: `nodeSelector` and the required terms, of which one must match, against a real node's labels. */
export function matchesNodeAffinity(spec: PodSpec, nodeName: string, labels: Labels): boolean {
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (labels[key] !== value) return false;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    required === undefined || required.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, nodeName, labels))
  );
}

/** A term without expressions matches no node. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, nodeName: string, labels: Labels): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => matches(each, labels[each.key])) &&
    matchFields.every((each) => matches(each, each.key === "metadata.name" ? nodeName : undefined))
  );
}

function matches({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return compare(value, values, (found, bound) => found > bound);
    case "Lt":
      return compare(value, values, (found, bound) => found < bound);
    // Karpenter's additions: the API server refuses them in a pod, so no node matches.
    case "Gte":
    case "Lte":
      return false;
  }
}

function compare(
  value: string | undefined,
  values: readonly string[],
  holds: (found: bigint, bound: bigint) => boolean,
): boolean {
  const [bound] = values;
  const integer = /^[+-]?\d+$/;
  if (value === undefined || bound === undefined || !integer.test(value) || !integer.test(bound)) return false;
  return holds(BigInt(value), BigInt(bound));
}
