import type { RankedOffering } from "./ranking.ts";

/** A planned claim as far as the spread is concerned. */
export interface SpreadClaim {
  readonly name: string;
  readonly nodePool: string;
  readonly offerings: readonly [RankedOffering, ...RankedOffering[]];
  /** How many of them, from the first, the spread may choose among; without it, all. */
  readonly choosable?: number;
}

/** Running spot nodes of a NodePool. */
export interface SpotFleetCount {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly nodes: number;
}

export interface SpreadClaims<C> {
  readonly claims: readonly C[];
  /** What the spread costs. */
  readonly extraUsdPerHour: number;
}

/**
 * Eggs and baskets (design §4.1, step 7): at most max(3, `share`) of the plan's spot nodes, and of each pool's spot fleet with them,
 * in one (type, zone), while the claim has an alternative within 15 %. Offerings are reordered, never lost. Claims come back in
 * their own order; they are served by name, so that the order of the list does not matter.
 */
export function spreadSpot<C extends SpreadClaim>(
  claims: readonly C[],
  fleet: readonly SpotFleetCount[],
  share = 0.4,
): SpreadClaims<C> {
  const { ofPlan, ofPool, held: inFleet } = spotLimits(claims, fleet, share);
  const held = new Map(inFleet);
  const hasRoom = (nodePool: string, offering: RankedOffering): boolean =>
    offering.capacityType !== "spot" ||
    ((held.get(inPlan(offering)) ?? 0) < ofPlan && (held.get(inPool(nodePool, offering)) ?? 0) < ofPool(nodePool));

  const spread = new Map<string, C>();
  let extraUsdPerHour = 0;
  for (const claim of claims.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [first] = claim.offerings;
    const choice =
      claim.offerings.slice(0, claim.choosable).find((one) => isNear(one, first) && hasRoom(claim.nodePool, one)) ??
      first;
    if (choice.capacityType === "spot") {
      for (const key of [inPlan(choice), inPool(claim.nodePool, choice)]) held.set(key, (held.get(key) ?? 0) + 1);
    }
    extraUsdPerHour += choice.priceUsdPerHour - first.priceUsdPerHour;
    const others = claim.offerings.filter((offering) => offering !== choice);
    spread.set(claim.name, choice === first ? claim : { ...claim, offerings: [choice, ...others] });
  }
  return { claims: claims.map((claim) => spread.get(claim.name) ?? claim), extraUsdPerHour };
}

/** How many nodes one (type, zone) may have. */
export interface SpotLimits {
  readonly ofPlan: number;
  /** Of a NodePool's fleet, with the plan's nodes. */
  readonly ofPool: (nodePool: string) => number;
  /** Running nodes by {@link inPool}. */
  readonly held: ReadonlyMap<string, number>;
}

/** What {@link spreadSpot} allows for a plan with as many spot nodes as these claims. */
export function spotLimits(
  claims: readonly Pick<SpreadClaim, "nodePool" | "offerings">[],
  fleet: readonly SpotFleetCount[],
  share: number,
): SpotLimits {
  const spot = claims.filter((claim) => claim.offerings[0].capacityType === "spot");
  const poolSize = sums([
    ...fleet.map(({ nodePool, nodes }): Tally => [nodePool, nodes]),
    ...spot.map(({ nodePool }): Tally => [nodePool, 1]),
  ]);
  return {
    ofPlan: limitOf(spot.length, share),
    ofPool: (nodePool) => limitOf(poolSize.get(nodePool) ?? 0, share),
    held: sums(fleet.map(({ nodePool, nodes, ...place }): Tally => [inPool(nodePool, place), nodes])),
  };
}

const smallestLimit = 3;
const largestPremium = 1.15;

type Place = Pick<RankedOffering, "instanceType" | "zone">;
type Tally = readonly [key: string, nodes: number];

function limitOf(nodes: number, share: number): number {
  return Math.max(smallestLimit, Math.floor(nodes * share));
}

function isNear(offering: RankedOffering, first: RankedOffering): boolean {
  return offering.priceUsdPerHour <= first.priceUsdPerHour * largestPremium;
}

/** A (type, zone). */
export function inPlan(place: Place): string {
  return `${place.instanceType}/${place.zone}`;
}

/** A (type, zone) of a NodePool. */
export function inPool(nodePool: string, place: Place): string {
  return `${nodePool}/${inPlan(place)}`;
}

function sums(tallies: readonly Tally[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const [key, nodes] of tallies) totals.set(key, (totals.get(key) ?? 0) + nodes);
  return totals;
}
