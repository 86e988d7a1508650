import { type SpreadClaims, spreadSpot } from "../cloud/spot-spread.ts";
import { withBufferPods } from "../state/buffer-pods.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { hasResourceClaims } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { chosenClaim } from "./chosen-claim.ts";
import { allRefusals } from "./class-refusals.ts";
import { withinClusterLimits } from "./cluster-limits.ts";
import type { NewNodes } from "./new-nodes.ts";
import type { ProvisioningPlan, UnschedulablePod } from "./plan.ts";
import type { ClaimDraft } from "./planned-claims.ts";
import { type GrantedPreferences, PlanningWorld } from "./planning-world.ts";
import { withinPreferenceBudget } from "./preference-budget.ts";
import { type PreferenceKind, preferenceKinds } from "./relaxation.ts";
import { spotFleet } from "./spot-fleet.ts";

/**
 * Answers every provisionable pod of a snapshot (design §5): room that exists first, then the cheapest new nodes, else the reasons.
 * Pure: the same snapshot gives the same plan, whatever the order of its lists.
 */
export function planProvisioning(snapshot: Snapshot): ProvisioningPlan {
  const { preferencePolicy, preferenceMaxCostPercent, spotSpreadShare } = snapshot.settings;
  const world = new PlanningWorld(withBufferPods(snapshot));
  const fleet = spotFleet(snapshot.nodeClaims);
  const planWith = (granted: GrantedPreferences): PricedNodes => {
    const planned = world.plan(granted);
    const spread = spreadSpot(planned.claims, fleet, spotSpreadShare);
    const priceUsdPerHour = spread.claims.reduce((sum, claim) => sum + claim.offerings[0].priceUsdPerHour, 0);
    const unplaced = planned.unplaced.reduce((sum, { pods }) => sum + pods.length, 0);
    return { planned, spread, priceUsdPerHour, unplaced };
  };
  const wanted = wantedPreferences[preferencePolicy];
  const budgeted = withinPreferenceBudget(world.classes, wanted, preferenceMaxCostPercent, planWith);
  const { planned, spread } = budgeted.chosen;
  const { allowed, refused } = withinClusterLimits(byPriority(spread.claims), snapshot);
  return {
    nodeClaims: allowed.map(chosenClaim),
    existing: planned.existing,
    unschedulable: [
      ...world.classes.flatMap(({ podClass }) => podClass.pods.filter(hasResourceClaims).map(withoutDevices)),
      ...world.refused.map(({ pod, reason }) => ({ pod, reasons: [{ nodePool: "", reason, key: "volumes" }] })),
      ...planned.unplaced.flatMap((entry) => entry.pods.map((pod) => ({ pod, reasons: allRefusals(entry) }))),
      ...refused.flatMap(({ claim, refusal }) =>
        claim.pods.map((pod) => ({ pod, reasons: [{ nodePool: claim.nodePool, ...refusal }] })),
      ),
    ],
    waiting: world.waiting,
    podsByZone: world.podsByZone(),
    spotSpreadUsdPerHour: spread.extraUsdPerHour,
    preferenceCostUsdPerHour: budgeted.preferenceCostUsdPerHour,
    priceUsdPerHour: allowed.reduce((sum, claim) => sum + claim.offerings[0].priceUsdPerHour, 0),
    lowerBoundUsdPerHour: refused.length === 0 ? planned.lowerBoundUsdPerHour : 0,
  };
}

/** `Ignore` is about the pods' own preferences: a NodePool's `PreferNoSchedule` taint is avoided all the same. */
const wantedPreferences: Readonly<Record<Snapshot["settings"]["preferencePolicy"], ReadonlySet<PreferenceKind>>> = {
  Respect: new Set(preferenceKinds),
  Ignore: new Set(["taints"]),
};

interface PricedNodes {
  readonly planned: NewNodes;
  readonly spread: SpreadClaims<ClaimDraft>;
  readonly priceUsdPerHour: number;
  readonly unplaced: number;
}

/** Where the cluster's limits admit only some of the nodes, those with the pods of the highest priority. */
function byPriority(claims: readonly ClaimDraft[]): readonly ClaimDraft[] {
  const highest = (claim: ClaimDraft) => Math.max(...claim.pods.map(({ priority }) => priority));
  return claims.toSorted((a, b) => highest(b) - highest(a));
}

function withoutDevices(pod: PodRecord): UnschedulablePod {
  const reason = "it uses resource claims (DRA), which are not supported yet";
  return { pod, reasons: [{ nodePool: "", reason }] };
}
