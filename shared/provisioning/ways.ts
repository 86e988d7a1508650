import type { Requirements } from "../scheduling/requirements.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { type ClassOptions, PoolMatcher } from "./class-options.ts";
import { lazily } from "./lazily.ts";
import type { NodeOption, PlanningPools } from "./node-options.ts";
import type { Refusal } from "./plan.ts";
import { withZonesOfIds } from "./zone-ids.ts";

/** One way to give pods new nodes: one of their node alternatives, and NodePools of one weight. */
export interface Way {
  /** Its place among all ways of a class, in the order in which they are tried. */
  readonly index: number;
  /** Of the node alternative. */
  readonly requirements: Requirements;
  /** Of its NodePools. */
  readonly weight: number;
  readonly options: readonly NodeOption[];
}

/** A class at one level of relaxation. */
export interface Level {
  readonly constraints: PodConstraints;
  readonly ways: readonly Way[];
  /** Why NodePools that no way uses cannot take it. */
  readonly rejections: () => readonly Refusal[];
}

/** Finds the ways of classes; what is found for one object of constraints is kept. */
export class WayFinder {
  readonly #pools: PlanningPools;
  readonly #matcher: PoolMatcher;
  readonly #known = new Map<PodConstraints, Omit<Level, "constraints">>();

  constructor(pools: PlanningPools) {
    this.#pools = pools;
    this.#matcher = new PoolMatcher(pools);
  }

  /** Levels with their ways numbered through. */
  levels(constraints: readonly PodConstraints[]): readonly Level[] {
    let index = 0;
    return constraints.map((level) => {
      const { ways, rejections } = this.#find(level);
      return { constraints: level, rejections, ways: ways.map((way) => ({ ...way, index: index++ })) };
    });
  }

  #find(constraints: PodConstraints): Omit<Level, "constraints"> {
    const known = this.#known.get(constraints);
    if (known !== undefined) return known;
    const found = waysFor(constraints, this.#pools, this.#matcher);
    this.#known.set(constraints, found);
    return found;
  }
}

/** One alternative after the other, as Karpenter consumes required OR-terms (karpenter-core §2.4). */
function waysFor(constraints: PodConstraints, pools: PlanningPools, matcher: PoolMatcher): Omit<Level, "constraints"> {
  const ways: Way[] = [];
  let last: ClassOptions = { tiers: [], rejections: () => pools.rejected };
  for (const alternative of constraints.nodeAlternatives) {
    const requirements = withZonesOfIds(alternative, pools.zoneIds);
    last = matcher.match(constraints, requirements);
    for (const tier of last.tiers) ways.push({ ...tier, requirements, index: ways.length });
  }
  const { rejections } = last;
  return {
    ways,
    rejections: lazily(() => {
      const used = new Set(ways.flatMap(({ options }) => options.map(({ pool }) => pool)));
      return rejections().filter(({ nodePool }) => !used.has(nodePool));
    }),
  };
}
