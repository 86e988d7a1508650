import type { Node } from "../api/core.ts";
import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { formatTime, isTime, parseDuration, parseTime } from "../api/time.ts";
import type { DrainStep } from "../disruption/drain.ts";
import type { Ec2Instance, MergePatch } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import { isTrue } from "../state/conditions.ts";
import { nominationsOf } from "../state/nominations.ts";
import { disruptedTaint } from "../state/pod-eviction.ts";
import { type Replacement, replacementOf } from "../state/replacement.ts";

/** The decisions of a termination step, each a function of the objects as they are (karpenter-core §7). No I/O. */

/** Spot does not charge for an instance that it takes back within this time of its launch. */
const freeMilliseconds = 3_600_000;
/** How long after its deadline an interrupted instance may still run before we end it ourselves. */
const overdueMilliseconds = 60_000;

/** Keeps new pods and load balancers away; undefined once done. */
export function leavingNodePatch(node: Node): MergePatch | undefined {
  const taints = node.spec?.taints ?? [];
  const merged = mergeTaints(taints, [disruptedTaint]);
  const isExcluded = node.metadata.labels?.[label.excludeFromLoadBalancers] !== undefined;
  if (merged.length === taints.length && isExcluded) return undefined;
  return { metadata: { labels: { [label.excludeFromLoadBalancers]: "karpenter" } }, spec: { taints: merged } };
}

/** Writes down once when the claim's terminationGracePeriod is over; never moved later. */
export function terminationTimestampPatch(claim: NodeClaim): MergePatch | undefined {
  const { deletionTimestamp, annotations } = claim.metadata;
  const seconds = parseDuration(claim.spec.terminationGracePeriod ?? "");
  if (seconds === undefined || deletionTimestamp === undefined) return undefined;
  if (annotations?.[annotation.terminationTimestamp] !== undefined) return undefined;
  const at = formatTime(parseTime(deletionTimestamp) + seconds * 1_000);
  return { metadata: { annotations: { [annotation.terminationTimestamp]: at } } };
}

/** From then on neither budgets nor do-not-disrupt hold the claim. */
export function terminationAtOf(claim: NodeClaim): number | undefined {
  const text = claim.metadata.annotations?.[annotation.terminationTimestamp] ?? "";
  return isTime(text) ? parseTime(text) : undefined;
}

/** UIDs of displaced pods that may go: their next node is initialized, or room was found on nodes that run. */
export function homedPods(claims: readonly NodeClaim[], replacement: Replacement): ReadonlySet<string> {
  const ready = claims.filter(
    (claim) => claim.metadata.deletionTimestamp === undefined && isTrue(claim, "Initialized"),
  );
  const nominated = ready.flatMap((claim) => nominationsOf(claim).map(({ uid }) => uid));
  return new Set([...nominated, ...(replacement.roomFor ?? [])]);
}

export type InstanceVerdict =
  | { readonly kind: "ended" }
  /** EC2 ends it by itself, by `untilAt` at the latest. */
  | { readonly kind: "leave"; readonly reason: string; readonly untilAt: number }
  | { readonly kind: "terminate" }
  | { readonly kind: "wait"; readonly reason: string };

/**
 * What to do about a drained claim's instance; `instance` undefined: EC2 does not know it. A very young instance that EC2 does not
 * know yet is waited for, because reads lag behind launches.
 */
export function instanceVerdict(
  instance: Ec2Instance | undefined,
  claim: NodeClaim,
  node: Node | undefined,
  now: number,
): InstanceVerdict {
  if (instance === undefined) {
    const { creationTimestamp } = claim.metadata;
    const age = creationTimestamp === undefined ? Number.POSITIVE_INFINITY : now - parseTime(creationTimestamp);
    return age < 60_000 ? { kind: "wait", reason: "EC2 may not show a new instance yet" } : { kind: "ended" };
  }
  if (instance.state === "terminated") return { kind: "ended" };
  if (instance.state === "shutting-down") return { kind: "wait", reason: "the instance is shutting down" };
  const replacement = node && replacementOf(node);
  if (replacement?.deadlineAt !== undefined && isFree(instance, replacement, replacement.deadlineAt)) {
    const untilAt = replacement.deadlineAt + overdueMilliseconds;
    if (now < untilAt) return { kind: "leave", reason: "spot reclaims it in its first hour, which is free", untilAt };
  }
  return { kind: "terminate" };
}

/** Seconds to the next drain step: close together while a deadline runs, apart when nothing changes, never past a due time. */
export function drainDelaySeconds(
  step: DrainStep,
  n: number,
  replacement: Replacement | undefined,
  now: number,
): number {
  const usual = replacement?.deadlineAt === undefined ? growingDelaySeconds(n) : 2;
  const untilDue = step.nextAt === undefined ? usual : Math.ceil((step.nextAt - now) / 1_000);
  return Math.max(1, Math.min(usual, untilDue));
}

/** 1 to 10 s (design §4.5), growing with the number of steps taken. */
export function growingDelaySeconds(n: number): number {
  return Math.min(10, 1 + Math.floor(n / 4));
}

export function isNodeReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function isFree(instance: Ec2Instance, replacement: Replacement, deadlineAt: number): boolean {
  return (
    replacement.reason === "spot-interruption" &&
    instance.capacityType === "spot" &&
    deadlineAt - instance.launchedAt < freeMilliseconds
  );
}
