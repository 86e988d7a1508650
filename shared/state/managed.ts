import { awsGroup } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodeClassReference } from "../api/node-pool.ts";

/** Whether a class is an EC2NodeClass: NodePools and NodeClaims of other classes are another controller's (karpenter-core §8). */
export function isManagedClass({ group, kind }: Pick<NodeClassReference, "group" | "kind">): boolean {
  return group === awsGroup && kind === "EC2NodeClass";
}

/** Whether a NodeClaim is ours to launch, to look after and to end. */
export function isManagedClaim({ spec }: Pick<NodeClaim, "spec">): boolean {
  return isManagedClass(spec.nodeClassRef);
}
