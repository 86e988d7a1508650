import type { PodConstraints } from "../state/pod-record.ts";
import type { Refusal } from "./plan.ts";

/**
 * Of a pod's refusals the one of the NodePool that comes nearest: where the pod gets furthest before something fails. A NodePool that
 * takes no part, a taint, a label, then what its nodes lack, then other pods, then limits: the order in which they are looked at.
 */
export function nearestRefusal(refusals: readonly Refusal[], constraints: PodConstraints): Refusal | undefined {
  return refusals.reduce<Refusal | undefined>(
    (best, one) => (best === undefined || progress(one, constraints) > progress(best, constraints) ? one : best),
    undefined,
  );
}

const unusableKeys: ReadonlySet<string> = new Set(["deletionTimestamp", "replicas", "nodeClassRef", "Ready"]);

function progress({ key = "" }: Refusal, constraints: PodConstraints): number {
  if (unusableKeys.has(key) || key.startsWith("spec.")) return 0;
  if (key === "taint") return 1;
  if (key.startsWith("limits.") || key.startsWith("settings.")) return 7;
  if (isTopologyKey(key, constraints)) return 6;
  if (key.startsWith("minValues of ")) return 5;
  if ((constraints.requests[key] ?? 0) > 0) return 4;
  return key === "hostPort" ? 3 : 2;
}

function isTopologyKey(key: string, constraints: PodConstraints): boolean {
  const { nodeAlternatives, topologySpread, podAffinity, podAntiAffinity } = constraints;
  if (nodeAlternatives.some((wanted) => wanted.has(key))) return false;
  return [...topologySpread, ...podAffinity, ...podAntiAffinity].some(({ topologyKey }) => topologyKey === key);
}
