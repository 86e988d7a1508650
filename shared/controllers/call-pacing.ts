import type { NodeClaim } from "../api/node-claim.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";

/**
 * EC2's request buckets for TerminateInstances (100, refilled at 5 per second) and CreateTags (100, at 10 per second; serverless-aws §2)
 * are shared by invocations that know nothing of each other. How many calls there were lately is written on the NodeClaims themselves;
 * both limits leave room for invocations that look at the same moment.
 */
const windowMilliseconds = 10_000;
const mostInWindow = 40;
/** Of a sweep, once a minute. */
const mostTagsOfSweep = 40;

/** Whether one more instance may be ended now. A claim whose instance is being ended stays for longer than the window. */
export function mayTerminate(claims: readonly NodeClaim[], now: number): boolean {
  return recently("InstanceTerminating", claims, now) < mostInWindow;
}

/** Whether a claim that has just registered may have its instance tagged at once; else the next sweep does it. */
export function mayTagAtOnce(claims: readonly NodeClaim[], now: number): boolean {
  return recently("Registered", claims, now) < mostInWindow;
}

/** Those whose instances a sweep tags: the ones that have waited longest. */
export function taggedBySweep(claims: readonly NodeClaim[]): ReadonlySet<string> {
  const waiting = claims
    .filter(
      (claim) => claim.metadata.annotations?.[taggedAnnotation] !== "true" && claim.status?.nodeName !== undefined,
    )
    .map((claim) => ({ name: claim.metadata.name, since: transitionedAt(claim, "Registered") ?? 0 }))
    .sort((a, b) => a.since - b.since || (a.name < b.name ? -1 : 1));
  return new Set(waiting.slice(0, mostTagsOfSweep).map(({ name }) => name));
}

/** Karpenter's mark that an instance carries the tags that could not be known when it was launched (karpenter-aws §7). */
export const taggedAnnotation = "karpenter.k8s.aws/tagged";

function recently(type: string, claims: readonly NodeClaim[], now: number): number {
  return claims.filter((claim) => isTrue(claim, type) && now - (transitionedAt(claim, type) ?? 0) < windowMilliseconds)
    .length;
}
