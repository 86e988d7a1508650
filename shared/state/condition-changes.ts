import type { Condition } from "../api/schema.ts";
import { formatTime } from "../api/time.ts";
import { conditionOf } from "./conditions.ts";

interface HasConditions {
  readonly metadata?: { readonly generation?: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export type ConditionChange = Pick<Condition, "type" | "status"> & {
  readonly reason: string;
  readonly message?: string;
};

/**
 * The whole list with the changes made, or undefined when nothing changes: a merge patch replaces lists, so that the write must also
 * carry the resourceVersion. The transition time moves only with the status, and each condition says which generation of the object it
 * is about (metav1.Condition).
 */
export function changedConditions(
  object: HasConditions,
  changes: readonly ConditionChange[],
  now: number,
): readonly Condition[] | undefined {
  const { generation } = object.metadata ?? {};
  const pending = changes.filter((change) => !isAsWanted(conditionOf(object, change.type), change, generation));
  if (pending.length === 0) return undefined;
  const touched = new Set(pending.map((change) => change.type));
  const kept = (object.status?.conditions ?? []).filter((condition) => !touched.has(condition.type));
  const changed = pending.map((change): Condition => {
    const current = conditionOf(object, change.type);
    const unmoved = current?.status === change.status ? current.lastTransitionTime : undefined;
    return {
      message: "",
      ...change,
      lastTransitionTime: unmoved ?? formatTime(now),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
  return [...kept, ...changed];
}

function isAsWanted(current: Condition | undefined, wanted: ConditionChange, generation: number | undefined): boolean {
  return (
    current?.status === wanted.status &&
    current.reason === wanted.reason &&
    (current.message ?? "") === (wanted.message ?? "") &&
    (current.observedGeneration === undefined || current.observedGeneration === generation)
  );
}
