import type { Condition } from "../api/schema.ts";
import { parseTime } from "../api/time.ts";

interface HasConditions {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function conditionOf(object: HasConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(object: HasConditions, type: string): boolean {
  return conditionOf(object, type)?.status === "True";
}

/** When a condition last changed; undefined when it is absent or carries no time. */
export function transitionedAt(object: HasConditions, type: string): number | undefined {
  const time = conditionOf(object, type)?.lastTransitionTime;
  return time === undefined ? undefined : parseTime(time);
}
