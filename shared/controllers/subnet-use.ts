import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { addressesOf } from "../cloud/subnet-addresses.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";
import type { Snapshot } from "../state/snapshot.ts";

/** So long after a node opened its pods have their addresses. */
const settledMilliseconds = 60_000;

/**
 * Addresses by subnet that recent launches have taken, or will take with their pods, and that the reading of the subnets does not show:
 * all of a node's when it was launched since; those of its pods when it was opened since.
 */
export function addressesInUse(snapshot: Snapshot): ReadonlyMap<string, number> {
  const { nodeClaims, nodeClasses, subnetAddressesReadAt: readAt = 0 } = snapshot;
  const classes = new Map(nodeClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]));
  const used = new Map<string, number>();
  for (const claim of nodeClaims) {
    const subnetId = claim.metadata.annotations?.[annotation.subnet];
    if (subnetId === undefined) continue;
    const all = addressesOf(claim, classes.get(claim.spec.nodeClassRef.name));
    used.set(subnetId, (used.get(subnetId) ?? 0) + unseen(claim, all, readAt));
  }
  return used;
}

function unseen(claim: NodeClaim, all: number, readAt: number): number {
  const openedAt = isTrue(claim, "Initialized") ? transitionedAt(claim, "Initialized") : undefined;
  if (openedAt !== undefined && openedAt + settledMilliseconds < readAt) return 0;
  const launchedAt = transitionedAt(claim, "Launched") ?? Number.POSITIVE_INFINITY;
  return launchedAt < readAt ? all - 1 : all;
}
