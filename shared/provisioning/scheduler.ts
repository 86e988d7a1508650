import { spreadSpot } from "../cloud/spot-spread.ts";
import { clusterNodes } from "../state/cluster-nodes.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { hasResourceClaims } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { chosenClaim } from "./chosen-claim.ts";
import { classOptions } from "./class-options.ts";
import { withinClusterLimits } from "./cluster-limits.ts";
import { demandOf } from "./demand.ts";
import { newDomains } from "./domain-assignment.ts";
import { ExistingCapacity, heldPods } from "./existing-capacity.ts";
import { planNewNodes } from "./new-nodes.ts";
import { planningPools } from "./node-options.ts";
import type { OpenClass } from "./placement.ts";
import type { ProvisioningPlan, UnschedulablePod } from "./plan.ts";
import { podClasses } from "./pod-class.ts";
import { spotFleet } from "./spot-fleet.ts";
import { Topology } from "./topology.ts";

/**
 * Answers every provisionable pod of a snapshot (design §5): room that exists first, then the cheapest new nodes, else the reasons.
 * Pure: the same snapshot gives the same plan, whatever the order of its lists.
 */
export function planProvisioning(snapshot: Snapshot): ProvisioningPlan {
  const nodes = clusterNodes(snapshot);
  const { pods: wanted, holds } = demandOf(snapshot, nodes);
  const pods = wanted.filter((pod) => !hasResourceClaims(pod));
  const unsupported = wanted.filter(hasResourceClaims).map(withoutDevices);
  if (pods.length === 0) return { ...nothingToDo, unschedulable: unsupported };
  const classes = podClasses(pods);
  const pools = planningPools(snapshot);
  const newAttempt = () => {
    const topology = new Topology({
      classes: classes.map((podClass) => podClass.constraints),
      nodes,
      heldPods: (node) => heldPods(node, holds),
      planned: new Set(pods.map((pod) => pod.uid)),
      namespaces: snapshot.namespaces,
      newDomains: (key, eligibility) => newDomains(pools.pools, key, eligibility),
    });
    return { topology, existing: new ExistingCapacity(nodes, holds, topology) };
  };
  const open = classes.map((podClass): OpenClass => {
    const options = classOptions(podClass.constraints, pools);
    return { podClass, options, pods: podClass.pods, tier: 0, refusals: [] };
  });
  const planned = planNewNodes(open, pools.pools, nodes, newAttempt);
  const { claims, extraUsdPerHour } = spreadSpot(
    planned.claims,
    spotFleet(snapshot.nodeClaims),
    snapshot.settings.spotSpreadShare,
  );
  const { allowed, refused } = withinClusterLimits(claims, snapshot);
  return {
    nodeClaims: allowed.map(chosenClaim),
    existing: planned.existing.placements(),
    unschedulable: [
      ...unsupported,
      ...planned.unplaced.flatMap(unschedulablePods),
      ...refused.flatMap(({ claim, reason }) =>
        claim.pods.map((pod) => ({ pod, reasons: [{ nodePool: claim.nodePool, reason }] })),
      ),
    ],
    spotSpreadUsdPerHour: extraUsdPerHour,
    priceUsdPerHour: allowed.reduce((sum, claim) => sum + claim.offerings[0].priceUsdPerHour, 0),
    lowerBoundUsdPerHour: refused.length === 0 ? planned.lowerBoundUsdPerHour : 0,
  };
}

const nothingToDo: ProvisioningPlan = {
  nodeClaims: [],
  existing: [],
  unschedulable: [],
  spotSpreadUsdPerHour: 0,
  priceUsdPerHour: 0,
  lowerBoundUsdPerHour: 0,
};

function withoutDevices(pod: PodRecord): UnschedulablePod {
  const reason = "it uses resource claims (DRA), which are not supported yet";
  return { pod, reasons: [{ nodePool: "", reason }] };
}

function unschedulablePods(entry: OpenClass): readonly UnschedulablePod[] {
  const { tiers, rejections } = entry.options;
  const tried = tiers.flatMap((tier, index) => {
    const names = new Set(tier.map((option) => option.pool));
    return [...names].map((nodePool) => ({ nodePool, reason: entry.refusals[index] ?? "not tried" }));
  });
  const reasons = [...rejections, ...tried];
  const all = reasons.length > 0 ? reasons : [{ nodePool: "", reason: "there is no NodePool" }];
  return entry.pods.map((pod) => ({ pod, reasons: all }));
}
