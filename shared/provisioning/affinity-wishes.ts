import { label } from "../api/labels.ts";
import type { NewDemand } from "./new-demand.ts";
import type { PodClass } from "./pod-class.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { countIn, isEmptyEverywhere } from "./topology-rules.ts";

/** Whom the pods of a demand must be near. */
export interface Wishes {
  /** For each hostname affinity term, the demands that satisfy it. */
  readonly targets: readonly (readonly number[])[];
  /** For each affinity term over another key that only this plan's new nodes will satisfy, the demands that do. */
  readonly elsewhere: readonly { readonly key: string; readonly targets: readonly number[] }[];
  readonly isForItself: boolean;
}

export function wishesOf(demands: readonly NewDemand[], owner: number, topology: Topology): Wishes {
  const demand = demands[owner];
  if (demand === undefined) return { targets: [], elsewhere: [], isForItself: false };
  const { podClass, constraints } = demand;
  const affinity = topology.of(constraints).owned.filter((group) => group.kind === "affinity");
  const onHostname = affinity.filter((group) => group.key === label.hostname);
  const isFirst = owner === firstDemandOf(demands, podClass);
  const targets = onHostname.map((group) => {
    // Members of the kind that run already, or that lie in another domain or tier, take away the freedom to choose.
    const mayBeFirst = isEmptyEverywhere(group) && isFirst;
    return matching(demands, group).filter(
      (index) => demands[index]?.podClass !== podClass || (mayBeFirst && index === owner),
    );
  });
  return {
    targets,
    elsewhere: affinity
      .filter((group) => group.key !== label.hostname)
      .flatMap((group) => wishIn(group, owner, demands)),
    isForItself: onHostname.some((group) => group.matches(constraints)),
  };
}

/** Nothing to wish for where pods that match lie in the domain already, on nodes that exist. */
function wishIn(
  group: TopologyGroup,
  owner: number,
  demands: readonly NewDemand[],
): readonly { readonly key: string; readonly targets: readonly number[] }[] {
  const { key } = group;
  const domain = demands[owner]?.domains.get(key);
  if (domain === undefined) return [];
  const members = matching(demands, group);
  const planned = members.filter((index) => demands[index]?.domains.get(key) === domain);
  if (countIn(group.counts, domain) > podsOf(demands, planned)) return [];
  const everywhere = [...group.counts.values()].reduce((sum, count) => sum + count, 0);
  const mayBeFirst = everywhere <= podsOf(demands, members);
  return [{ key, targets: planned.filter((index) => index !== owner || mayBeFirst) }];
}

function matching(demands: readonly NewDemand[], group: TopologyGroup): readonly number[] {
  return demands.flatMap(({ constraints }, index) => (group.matches(constraints) ? [index] : []));
}

function podsOf(demands: readonly NewDemand[], indexes: readonly number[]): number {
  return indexes.reduce((sum, index) => sum + (demands[index]?.pods.length ?? 0), 0);
}

function firstDemandOf(demands: readonly NewDemand[], podClass: PodClass): number | undefined {
  const ofClass = [...demands.keys()].filter((index) => demands[index]?.podClass === podClass);
  return ofClass.sort((a, b) => (demands[a]?.way ?? 0) - (demands[b]?.way ?? 0) || a - b)[0];
}

/**
 * Demands that no order of scheduling can serve, with the topology key of the wish that stays open: built up from those without a wish and
 * those that may be the first of their own kind, a demand is served once each of its terms has a target that is served before it. Pods
 * that want each other in a circle never are.
 */
export function forsakenBy(wishes: readonly Wishes[]): ReadonlyMap<number, string> {
  const served = new Set<number>();
  const isMet = (owner: number, targets: readonly number[]) =>
    targets.some((target) => target === owner || served.has(target));
  const openWish = ({ targets, elsewhere }: Wishes, owner: number): string | undefined =>
    targets.every((term) => isMet(owner, term))
      ? elsewhere.find((term) => !isMet(owner, term.targets))?.key
      : label.hostname;
  for (let before = -1; before < served.size; ) {
    before = served.size;
    wishes.forEach((wish, owner) => {
      if (openWish(wish, owner) === undefined) served.add(owner);
    });
  }
  return new Map(
    wishes.flatMap((wish, owner) => {
      const key = served.has(owner) ? undefined : openWish(wish, owner);
      return key === undefined ? [] : [[owner, key] as const];
    }),
  );
}
