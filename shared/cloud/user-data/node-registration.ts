import { label, taintKey } from "../../api/labels.ts";
import type { NodeClaim } from "../../api/node-claim.ts";
import type { Taint } from "../../api/schema.ts";

/**
 * Labels that the kubelet gives its node. Names that NodeRestriction admission keeps to itself are left out and set later by
 * `lifecycle` (karpenter-aws §5).
 */
export function registrationLabels(nodeClaim: NodeClaim, capacityType: string): Readonly<Record<string, string>> {
  const labels = {
    ...nodeClaim.metadata.labels,
    [label.capacityType]: capacityType,
    [label.doNotSyncTaints]: "true",
  };
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => !isRestricted(key))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Taints that the node registers with: the claim's, its startup taints, and the one that `lifecycle` removes. */
export function registrationTaints({ spec }: NodeClaim): readonly Taint[] {
  const taints = [...(spec.taints ?? []), ...(spec.startupTaints ?? [])];
  return taints.some((taint) => taint.key === taintKey.unregistered)
    ? taints
    : [...taints, { key: taintKey.unregistered, effect: "NoExecute" }];
}

const restrictedDomains = ["node-restriction.kubernetes.io", "kubernetes.io", "k8s.io"];

function isRestricted(key: string): boolean {
  const domain = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  return restrictedDomains.some((restricted) => domain === restricted || domain.endsWith(`.${restricted}`));
}
