import type { NodeClaim } from "../api/node-claim.ts";
import { parseDuration, parseTime } from "../api/time.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { isReschedulable } from "../state/pod-roles.ts";

/** What moving a node's pods costs, in no unit: 1 for an empty node, and about 1 more for an ordinary pod (karpenter-core §6.3). */
export function reschedulingCost(pods: readonly PodRecord[]): number {
  return pods.filter(isReschedulable).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);
}

/** The share of a claim's life that is still to come, 0 to 1; 1 where it never expires (karpenter-core §6.3). */
export function lifetimeRemaining({ metadata, spec }: NodeClaim, now: number): number {
  const lifetime = (parseDuration(spec.expireAfter ?? "Never") ?? Number.POSITIVE_INFINITY) * 1_000;
  if (metadata.creationTimestamp === undefined || !Number.isFinite(lifetime) || lifetime <= 0) return 1;
  const age = now - parseTime(metadata.creationTimestamp);
  return clamp((lifetime - age) / lifetime, 0, 1);
}

function evictionCost({ deletionCost = 0, priority }: PodRecord): number {
  return clamp(1 + deletionCost / 2 ** 27 + priority / 2 ** 25, -10, 10);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
