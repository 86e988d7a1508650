import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { onDemandShareOf, onDemandWanted } from "../api/on-demand-share.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import { intersectAll, type Requirements, requirement, requirementsOf } from "../scheduling/requirements.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { ClaimDraft } from "./planned-claims.ts";

/**
 * Claims with as many of each NodePool off spot as its annotations ask (`journeyman.sh/on-demand-base`, `-percentage`), counting the nodes
 * that it has. Those move to on-demand for which it costs least; they lose their spot offerings, so that no later pass moves them back.
 * Claims whose pods want spot, or are spread over capacity types, stay as they are.
 */
export function withOnDemandShares(claims: readonly ClaimDraft[], snapshot: Snapshot): readonly ClaimDraft[] {
  const moved = new Map<ClaimDraft, ClaimDraft>();
  for (const [nodePool, own] of Map.groupBy(claims, (claim) => claim.nodePool)) {
    const missing = missingOffSpot(nodePool, own, snapshot);
    if (missing === 0) continue;
    const movable = own.flatMap((claim) => moveOf(claim) ?? []).sort(byPremium);
    for (const { from, to } of movable.slice(0, missing)) moved.set(from, to);
  }
  return moved.size === 0 ? claims : claims.map((claim) => moved.get(claim) ?? claim);
}

/** How many of a NodePool's new nodes its annotations want to be moved off spot. */
export function missingOffSpot(
  nodePool: string,
  own: readonly Pick<ClaimDraft, "offerings">[],
  snapshot: Snapshot,
): number {
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === nodePool);
  const share = pool && onDemandShareOf(pool);
  if (share === undefined) return 0;
  const existing = snapshot.nodeClaims.filter((claim) => isLivingOf(claim, nodePool));
  const total = existing.length + own.length;
  const held = existing.filter(isOffSpot).length + own.filter(({ offerings: [first] }) => !isSpot(first)).length;
  return Math.max(0, onDemandWanted(share, total) - held);
}

/** On-demand or reserved, as a NodeClaim that is moved off spot must be. */
export function offSpotRequirement(offerings: readonly RankedOffering[]): Requirements {
  const capacityTypes = [...new Set(offerings.map(({ capacityType }) => capacityType))];
  return new Map([[label.capacityType, requirement(label.capacityType, "In", capacityTypes)]]);
}

interface Move {
  readonly from: ClaimDraft;
  readonly to: ClaimDraft;
  readonly premiumUsdPerHour: number;
}

function moveOf(claim: ClaimDraft): Move | undefined {
  if (!isSpot(claim.offerings[0]) || isSpreadOverCapacityTypes(claim)) return undefined;
  const choosable = claim.offerings.slice(0, claim.choosable).filter((offering) => !isSpot(offering));
  const others = claim.offerings.slice(claim.choosable).filter((offering) => !isSpot(offering));
  const [first, ...rest] = choosable;
  if (first === undefined) return undefined;
  return {
    from: claim,
    to: {
      ...claim,
      offerings: [first, ...rest, ...others],
      choosable: choosable.length,
      requirements: intersectAll(claim.requirements, offSpotRequirement([first, ...rest, ...others])),
      isOfOnDemandShare: true,
    },
    premiumUsdPerHour: first.priceUsdPerHour - claim.offerings[0].priceUsdPerHour,
  };
}

function byPremium(a: Move, b: Move): number {
  return a.premiumUsdPerHour - b.premiumUsdPerHour || (a.from.name < b.from.name ? -1 : 1);
}

export function isSpot({ capacityType }: RankedOffering): boolean {
  return capacityType === "spot";
}

function isSpreadOverCapacityTypes({ pods }: ClaimDraft): boolean {
  return pods.some(({ constraints: { topologySpread, podAffinity, podAntiAffinity } }) =>
    [...topologySpread, ...podAffinity, ...podAntiAffinity].some(
      ({ topologyKey }) => topologyKey === label.capacityType,
    ),
  );
}

function isLivingOf({ metadata }: NodeClaim, nodePool: string): boolean {
  return metadata.labels?.[label.nodePool] === nodePool && metadata.deletionTimestamp === undefined;
}

/** A claim that is not launched yet counts when it may be nothing but on-demand or reserved. */
function isOffSpot({ metadata, spec }: NodeClaim): boolean {
  const launched = metadata.labels?.[label.capacityType];
  if (launched !== undefined) return launched !== "spot";
  const wanted = requirementsOf(spec.requirements).get(label.capacityType);
  return wanted !== undefined && !wanted.complement && !wanted.values.has("spot");
}
