import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import { isDoNotDisruptActive } from "../state/pod-eviction.ts";
import { isDaemonPod, isMirrorPod } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type StaticPool, staticPools } from "../state/static-pools.ts";
import { lifetimeRemaining, reschedulingCost } from "./eviction-cost.ts";

/** A NodeClaim that a static NodePool has too many of. */
export interface SurplusClaim {
  readonly claim: NodeClaim;
  /** One sentence: why there is one too many, and why it is this one. */
  readonly why: string;
}

/**
 * The NodeClaims that static NodePools have beyond their replicas, to be deleted whatever the budgets say (karpenter-core §1.4): first
 * those without an instance, then nodes without pods of their own, then those that cost least to move; do-not-disrupt goes last.
 */
export function surplusStaticClaims(snapshot: Snapshot): readonly SurplusClaim[] {
  const staying = clusterNodes(snapshot).filter(({ leaving }) => !leaving);
  return staticPools(snapshot.nodePools).flatMap((pool) => surplusOf(pool, staying, snapshot.now));
}

function surplusOf(
  { metadata, spec }: StaticPool,
  staying: readonly ClusterNode[],
  now: number,
): readonly SurplusClaim[] {
  const ranked = staying
    .flatMap((node) => {
      const claim = node.nodeClaim;
      return claim?.metadata.labels?.[label.nodePool] === metadata.name ? [{ claim, ...rankOf(claim, node, now) }] : [];
    })
    .sort((a, b) => a.group - b.group || a.cost - b.cost || (a.claim.metadata.name < b.claim.metadata.name ? -1 : 1));
  const surplus = Math.max(0, ranked.length - spec.replicas);
  const why = `static NodePool ${metadata.name} keeps ${spec.replicas} nodes and has ${ranked.length}`;
  return ranked.slice(0, surplus).map(({ claim, group }) => ({ claim, why: `${why}; this one ${groups[group]}` }));
}

const groups = [
  "has no instance yet",
  "runs no pods but those of DaemonSets",
  "costs the least to empty",
  "is among those that are left, and holds do-not-disrupt",
] as const;

function rankOf(
  claim: NodeClaim,
  node: ClusterNode,
  now: number,
): { readonly group: 0 | 1 | 2 | 3; readonly cost: number } {
  if (claim.status?.providerID === undefined) return { group: 0, cost: 0 };
  const cost = reschedulingCost(node.pods) * lifetimeRemaining(claim, now);
  const isMarked = [claim, node.node].some(
    (object) => object?.metadata.annotations?.[annotation.doNotDisrupt] === "true",
  );
  if (isMarked || node.pods.some((pod) => isDoNotDisruptActive(pod, now))) return { group: 3, cost };
  return node.pods.every((pod) => isDaemonPod(pod) || isMirrorPod(pod)) ? { group: 1, cost: 0 } : { group: 2, cost };
}
