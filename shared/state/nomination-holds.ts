import type { NodeClaim } from "../api/node-claim.ts";
import { transitionedAt } from "./conditions.ts";
import { type Nomination, nominationsOf } from "./nominations.ts";
import { podRecord } from "./pod-decoding.ts";
import type { PodRecord } from "./pod-record.ts";

/** How long after a node is ready its nominated pods may still be on their way before they count as pending again. */
const nominationGraceSeconds = 60;

export interface NominationHolds {
  /** By claim name: pods whose place on it is kept free. They demand nothing. */
  readonly podsByClaim: ReadonlyMap<string, readonly PodRecord[]>;
}

interface World {
  readonly now: number;
  readonly nodeClaims: readonly NodeClaim[];
  readonly pods: readonly PodRecord[];
  /** Names of nodes whose pods need a new home. */
  readonly leavingNodes: ReadonlySet<string>;
}

/**
 * Reads the nominations of all live claims whose node stays (design §4.1, step 2). A pending pod's place is held until it is bound or gone, or
 * the node has been ready for {@link nominationGraceSeconds}; a displaced pod's until a successor of the same owner and class has
 * taken it, also while the one is gone and the other not yet made.
 */
export function nominationHolds(world: World): NominationHolds {
  const podsByUid = new Map(world.pods.map((pod) => [pod.uid, pod]));
  const podsByClaim = new Map<string, readonly PodRecord[]>();
  const claims = world.nodeClaims
    .filter((claim) => claim.metadata.deletionTimestamp === undefined)
    .filter((claim) => !world.leavingNodes.has(claim.status?.nodeName ?? claim.metadata.name))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const successors = pendingByOwnerAndClass(world.pods, claims);
  for (const claim of claims) podsByClaim.set(claim.metadata.name, keptPods(claim, world, podsByUid, successors));
  return { podsByClaim };
}

function keptPods(
  claim: NodeClaim,
  world: World,
  podsByUid: ReadonlyMap<string, PodRecord>,
  successors: Map<string, PodRecord[]>,
): readonly PodRecord[] {
  const nominations = nominationsOf(claim);
  const nominatedUids = new Set(nominations.map((nomination) => nomination.uid));
  const arrived = countArrivals(claim, world.pods, nominatedUids);
  const pendingPodsExpired = isPastNominationGrace(claim, world.now);
  const kept: PodRecord[] = [];
  for (const nomination of nominations) {
    const pod = podsByUid.get(nomination.uid);
    if (pod !== undefined && pod.nodeName === undefined && pod.deletedAt === undefined) {
      if (!pendingPodsExpired) kept.push(pod);
    } else if (pod === undefined || pod.deletedAt !== undefined || world.leavingNodes.has(pod.nodeName ?? "")) {
      const successor = successorOf(nomination, pod, arrived, successors);
      if (successor !== undefined && !(pendingPodsExpired && successor.nodeName === undefined)) kept.push(successor);
    }
  }
  return kept;
}

/**
 * Who stands for a displaced pod: nobody once a successor has arrived, else a pending successor, else the pod itself, else, where
 * the successor is still to be made, a pod that asks for the same.
 */
function successorOf(
  nomination: Nomination,
  original: PodRecord | undefined,
  arrived: Map<string, number>,
  successors: Map<string, PodRecord[]>,
): PodRecord | undefined {
  const key = ownerAndClass(nomination.owner, nomination.class);
  const arrivals = arrived.get(key) ?? 0;
  if (arrivals > 0) {
    arrived.set(key, arrivals - 1);
    return undefined;
  }
  return successors.get(key)?.shift() ?? original ?? successorToCome(nomination);
}

/** It matches no selector and has no volume: it keeps the room, and minds nobody. */
function successorToCome({ uid, requests }: Nomination): PodRecord | undefined {
  if (requests === undefined) return undefined;
  const { pods: _, ...asked } = requests;
  return podRecord({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: uid, uid },
    spec: { containers: [{ resources: { requests: asked } }] },
  });
}

function countArrivals(
  claim: NodeClaim,
  pods: readonly PodRecord[],
  nominatedUids: ReadonlySet<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  const nodeName = claim.status?.nodeName;
  if (nodeName === undefined) return counts;
  for (const pod of pods) {
    if (pod.nodeName !== nodeName || nominatedUids.has(pod.uid)) continue;
    const key = ownerAndClass(pod.owner?.uid, pod.classKey);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function pendingByOwnerAndClass(pods: readonly PodRecord[], claims: readonly NodeClaim[]): Map<string, PodRecord[]> {
  const nominated = new Set(claims.flatMap((claim) => nominationsOf(claim).map((nomination) => nomination.uid)));
  const pending = pods
    .filter((pod) => pod.nodeName === undefined && pod.deletedAt === undefined && !nominated.has(pod.uid))
    .sort((a, b) => a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1));
  return Map.groupBy(pending, (pod) => ownerAndClass(pod.owner?.uid, pod.classKey));
}

/** Whether a claim's node has been ready for so long that its pods that are still pending are nobody's. */
export function isPastNominationGrace(claim: NodeClaim, now: number): boolean {
  const initializedAt = transitionedAt(claim, "Initialized");
  const initialized = claim.status?.conditions?.some(
    (condition) => condition.type === "Initialized" && condition.status === "True",
  );
  return initialized === true && initializedAt !== undefined && now - initializedAt > nominationGraceSeconds * 1_000;
}

function ownerAndClass(ownerUid: string | undefined, classKey: string): string {
  return `${ownerUid ?? ""}/${classKey}`;
}
