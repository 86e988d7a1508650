import type { Node } from "../api/core.ts";
import { annotation, label, ownGroup, taintKey, terminationFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { OwnerReference } from "../api/schema.ts";
import type { MergePatch } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import { changedClaimConditions } from "../state/claim-conditions.ts";

/** What registration makes of a Node and its NodeClaim (karpenter-core §8). No I/O. */

/**
 * What registration writes on a Node: all that a kubelet may not set for itself. The `unregistered` taint stays until the node is
 * initialized (design §4.2). Undefined once the node carries the label: what others change later is theirs.
 */
export function registrationPatch(claim: NodeClaim, node: Node): MergePatch | undefined {
  const { metadata } = node;
  if (isRegistered(node)) return undefined;
  const ownAnnotation = (key: string) => key.startsWith(`${ownGroup}/`) || key === annotation.terminationTimestamp;
  const annotations = Object.entries(claim.metadata.annotations ?? {}).filter(([key]) => !ownAnnotation(key));
  const syncsTaints = metadata.labels?.[label.doNotSyncTaints] !== "true";
  const claimTaints = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])];
  return {
    metadata: {
      finalizers: [...new Set([...(metadata.finalizers ?? []), terminationFinalizer])],
      ownerReferences: withOwner(metadata.ownerReferences ?? [], claim),
      labels: {
        [label.nodeClass]: claim.spec.nodeClassRef.name,
        ...claim.metadata.labels,
        [label.registered]: "true",
      },
      annotations: Object.fromEntries(annotations),
    },
    ...(syncsTaints ? { spec: { taints: mergeTaints(node.spec?.taints ?? [], claimTaints) } } : {}),
  };
}

function isRegistered({ metadata }: Node): boolean {
  return metadata.labels?.[label.registered] === "true";
}

/** Whether pods may have come before the claim's labels and taints were there: its user data did not set the taint. */
export function lacksUnregisteredTaint(node: Node): boolean {
  return !isRegistered(node) && !(node.spec?.taints?.some(({ key }) => key === taintKey.unregistered) ?? false);
}

/** What the claim's status says of its registered node; undefined when it says so already. */
export function registeredStatus(claim: NodeClaim, node: Node, now: number): MergePatch | undefined {
  const registered = { type: "Registered", status: "True", reason: "Registered" } as const;
  const conditions = changedClaimConditions(claim, [registered], now);
  const isNamed = claim.status?.nodeName === node.metadata.name;
  if (conditions === undefined && isNamed) return undefined;
  return { status: { nodeName: node.metadata.name, ...(conditions === undefined ? {} : { conditions }) } };
}

function withOwner(references: readonly OwnerReference[], claim: NodeClaim): readonly OwnerReference[] {
  const uid = claim.metadata.uid ?? "";
  if (references.some((reference) => reference.uid === uid)) return references;
  const { apiVersion, kind } = claim;
  return [...references, { apiVersion, kind, name: claim.metadata.name, uid, blockOwnerDeletion: true }];
}
