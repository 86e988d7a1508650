import { label } from "../api/labels.ts";
import type { NewDemand } from "./new-demand.ts";
import type { PodClass } from "./pod-class.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { isEmptyEverywhere } from "./topology-rules.ts";

/** Whom the pods of a demand must be near. */
export interface Wishes {
  /** For each hostname affinity term, the demands that satisfy it. */
  readonly targets: readonly (readonly number[])[];
  /** For each affinity term over another key that only this plan's new nodes will satisfy, the demands that do. */
  readonly elsewhere: readonly { readonly key: string; readonly targets: readonly number[] }[];
  readonly isForItself: boolean;
}

/** By demand. */
export function wishesAmong(demands: readonly NewDemand[], topology: Topology): readonly Wishes[] {
  const finder = new WishFinder(demands, topology);
  return demands.map((_, owner) => finder.wishesOf(owner));
}

const noWishes: Wishes = { targets: [], elsewhere: [], isForItself: false };

class WishFinder {
  readonly #demands: readonly NewDemand[];
  readonly #topology: Topology;
  /** Demands by the affinity groups that they match. */
  readonly #members: ReadonlyMap<TopologyGroup, readonly number[]>;
  readonly #firsts: ReadonlyMap<PodClass, number>;

  constructor(demands: readonly NewDemand[], topology: Topology) {
    this.#demands = demands;
    this.#topology = topology;
    this.#members = membersByGroup(demands, topology);
    this.#firsts = firstDemands(demands);
  }

  wishesOf(owner: number): Wishes {
    const demand = this.#demands[owner];
    const { owned, matched } = this.#topology.of(demand?.constraints);
    const affinity = owned.filter((group) => group.kind === "affinity");
    if (demand === undefined || affinity.length === 0) return noWishes;
    const { podClass } = demand;
    const onHostname = affinity.filter((group) => group.key === label.hostname);
    const isFirst = owner === this.#firsts.get(podClass);
    const targets = onHostname.map((group) => {
      // Members of the kind that run already, or that lie in another domain or tier, take away the freedom to choose.
      const mayBeFirst = isEmptyEverywhere(group) && isFirst;
      return this.#membersOf(group).filter(
        (index) => this.#demands[index]?.podClass !== podClass || (mayBeFirst && index === owner),
      );
    });
    return {
      targets,
      elsewhere: affinity
        .filter((group) => group.key !== label.hostname)
        .flatMap((group) => this.#wishIn(group, owner, demand.domains.get(group.key))),
      isForItself: onHostname.some((group) => matched.includes(group)),
    };
  }

  /** Nothing to wish for where pods that match lie in the domain already, on nodes that exist. */
  #wishIn(group: TopologyGroup, owner: number, domain: string | undefined): Wishes["elsewhere"] {
    if (domain === undefined) return [];
    const { key } = group;
    const members = this.#membersOf(group);
    const planned = members.filter((index) => this.#demands[index]?.domains.get(key) === domain);
    if (group.counts.of(domain) > this.#podsOf(planned)) return [];
    const mayBeFirst = group.counts.total <= this.#podsOf(members);
    return [{ key, targets: planned.filter((index) => index !== owner || mayBeFirst) }];
  }

  #membersOf(group: TopologyGroup): readonly number[] {
    return this.#members.get(group) ?? [];
  }

  #podsOf(indexes: readonly number[]): number {
    return indexes.reduce((sum, index) => sum + (this.#demands[index]?.pods.length ?? 0), 0);
  }
}

function membersByGroup(
  demands: readonly NewDemand[],
  topology: Topology,
): ReadonlyMap<TopologyGroup, readonly number[]> {
  const members = new Map<TopologyGroup, number[]>();
  for (const [index, { constraints }] of demands.entries()) {
    for (const group of topology.of(constraints).matched) {
      if (group.kind !== "affinity") continue;
      const known = members.get(group);
      if (known === undefined) members.set(group, [index]);
      else known.push(index);
    }
  }
  return members;
}

/** Of each class the demand of the first way, and of that the first. */
function firstDemands(demands: readonly NewDemand[]): ReadonlyMap<PodClass, number> {
  const firsts = new Map<PodClass, number>();
  for (const [index, { podClass, way }] of demands.entries()) {
    const known = demands[firsts.get(podClass) ?? -1];
    if (known === undefined || way < known.way) firsts.set(podClass, index);
  }
  return firsts;
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
