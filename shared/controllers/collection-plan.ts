import type { Node } from "../api/core.ts";
import { annotation, label, tag, terminationFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { ObjectMeta } from "../api/schema.ts";
import { parseTime } from "../api/time.ts";
import { unsettledClaims } from "../cloud/launch-groups.ts";
import { parseLaunchRecord } from "../cloud/launch-record.ts";
import type { Ec2Instance } from "../ports.ts";
import { transitionedAt } from "../state/conditions.ts";
import { isManagedClaim } from "../state/managed.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import { replacementOf } from "../state/replacement.ts";
import { stepOf } from "../state/step.ts";
import { isNodeReady } from "./termination-steps.ts";

/**
 * Lists in the order they were read (design rule 8). What may be removed is listed before the proof that it lives: nodes and claims
 * before instances, and instances before the second list of claims.
 */
export interface Inventory {
  readonly now: number;
  readonly nodes: readonly Node[];
  readonly claimsBefore: readonly NodeClaim[];
  /** All of the cluster's instances that are not terminated; never a part of them. */
  readonly instances: readonly Ec2Instance[];
  readonly claimsAfter: readonly NodeClaim[];
}

/** Suspects: each is looked at once more before it is removed. */
export interface CollectionPlan {
  /** Instances that no NodeClaim has or waits for. */
  readonly leaked: readonly Ec2Instance[];
  /** NodeClaims whose instance is gone. */
  readonly lost: readonly NodeClaim[];
  /** Nodes with neither. */
  readonly orphaned: readonly Node[];
  /** Why nothing may be collected: so many suspects mean that a list is wrong, not that the cluster is. */
  readonly halted?: string;
}

const graceMilliseconds = 60_000;
const overdueMilliseconds = 30_000;

export function planCollection(inventory: Inventory): CollectionPlan {
  const leaked = leakedInstances(inventory);
  const lost = lostClaims(inventory);
  const orphaned = orphanedNodes(inventory);
  const total = inventory.instances.length + lost.length;
  const most = Math.max(3, total / 10);
  if (leaked.length + lost.length <= most) return { leaked, lost, orphaned };
  const found = `${leaked.length} instances without claim and ${lost.length} claims without instance`;
  return { leaked, lost, orphaned, halted: `${found}; at most ${Math.floor(most)} of ${total} may go in one sweep` };
}

export interface OverdueWork {
  /** Deleting claims whose step did not run when it was due. */
  readonly steps: readonly NodeClaim[];
  /** Claims whose node is deleted or marked for replacement, while they are not deleted yet. */
  readonly departures: readonly NodeClaim[];
  readonly hasUnlaunched: boolean;
}

/** What lost hints and crashes have left lying: to be sent again (design rule 7). */
export function overdueWork(claims: readonly NodeClaim[], nodes: readonly Node[], now: number): OverdueWork {
  const leaving = new Set(
    nodes
      .filter((node) => node.metadata.deletionTimestamp !== undefined || replacementOf(node) !== undefined)
      .map((node) => node.spec?.providerID),
  );
  const own = claims.filter(isManagedClaim);
  const [deleting, live] = [own.filter(isDeleting), own.filter((claim) => !isDeleting(claim))];
  return {
    steps: deleting.filter((claim) => {
      const deletedAt = parseTime(claim.metadata.deletionTimestamp ?? "");
      return now > Math.max(deletedAt, stepOf(claim).dueAt) + overdueMilliseconds;
    }),
    departures: live.filter(({ status }) => status?.providerID !== undefined && leaving.has(status.providerID)),
    hasUnlaunched: live.some(
      (claim) => claim.status?.providerID === undefined && ageOf(claim, now) > overdueMilliseconds,
    ),
  };
}

function leakedInstances({ now, instances, claimsAfter }: Inventory): readonly Ec2Instance[] {
  const claimed = new Set(claimsAfter.map((claim) => instanceIdOf(claim.status?.providerID)));
  const unsettled = unsettledClaims(claimsAfter);
  const awaiting = claimsAfter.filter(
    (claim) => claim.status?.providerID === undefined || unsettled.has(claim.metadata.name),
  );
  const awaitedNames = new Set(
    awaiting.filter(({ status }) => !status?.providerID).map(({ metadata }) => metadata.name),
  );
  const awaitedGroups = new Set(awaiting.map(launchGroupOf).filter((group) => group !== undefined));
  return instances.filter(
    (instance) =>
      instance.state !== "shutting-down" &&
      instance.state !== "terminated" &&
      now - instance.launchedAt >= graceMilliseconds &&
      !claimed.has(instance.instanceId) &&
      !awaitedNames.has(instance.tags[tag.nodeClaim] ?? "") &&
      !awaitedGroups.has(instance.tags[tag.launchGroup] ?? ""),
  );
}

/** A Ready node is alive whatever EC2 lists (karpenter-core §8, GC). */
function lostClaims({ now, nodes, claimsBefore, instances, claimsAfter }: Inventory): readonly NodeClaim[] {
  const alive = new Set(instances.map(({ instanceId }) => instanceId));
  const ready = new Set(nodes.filter(isNodeReady).map((node) => node.spec?.providerID));
  const live = new Set(claimsAfter.filter((claim) => !isDeleting(claim)).map(({ metadata }) => metadata.uid));
  return claimsBefore.filter((claim) => {
    const { providerID } = claim.status ?? {};
    const instanceId = instanceIdOf(providerID);
    const launchedFor = now - (transitionedAt(claim, "Launched") ?? now - ageOf(claim, now));
    return (
      isManagedClaim(claim) &&
      instanceId !== undefined &&
      !alive.has(instanceId) &&
      !ready.has(providerID) &&
      live.has(claim.metadata.uid) &&
      launchedFor >= graceMilliseconds
    );
  });
}

function orphanedNodes({ now, nodes, claimsBefore, instances, claimsAfter }: Inventory): readonly Node[] {
  const alive = new Set(instances.map(({ instanceId }) => instanceId));
  const claimed = new Set([...claimsBefore, ...claimsAfter].map((claim) => instanceIdOf(claim.status?.providerID)));
  return nodes.filter((node) => {
    const instanceId = instanceIdOf(node.spec?.providerID);
    return (
      isOurs(node) &&
      instanceId !== undefined &&
      !alive.has(instanceId) &&
      !claimed.has(instanceId) &&
      !isNodeReady(node) &&
      ageOf(node, now) >= graceMilliseconds
    );
  });
}

function isOurs({ metadata }: Node): boolean {
  return (
    metadata.labels?.[label.nodeClass] !== undefined || (metadata.finalizers?.includes(terminationFinalizer) ?? false)
  );
}

function isDeleting(claim: NodeClaim): boolean {
  return claim.metadata.deletionTimestamp !== undefined;
}

function launchGroupOf(claim: NodeClaim): string | undefined {
  const parsed = parseLaunchRecord(claim.metadata.annotations?.[annotation.launch]);
  return parsed.kind === "record" ? parsed.record.group : undefined;
}

/** An object without a creation time is new. */
function ageOf({ metadata }: { readonly metadata: ObjectMeta }, now: number): number {
  return metadata.creationTimestamp === undefined ? 0 : now - parseTime(metadata.creationTimestamp);
}
