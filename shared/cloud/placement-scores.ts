import type { RankedOffering } from "./ranking.ts";

/** Spot placement scores of a set of types that a NodePool chooses among, as planning uses them. */
export interface PlacementScores {
  readonly nodePool: string;
  readonly instanceTypes: readonly string[];
  /** 1 to 10 by zone name. A zone without one has no signal. */
  readonly byZone: ReadonlyMap<string, number>;
}

/**
 * The scores that say most about a choice of offerings: those of the pool's set that has the most of its spot types. A score is of a set as a
 * whole and tells zones apart, not types (serverless-aws §1), so that it counts for the other types of the choice too. Undefined: no signal.
 */
export function zoneScoresFor(
  scores: readonly PlacementScores[],
  nodePool: string,
  candidates: readonly RankedOffering[],
): ReadonlyMap<string, number> | undefined {
  const own = scores.filter((set) => set.nodePool === nodePool);
  if (own.length === 0) return undefined;
  const spot = new Set(candidates.filter((one) => one.capacityType === "spot").map((one) => one.instanceType));
  const rated = own
    .map((set) => ({ set, shared: set.instanceTypes.filter((type) => spot.has(type)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || (a.set.instanceTypes.join() < b.set.instanceTypes.join() ? -1 : 1));
  return rated[0]?.set.byZone;
}
