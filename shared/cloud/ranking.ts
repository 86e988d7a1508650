import type { CapacityType } from "../ports.ts";
import { type Offering, offeringKey, type ReservationTerms, reservationTerms } from "./instance-type.ts";

/** An offering that would hold a planned node's pods. */
export interface RankedOffering extends ReservationTerms {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly priceUsdPerHour: number;
}

/** An offering of a type as one to be ranked. */
export function rankedOffering(instanceType: string, offering: Offering): RankedOffering {
  const { zone, capacityType, priceUsdPerHour } = offering;
  return { instanceType, zone, capacityType, priceUsdPerHour, ...reservationTerms(offering) };
}

export interface RankingOptions {
  /** Spot placement score, 1 to 10, by zone name. A zone without one has no signal, never no capacity. */
  readonly scores?: ReadonlyMap<string, number>;
  /** Decayed history of the own fleet's reclaims, per instance and hour, by `offeringKey`. */
  readonly reclaimsPerHour?: ReadonlyMap<string, number>;
  /** What a reclaim costs, in hours of the instance's price. */
  readonly reclaimCostHours?: number;
}

/**
 * Offerings by expected price: price x (1 + expected reclaims per hour x cost of a reclaim); on-demand is its plain price. An
 * offering that passes a cheaper one costs at most 1.2 times as much. Ties go to the better score, then the name (design §5).
 */
export function rankOfferings(
  candidates: readonly RankedOffering[],
  options: RankingOptions = {},
): readonly RankedOffering[] {
  const rated = candidates
    .map((offering) => ({
      offering,
      name: offeringKey(offering.instanceType, offering),
      score: options.scores?.get(offering.zone) ?? 0,
      expectedUsdPerHour: expectedPriceUsdPerHour(offering, options),
    }))
    .sort((a, b) => a.offering.priceUsdPerHour - b.offering.priceUsdPerHour || (a.name < b.name ? -1 : 1));
  const ranked: RankedOffering[] = [];
  for (let start = 0; start < rated.length; ) {
    const cheapest = rated[start]?.offering.priceUsdPerHour ?? 0;
    const beyond = rated.findIndex(
      ({ offering }, index) => index > start && offering.priceUsdPerHour > cheapest * largestPremium,
    );
    const layer = rated.slice(start, beyond === -1 ? undefined : beyond);
    layer.sort(
      (a, b) => a.expectedUsdPerHour - b.expectedUsdPerHour || b.score - a.score || (a.name < b.name ? -1 : 1),
    );
    ranked.push(...layer.map(({ offering }) => offering));
    start += layer.length;
  }
  return ranked;
}

/** The price with what reclaims are expected to add to it. */
export function expectedPriceUsdPerHour(offering: RankedOffering, options: RankingOptions = {}): number {
  if (offering.capacityType !== "spot") return offering.priceUsdPerHour;
  const reclaims =
    priorReclaimsPerHour(options.scores?.get(offering.zone)) +
    (options.reclaimsPerHour?.get(offeringKey(offering.instanceType, offering)) ?? 0);
  return offering.priceUsdPerHour * (1 + reclaims * (options.reclaimCostHours ?? defaultReclaimCostHours));
}

const largestPremium = 1.2;
const defaultReclaimCostHours = 0.5;
const reclaimsAtBestScore = 0.005;
const reclaimsAtWorstScore = 0.2;
const middleScore = 5.5;

/** Geometric between the design's two ends; the middle when there is no score. */
function priorReclaimsPerHour(score = middleScore): number {
  const share = (Math.min(10, Math.max(1, score)) - 1) / 9;
  return reclaimsAtWorstScore * (reclaimsAtBestScore / reclaimsAtWorstScore) ** share;
}
