import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Toleration } from "../../../shared/api/core.ts";
import type { Taint } from "../../../shared/api/schema.ts";

export type Labels = Readonly<Record<string, string>>;

interface LabelledNode {
  readonly name: string;
  readonly labels: Labels;
}

/** kube-scheduler's NodeAffinity: the node selector and one of the required terms. */
export function selectsNode(spec: PodSpec, node: LabelledNode): boolean {
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {}))
    if (labelOf(node.labels, key) !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => termHolds(term, node));
}

/** An empty term matches nothing. */
export function termHolds({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: LabelledNode): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { "metadata.name": node.name };
  return (
    matchExpressions.every((entry) => expressionHolds(entry, node.labels)) &&
    matchFields.every((entry) => expressionHolds(entry, fields))
  );
}

type Expression = Pick<NodeSelectorRequirement, "key" | "operator"> & { readonly values?: readonly string[] };

export function expressionHolds({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const found = labelOf(labels, key);
  switch (operator) {
    case "In":
      return found !== undefined && values.includes(found);
    case "NotIn":
      return found === undefined || !values.includes(found);
    case "Exists":
      return found !== undefined;
    case "DoesNotExist":
      return found === undefined;
    case "Gt":
      return compares(found, values, (a, b) => a > b);
    case "Lt":
      return compares(found, values, (a, b) => a < b);
    case "Gte":
      return compares(found, values, (a, b) => a >= b);
    case "Lte":
      return compares(found, values, (a, b) => a <= b);
  }
}

function compares(
  found: string | undefined,
  values: readonly string[],
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const [wanted = ""] = values;
  if (found === undefined || !isInteger(found) || !isInteger(wanted)) return false;
  return holds(BigInt(found), BigInt(wanted));
}

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** kube-scheduler's TaintToleration: the first taint that keeps the pod away. */
export function untolerated(tolerations: readonly Toleration[] = [], taints: readonly Taint[]): Taint | undefined {
  return taints.find(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((toleration) => covers(toleration, taint)),
  );
}

function covers({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if ((effect && effect !== taint.effect) || (key && key !== taint.key)) return false;
  const found = taint.value ?? "";
  if (operator === "Exists") return true;
  if (operator === "Equal") return found === value;
  if (!isInteger(found) || !isInteger(value)) return false;
  return operator === "Lt" ? BigInt(found) < BigInt(value) : BigInt(found) > BigInt(value);
}

const oldSpellings: Readonly<Record<string, readonly string[]>> = {
  "topology.kubernetes.io/zone": ["failure-domain.beta.kubernetes.io/zone", "topology.ebs.csi.aws.com/zone"],
  "topology.kubernetes.io/region": ["failure-domain.beta.kubernetes.io/region"],
  "kubernetes.io/arch": ["beta.kubernetes.io/arch"],
  "kubernetes.io/os": ["beta.kubernetes.io/os"],
  "node.kubernetes.io/instance-type": ["beta.kubernetes.io/instance-type"],
};

/** Kubelet, cloud controller and CSI driver write the older spellings as well. */
export function withOldSpellings(labels: Labels): Labels {
  const all: Record<string, string> = { ...labels };
  for (const [key, others] of Object.entries(oldSpellings)) {
    const value = labels[key] ?? others.map((other) => labels[other]).find((found) => found !== undefined);
    if (value !== undefined) for (const spelling of [key, ...others]) all[spelling] ??= value;
  }
  return all;
}
