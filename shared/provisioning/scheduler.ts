import { withBufferPods } from "../state/buffer-pods.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { hasResourceClaims } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { chosenClaim } from "./chosen-claim.ts";
import { allRefusals } from "./class-refusals.ts";
import { withinClusterLimits } from "./cluster-limits.ts";
import { Lazy } from "./lazily.ts";
import type { NewNodes } from "./new-nodes.ts";
import { sumOfCosts } from "./node-cost.ts";
import { withOnDemandShares } from "./on-demand-share.ts";
import { slackPercentOf } from "./packing-slack.ts";
import type { ProvisioningPlan, UnschedulablePod } from "./plan.ts";
import type { ClaimDraft } from "./planned-claims.ts";
import { type GrantedPreferences, PlanningWorld } from "./planning-world.ts";
import { withinPreferenceBudget } from "./preference-budget.ts";
import { type PreferenceKind, preferenceKinds } from "./relaxation.ts";
import { costOfClaims } from "./spot-packing.ts";

/**
 * Answers every provisionable pod of a snapshot (design §5): room that exists first, then the cheapest new nodes, else the reasons.
 * Pure: the same snapshot gives the same plan, whatever the order of its lists.
 */
export function planProvisioning(snapshot: Snapshot): ProvisioningPlan {
  const plan = planOnce(snapshot);
  if (plan.packingSlackPercent === undefined || plan.unschedulable.length === 0) return plan;
  const tight = planOnce({ ...snapshot, settings: { ...snapshot.settings, packingSlackPercent: 0 } });
  // Slack takes room under limits, and on the nodes of pods that must share one: it leaves no pod without a node.
  return tight.unschedulable.length < plan.unschedulable.length ? tight : plan;
}

function planOnce(snapshot: Snapshot): ProvisioningPlan {
  const { preferencePolicy, preferenceMaxCostPercent } = snapshot.settings;
  const world = new PlanningWorld(withBufferPods(snapshot));
  const planWith = (granted: GrantedPreferences): PricedNodes => {
    const planned = world.plan(granted);
    const unplaced = planned.unplaced.reduce((sum, { pods }) => sum + pods.length, 0);
    return { planned, costUsdPerHour: costOfClaims(planned.claims), unplaced };
  };
  const wanted = wantedPreferences[preferencePolicy];
  const budgeted = withinPreferenceBudget(world.classes, wanted, preferenceMaxCostPercent, planWith);
  const { planned } = budgeted.chosen;
  const claims = withOnDemandShares(planned.claims, snapshot);
  const { allowed, refused } = withinClusterLimits(byPriority(claims), snapshot);
  const nodeClaims = allowed.map(chosenClaim);
  const packingSlackPercent = slackPercentOf(snapshot.settings);
  return {
    nodeClaims,
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
    spotFlexibilityUsdPerHour: planned.spotFlexibilityUsdPerHour,
    spotSpreadUsdPerHour: planned.spotSpreadUsdPerHour,
    preferenceCostUsdPerHour: budgeted.preferenceCostUsdPerHour,
    priceUsdPerHour: allowed.reduce((sum, claim) => sum + claim.offerings[0].priceUsdPerHour, 0),
    ...(packingSlackPercent > 0 && planned.claims.length + planned.unplaced.length > 0 && { packingSlackPercent }),
    nodeCost: sumOfCosts(nodeClaims.map((claim) => claim.nodeCost)),
    ...(refused.length === 0
      ? { lowerBoundUsdPerHour: planned.lowerBound.value, instancesLowerBound: planned.instancesLowerBound }
      : { lowerBoundUsdPerHour: 0, instancesLowerBound: new Lazy(() => 0) }),
  };
}

/** `Ignore` is about the pods' own preferences: a NodePool's `PreferNoSchedule` taint is avoided all the same. */
const wantedPreferences: Readonly<Record<Snapshot["settings"]["preferencePolicy"], ReadonlySet<PreferenceKind>>> = {
  Respect: new Set(preferenceKinds),
  Ignore: new Set(["taints"]),
};

interface PricedNodes {
  readonly planned: NewNodes;
  readonly costUsdPerHour: number;
  readonly unplaced: number;
}

/** Where the cluster's limits admit only some of the nodes, those with the pods of the highest priority, and of equals with the most. */
function byPriority(claims: readonly ClaimDraft[]): readonly ClaimDraft[] {
  const highest = (claim: ClaimDraft) => Math.max(...claim.pods.map(({ priority }) => priority));
  return claims.toSorted((a, b) => highest(b) - highest(a) || b.pods.length - a.pods.length);
}

function withoutDevices(pod: PodRecord): UnschedulablePod {
  const reason = "it uses resource claims (DRA), which are not supported yet";
  return { pod, reasons: [{ nodePool: "", reason }] };
}
