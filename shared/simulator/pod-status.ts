import type { Pod } from "../api/core.ts";
import type { Condition } from "../api/schema.ts";
import { timestamp } from "./time.ts";

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** Succeeded or Failed: it runs no more and holds no resources. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Neither ended nor on its way out: what a workload controller counts as a replica. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function conditionOf(
  object: { readonly status?: { readonly conditions?: readonly Condition[] } },
  type: string,
): Condition | undefined {
  return object.status?.conditions?.find((each) => each.type === type);
}

/** The conditions with some replaced by type; `lastTransitionTime` moves only when a status changes. */
export function withConditions(
  conditions: readonly Condition[] | undefined,
  changes: readonly Omit<Condition, "lastTransitionTime">[],
  now: number,
): Condition[] {
  const kept = (conditions ?? []).filter((each) => !changes.some((change) => change.type === each.type));
  return [
    ...kept,
    ...changes.map((change) => {
      const before = conditions?.find((each) => each.type === change.type);
      const lastTransitionTime =
        before?.status === change.status && before.lastTransitionTime !== undefined
          ? before.lastTransitionTime
          : timestamp(now);
      return { ...change, lastTransitionTime };
    }),
  ];
}
