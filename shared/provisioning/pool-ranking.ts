import { zoneScoresFor } from "../cloud/placement-scores.ts";
import { type RankedOffering, rankOfferings } from "../cloud/ranking.ts";
import type { Snapshot } from "../state/snapshot.ts";

/** What the snapshot knows of how long spot capacity lasts. */
export type SpotHistory = Pick<Snapshot, "placementScores" | "reclaimsPerHour">;

/** Offerings for one node of the NodePool, best first: by price, by the pool's placement scores, by the fleet's own reclaims (design §5). */
export function rankForPool(
  candidates: readonly RankedOffering[],
  nodePool: string,
  { placementScores = [], reclaimsPerHour }: SpotHistory,
): readonly RankedOffering[] {
  const scores = zoneScoresFor(placementScores, nodePool, candidates);
  return rankOfferings(candidates, {
    ...(scores !== undefined && { scores }),
    ...(reclaimsPerHour !== undefined && { reclaimsPerHour }),
  });
}

export function spotHistoryOf({ placementScores, reclaimsPerHour }: Snapshot): SpotHistory {
  return { ...(placementScores && { placementScores }), ...(reclaimsPerHour && { reclaimsPerHour }) };
}
