import { annotation } from "../api/labels.ts";
import type { LaunchClaim } from "../cloud/launch-groups.ts";
import { metric } from "../metrics.ts";
import type { Ports } from "../ports.ts";
import { withinClusterLimits } from "../provisioning/cluster-limits.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { explainUnlaunched } from "./launch-writes.ts";

/**
 * The claims without those that the cluster's limits (design rule 9) hold back. Claims of ours were counted when they were planned; those
 * that a person made, or Karpenter left behind, are counted here, before their first launch. What is held back says so on itself.
 */
export async function withinLaunchLimits(
  ports: Ports,
  snapshot: Snapshot,
  claims: readonly LaunchClaim[],
  errors: DeferredErrors,
): Promise<readonly LaunchClaim[]> {
  const { maxNodes, maxPriceUsdPerHour, maxLaunchesPerTenMinutes } = snapshot.settings;
  if ((maxNodes ?? maxPriceUsdPerHour ?? maxLaunchesPerTenMinutes) === undefined) return claims;
  const foreign = new Set(claims.filter(isUnplanned));
  if (foreign.size === 0) return claims;
  const counted = claims.filter((claim) => !foreign.has(claim)).map(({ nodeClaim }) => nodeClaim);
  const candidates = [...foreign].flatMap((claim) => {
    const [first, ...others] = claim.offerings;
    return first === undefined ? [] : [{ claim, offerings: [first, ...others] as const }];
  });
  const { refused } = withinClusterLimits(candidates, { ...snapshot, nodeClaims: counted });
  const held = new Set<LaunchClaim>();
  for (const { claim: candidate, refusal } of refused) {
    held.add(candidate.claim);
    ports.telemetry.count(metric.limitReached, 1, { limit: refusal.key?.replace("settings.", "") ?? "" });
    const { name } = candidate.claim.nodeClaim.metadata;
    const condition = { reason: "ClusterLimitReached", message: refusal.reason };
    await errors.during(() => explainUnlaunched(ports, [name], condition));
  }
  return claims.filter((claim) => !held.has(claim));
}

/** Neither planned by us nor launched or about to be. */
function isUnplanned({ nodeClaim: { metadata, status } }: LaunchClaim): boolean {
  const { annotations = {}, deletionTimestamp } = metadata;
  const isOpen = status?.providerID === undefined && deletionTimestamp === undefined;
  return isOpen && !(annotation.reason in annotations) && !(annotation.launch in annotations);
}
