import type { PodRecord } from "../state/pod-record.ts";
import type { LeftDemand, NewDemand } from "./new-demand.ts";
import type { ClaimDraft } from "./planned-claims.ts";
import { priorityOf } from "./pod-class.ts";
import type { PoolHeadroom } from "./pool-limits.ts";
import { poolsOf, refusedByAll } from "./refusals.ts";

/** Who tries again where a NodePool's limit left pods without a node. */
export interface GivingWay {
  /** Pods of lower priority that have taken the place, and look elsewhere. */
  readonly yielded: readonly LeftDemand[];
  /** What stays left: of it, pods for which others give way try the same NodePools again. */
  readonly movedOn: readonly LeftDemand[];
}

/**
 * At a limit no pod takes the place of one of higher priority: kube-scheduler would only evict it again. About as many as the others
 * need give way, the lowest priority first; none for a pod that the limit could not hold even alone.
 */
export function givingWay(
  left: readonly LeftDemand[],
  claims: readonly ClaimDraft[],
  demands: readonly NewDemand[],
  headroom: readonly PoolHeadroom[],
): GivingWay {
  const demandOfPod = new Map(demands.flatMap((demand) => demand.pods.map((pod) => [pod, demand] as const)));
  const yielding = new Map<PodRecord, string>();
  const served = new Set<LeftDemand>();
  const byPriority = left.toSorted((a, b) => priorityOf(b.demand.podClass) - priorityOf(a.demand.podClass));
  for (const entry of byPriority) {
    if (!isLimited(entry) || !wouldFitAlone(entry.demand, headroom)) continue;
    const givers = giversFor(entry, claims, yielding);
    for (const { pod, nodePool } of givers) yielding.set(pod, nodePool);
    if (givers.length > 0) served.add(entry);
  }
  const byDemand = Map.groupBy(yielding, ([pod]) => demandOfPod.get(pod));
  const yielded = [...byDemand].flatMap(([demand, entries]) =>
    demand === undefined ? [] : [yieldedBy(demand, entries.length, new Set(entries.map(([, nodePool]) => nodePool)))],
  );
  return { yielded, movedOn: left.filter((entry) => !served.has(entry)) };
}

function isLimited({ refusals }: LeftDemand): boolean {
  return refusals.some(({ key }) => key?.startsWith("limits."));
}

function wouldFitAlone({ options }: NewDemand, headroom: readonly PoolHeadroom[]): boolean {
  return options.some(({ pool, instanceType }) => {
    const left = headroom.find(({ name }) => name === pool)?.left ?? {};
    const counted: Readonly<Record<string, number>> = { ...instanceType.capacity, nodes: 1 };
    return Object.entries(left).every(([resource, amount]) => (counted[resource] ?? 0) <= amount);
  });
}

/** Pods of lower priority in the NodePools that refused, the lowest first, until what they ask for makes up for what is wanted. */
function giversFor(
  { demand, pods: wanted }: LeftDemand,
  claims: readonly ClaimDraft[],
  yielding: ReadonlyMap<PodRecord, string>,
): readonly Giver[] {
  const pools = new Set(poolsOf(demand.options));
  const priority = priorityOf(demand.podClass);
  const candidates = claims
    .filter(({ nodePool }) => pools.has(nodePool))
    .flatMap(({ pods, nodePool }) => pods.map((pod) => ({ pod, nodePool })))
    .filter(({ pod }) => pod.priority < priority && !yielding.has(pod))
    .sort(compareGivers);
  const givers: Giver[] = [];
  const open = {
    cpu: wanted * (demand.constraints.requests.cpu ?? 0),
    memory: wanted * (demand.constraints.requests.memory ?? 0),
  };
  for (const giver of candidates) {
    if (givers.length > 0 && open.cpu <= 0 && open.memory <= 0) break;
    givers.push(giver);
    open.cpu -= giver.pod.constraints.requests.cpu ?? 0;
    open.memory -= giver.pod.constraints.requests.memory ?? 0;
  }
  return givers;
}

interface Giver {
  readonly pod: PodRecord;
  readonly nodePool: string;
}

/** The lowest priority first, then the youngest. */
function compareGivers({ pod: a }: Giver, { pod: b }: Giver): number {
  return a.priority - b.priority || b.createdAt - a.createdAt || (a.uid < b.uid ? 1 : -1);
}

/** They keep away from the NodePools whose place they give up; others of the same weight may still take them. */
function yieldedBy(demand: NewDemand, pods: number, avoided: ReadonlySet<string>): LeftDemand {
  const priority = priorityOf(demand.podClass);
  const given = demand.options.filter(({ pool }) => avoided.has(pool));
  const refusals = refusedByAll(given, {
    reason: `the NodePool's limits are reached, and pods of a priority above ${priority} come first`,
    key: "priority",
    found: String(priority),
    accepted: `more than ${priority}, or higher limits`,
  });
  return { demand, pods, refusals, avoided };
}
