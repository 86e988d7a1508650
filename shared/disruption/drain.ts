import type { PodDisruptionBudget } from "../api/policy.ts";
import { budgetsOf, isActive, isCritical, isDoNotDisruptActive, toleratesDisruption } from "../state/pod-eviction.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { isDaemonPod, isMirrorPod } from "../state/pod-roles.ts";
import type { Replacement } from "../state/replacement.ts";

/** What a drain step knows. All pods are those of the one node. */
export interface DrainState {
  readonly now: number;
  readonly pods: readonly PodRecord[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** The NodeClaim's termination timestamp: from it nothing is spared. */
  readonly terminationAt?: number;
  /** Present when new capacity comes first; absent, pods are evicted at once. */
  readonly replacement?: Replacement;
  /** UIDs of pods whose next node is Ready. */
  readonly homed: ReadonlySet<string>;
}

export interface DrainStep {
  readonly evict: readonly PodRecord[];
  readonly forceDelete: readonly { readonly pod: PodRecord; readonly gracePeriodSeconds: number }[];
  /** Pods that must go but not by an act of this step. */
  readonly waitingFor: readonly { readonly pod: PodRecord; readonly reason: string }[];
  /** When the next eviction falls due by time alone. */
  readonly nextAt?: number;
}

/** Between a pod's last moment and the end of its machine, beyond its grace period (design §4.3). */
const safetyMilliseconds = 10_000;
/** How long a node that nobody forces to leave waits for its pods' new capacity. */
const patienceMilliseconds = 600_000;
/** A pod terminating for longer than this past its deletion time is stuck: draining goes on without it (karpenter-core §7.4). */
const stuckMilliseconds = 60_000;

/**
 * One step of a drain, in Karpenter's order of groups: a group starts when the one before it is gone (karpenter-core §7.4). With a
 * replacement mark a pod goes when its next node is Ready, or at deadline - grace - 10 s whatever its group (design §4.3). Pods with
 * do-not-disrupt are never evicted; only the termination timestamp overrules them, and PodDisruptionBudgets.
 */
export function drainStep(state: DrainState): DrainStep {
  const pods = drainablePods(state.pods, state.now);
  const currentGroup = Math.min(...pods.map(groupOf));
  const verdicts = pods.map((pod) => ({ pod, verdict: verdictOf(pod, state, groupOf(pod) === currentGroup) }));
  const dueTimes = verdicts.flatMap(({ verdict }) => (verdict.kind === "wait" && verdict.dueAt ? [verdict.dueAt] : []));
  return {
    evict: verdicts.flatMap(({ pod, verdict }) => (verdict.kind === "evict" ? [pod] : [])),
    forceDelete: verdicts.flatMap(({ pod, verdict }) =>
      verdict.kind === "force" ? [{ pod, gracePeriodSeconds: verdict.gracePeriodSeconds }] : [],
    ),
    waitingFor: verdicts.flatMap(({ pod, verdict }) =>
      verdict.kind === "wait" ? [{ pod, reason: verdict.reason }] : [],
    ),
    ...(dueTimes.length === 0 ? {} : { nextAt: Math.min(...dueTimes) }),
  };
}

/** Nothing is left that draining is for. */
export function isDrained(step: DrainStep): boolean {
  return step.evict.length + step.forceDelete.length + step.waitingFor.length === 0;
}

/** The pods that have to leave: not finished, not static, not at home on a disrupted node, not stuck. */
export function drainablePods(pods: readonly PodRecord[], now: number): readonly PodRecord[] {
  return pods.filter(
    (pod) =>
      pod.phase !== "Succeeded" &&
      pod.phase !== "Failed" &&
      !isMirrorPod(pod) &&
      !toleratesDisruption(pod) &&
      (pod.deletedAt === undefined || now <= pod.deletedAt + stuckMilliseconds),
  );
}

type Verdict =
  | { readonly kind: "evict" }
  | { readonly kind: "force"; readonly gracePeriodSeconds: number }
  | { readonly kind: "wait"; readonly reason: string; readonly dueAt?: number };

function verdictOf(pod: PodRecord, state: DrainState, isInCurrentGroup: boolean): Verdict {
  const { now, terminationAt } = state;
  const graceMilliseconds = pod.terminationGracePeriodSeconds * 1_000;
  if (terminationAt !== undefined && mustBeForced(pod, now, terminationAt, graceMilliseconds)) {
    return { kind: "force", gracePeriodSeconds: Math.max(1, Math.floor((terminationAt - now) / 1_000)) };
  }
  if (!isActive(pod)) return { kind: "wait", reason: "it is terminating" };
  if (isDoNotDisruptActive(pod, now)) return { kind: "wait", reason: `do-not-disrupt is ${pod.doNotDisrupt}` };
  const budgets = budgetsOf(pod, state.podDisruptionBudgets);
  if (budgets.length > 1) {
    const names = budgets.map((budget) => budget.metadata.name).sort();
    return {
      kind: "wait",
      reason: `PodDisruptionBudgets ${names.join(", ")} all count it; the Eviction API allows one`,
    };
  }
  return timing(pod, state, isInCurrentGroup, graceMilliseconds);
}

function timing(pod: PodRecord, state: DrainState, isInCurrentGroup: boolean, graceMilliseconds: number): Verdict {
  const { now, replacement, homed } = state;
  if (replacement === undefined) {
    return isInCurrentGroup ? { kind: "evict" } : { kind: "wait", reason: "pods of an earlier group are not gone" };
  }
  const lastMomentAt =
    replacement.deadlineAt === undefined
      ? replacement.noticedAt + patienceMilliseconds
      : replacement.deadlineAt - graceMilliseconds - safetyMilliseconds;
  if (now >= lastMomentAt) return { kind: "evict" };
  if (!isInCurrentGroup) return { kind: "wait", reason: "pods of an earlier group are not gone", dueAt: lastMomentAt };
  if (isDaemonPod(pod) || homed.has(pod.uid)) return { kind: "evict" };
  return { kind: "wait", reason: "its next node is not ready", dueAt: lastMomentAt };
}

/** Past its last chance to use its grace in full, or already terminating with more grace than is left. */
function mustBeForced(pod: PodRecord, now: number, terminationAt: number, graceMilliseconds: number): boolean {
  if (pod.deletedAt !== undefined) return pod.deletedAt > terminationAt;
  return now > terminationAt - graceMilliseconds;
}

/** Applications, their daemons, critical applications, critical daemons: logs and network go last. */
function groupOf(pod: PodRecord): number {
  return (isCritical(pod) ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);
}
