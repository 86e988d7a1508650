import type { KubernetesObject } from "../api/kinds.ts";
import { isKind } from "./object-store.ts";
import { isTerminal } from "./pod-status.ts";
import { timestamp } from "./time.ts";

/** What a delete call does to an object. `remove` still waits for finalizers. */
type Deletion =
  | { readonly kind: "remove" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "mark"; readonly deletionTimestamp: string; readonly deletionGracePeriodSeconds: number };

/**
 * Graceful deletion (kubernetes apiserver registry/rest/delete.go and the pod strategy): a pod on a node keeps running for its grace
 * period, and `deletionTimestamp` is the end of it, not its start. A second delete can only shorten the grace. Pods without a node and
 * pods that ended have none.
 */
export function deletionOf(object: KubernetesObject, gracePeriodSeconds: number | undefined, now: number): Deletion {
  const grace = gracePeriodOf(object, gracePeriodSeconds);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || grace === 0) {
    return grace === 0 ? { kind: "remove" } : mark(now, grace);
  }
  if (gracePeriodSeconds === undefined || grace >= deletionGracePeriodSeconds) return { kind: "unchanged" };
  return mark(Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000, grace);
}

function mark(startedAt: number, grace: number): Deletion {
  return {
    kind: "mark",
    deletionTimestamp: timestamp(startedAt + grace * 1_000),
    deletionGracePeriodSeconds: grace,
  };
}

function gracePeriodOf(object: KubernetesObject, asked: number | undefined): number {
  if (!isKind("Pod", object) || object.spec.nodeName === undefined || isTerminal(object)) return 0;
  const grace = asked ?? object.spec.terminationGracePeriodSeconds ?? 30;
  return grace < 0 ? 1 : Math.floor(grace);
}
