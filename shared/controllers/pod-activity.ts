import type { Pod } from "../api/core.ts";
import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import { shortHash } from "../api/short-hash.ts";
import { formatTime, parseTime } from "../api/time.ts";
import { consolidationObstacle } from "../disruption/consolidatable.ts";
import { type MergePatch, type Ports, ProviderError } from "../ports.ts";
import { changedConditions } from "../state/condition-changes.ts";
import { isTrue } from "../state/conditions.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import { isActive } from "../state/pod-eviction.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { isDaemonPod, isMirrorPod } from "../state/pod-roles.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";

/**
 * Keeps `status.lastPodEventTime` and the Consolidatable condition of every initialized claim. A pod that came, ended or started to
 * terminate since the last look shows as another digest of the node's pods, so that the time is exact to the sweep's period and never
 * early (Karpenter: at most once per 10 s, karpenter-core §6.4).
 */
export async function recordPodActivity(
  ports: Ports,
  claims: readonly NodeClaim[],
  pods: readonly Pod[],
): Promise<void> {
  const pools = new Map((await ports.kubernetes.list("NodePool")).map((pool) => [pool.metadata.name, pool]));
  const decoder = new PodDecoder();
  const podsByNode = Map.groupBy(
    pods.map((pod) => decoder.decode(pod)),
    (pod) => pod.nodeName ?? "",
  );
  const watched = claims.filter(
    (claim) => claim.metadata.deletionTimestamp === undefined && isTrue(claim, "Initialized"),
  );
  await limitedParallel(watched, 10, async (claim) => {
    const digest = podsDigest(podsByNode.get(claim.status?.nodeName ?? "") ?? []);
    await record(ports, claim, pools.get(claim.metadata.labels?.[label.nodePool] ?? ""), digest);
  });
}

/** So soon after a change another one is not told; a later look finds it. */
const quietMilliseconds = 10_000;

/** The status first: if the second write is lost, the same change is seen again and the time only moves later. */
async function record(ports: Ports, claim: NodeClaim, pool: NodePool | undefined, digest: string): Promise<void> {
  const reference = { name: claim.metadata.name };
  const change = (current: NodeClaim) => activityPatch(current, pool, digest, ports.clock.now());
  try {
    const { lastPodEventTime } = claim.status ?? {};
    const isJustSeen =
      lastPodEventTime !== undefined && ports.clock.now() - parseTime(lastPodEventTime) < quietMilliseconds;
    if (isJustSeen) return;
    await update(ports, "NodeClaim", reference, change, { current: claim, subresource: "status" });
    if (claim.metadata.annotations?.[annotation.podsDigest] === digest) return;
    await ports.kubernetes.patch("NodeClaim", reference, {
      metadata: { annotations: { [annotation.podsDigest]: digest } },
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ports.telemetry.log("warn", "pod activity not recorded; the next sweep tries again", {
      nodeClaim: reference.name,
      code: error.code,
      message: error.message,
    });
  }
}

/** What the claim's status should say; undefined when it does. A claim taken over from Karpenter keeps the time it has. */
function activityPatch(
  claim: NodeClaim,
  pool: NodePool | undefined,
  digest: string,
  now: number,
): MergePatch | undefined {
  const known = claim.metadata.annotations?.[annotation.podsDigest];
  const isFirstLook =
    known === undefined && (claim.status?.lastPodEventTime !== undefined || digest === podsDigest([]));
  const lastPodEventTime = isFirstLook || known === digest ? claim.status?.lastPodEventTime : formatTime(now);
  const asSeen: NodeClaim =
    lastPodEventTime === undefined ? claim : { ...claim, status: { ...claim.status, lastPodEventTime } };
  const conditions = consolidatableChange(asSeen, pool, now);
  if (conditions === undefined && lastPodEventTime === claim.status?.lastPodEventTime) return undefined;
  return {
    status: {
      ...(lastPodEventTime === undefined ? {} : { lastPodEventTime }),
      ...(conditions === undefined ? {} : { conditions }),
    },
  };
}

function consolidatableChange(claim: NodeClaim, pool: NodePool | undefined, now: number) {
  const obstacle = pool === undefined ? "it has no NodePool" : consolidationObstacle(claim, pool, now);
  if (obstacle === undefined) {
    return changedConditions(claim, [{ type: "Consolidatable", status: "True", reason: "Consolidatable" }], now);
  }
  if (!isTrue(claim, "Consolidatable")) return undefined;
  const change = { type: "Consolidatable", status: "False", reason: "NotConsolidatable", message: obstacle } as const;
  return changedConditions(claim, [change], now);
}

/** The same for the same active pods in any order; DaemonSet and static pods do not count. */
function podsDigest(pods: readonly PodRecord[]): string {
  const uids = pods.filter((pod) => isActive(pod) && !isDaemonPod(pod) && !isMirrorPod(pod)).map((pod) => pod.uid);
  return shortHash(uids.sort().join("\n"));
}
