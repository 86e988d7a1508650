import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import { formatTime, parseDuration, parseTime } from "../api/time.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";

/**
 * Why a node may not be consolidated (emptiness included) at this time, or undefined when it may: quiet since its last pod event, or
 * since it was initialized, for the pool's consolidateAfter (karpenter-core §6.4).
 */
export function consolidationObstacle(claim: NodeClaim, pool: NodePool, now: number): string | undefined {
  const { consolidateAfter } = pool.spec.disruption;
  if (pool.spec.replicas !== undefined) return `NodePool ${pool.metadata.name} is static`;
  if (consolidateAfter === "Never") return `NodePool ${pool.metadata.name} has consolidateAfter: Never`;
  const initializedAt = transitionedAt(claim, "Initialized");
  if (!isTrue(claim, "Initialized") || initializedAt === undefined) return "it is not initialized";
  const { lastPodEventTime } = claim.status ?? {};
  const quietSince = lastPodEventTime === undefined ? initializedAt : parseTime(lastPodEventTime);
  const quietUntil = quietSince + (parseDuration(consolidateAfter) ?? 0) * 1_000;
  if (now >= quietUntil) return undefined;
  return `its pods changed at ${formatTime(quietSince)} and consolidateAfter is ${consolidateAfter}`;
}
