import type { PodRecord } from "../state/pod-record.ts";
import { triedRefusals } from "./class-refusals.ts";
import type { NewNodes } from "./new-nodes.ts";
import type { OpenClass } from "./placement.ts";

/** A plan, and the pods that give way in it. */
export interface PrioritizedNodes {
  readonly planned: NewNodes;
  /** Left without a node, so that the limits hold enough for pods of higher priority. */
  readonly yielded: readonly PodRecord[];
}

/**
 * Where NodePool limits leave pods without a node, no pod of lower priority gets one in their place: kube-scheduler would only evict it
 * again. As few as will do give way, the lowest priority first. `planOf` plans the pods that it is asked to.
 */
export function withPriorities(planOf: (isWanted: (pod: PodRecord) => boolean) => NewNodes): PrioritizedNodes {
  const planned = planOf(() => true);
  const candidates = inferiorPods(planned);
  if (candidates.length === 0) return { planned, yielded: [] };
  const without = (count: number) => {
    const yielded = candidates.slice(0, count);
    const left = new Set(yielded);
    return { planned: planOf((pod) => !left.has(pod)), yielded };
  };
  let [low, high] = [1, candidates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (inferiorPods(without(middle).planned).length === 0) high = middle;
    else low = middle + 1;
  }
  return without(low);
}

/** Pods with a new node and a lower priority than some pod that a limit has left without one; the lowest first. */
function inferiorPods({ claims, unplaced }: NewNodes): readonly PodRecord[] {
  const limited = unplaced.filter(isLimited).flatMap(({ pods }) => pods.map(({ priority }) => priority));
  if (limited.length === 0) return [];
  const highest = Math.max(...limited);
  return claims
    .flatMap(({ pods }) => pods)
    .filter(({ priority }) => priority < highest)
    .sort((a, b) => a.priority - b.priority || b.createdAt - a.createdAt || (a.uid < b.uid ? -1 : 1));
}

function isLimited(entry: OpenClass): boolean {
  return triedRefusals(entry).some(({ key }) => key?.startsWith("limits."));
}
