import type { KubernetesObject } from "../shared/api/kinds.ts";
import { isTime } from "../shared/api/time.ts";

/** 2026-01-01T00:00:00Z: the time of manifests that tell no other. */
const epochAt = Date.UTC(2026, 0, 1);

/**
 * The moment that the input describes, in epoch milliseconds: the newest time in it. The same files must give the same plan tomorrow,
 * so the wall clock has no say.
 */
export function virtualNow(objects: readonly KubernetesObject[]): number {
  const times = objects.flatMap(timesOf).filter((text) => text !== undefined && isTime(text));
  return times.reduce((newest, text) => Math.max(newest, Date.parse(text ?? "")), 0) || epochAt;
}

/** A deletionTimestamp is not among them: it lies ahead, by the grace period. */
function timesOf(object: KubernetesObject): readonly (string | undefined)[] {
  const status = "status" in object ? object.status : undefined;
  const conditions = status !== undefined && "conditions" in status ? (status.conditions ?? []) : [];
  return [
    object.metadata.creationTimestamp,
    ...conditions.map(({ lastTransitionTime }) => lastTransitionTime),
    ...(object.kind === "Pod" ? [object.status?.startTime] : []),
    ...(object.kind === "NodeClaim" ? [object.status?.lastPodEventTime] : []),
  ];
}
