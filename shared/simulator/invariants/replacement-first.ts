import type { Node, Pod } from "../../api/core.ts";
import { isTrue } from "../../state/conditions.ts";
import { nominationsOf } from "../../state/nominations.ts";
import { type Replacement, replacementOf } from "../../state/replacement.ts";
import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";
import { graceMilliseconds, isProtected, nodeOf, pathOf } from "./machines.ts";
import { onOwnDeletion } from "./own-deletions.ts";

/** How long before the last moment that its grace leaves a pod may go (design §4.3 says 10 s, and a step takes time). */
const marginMilliseconds = 15_000;
/** How long a node that nobody forces to leave waits for new capacity. */
const patienceMilliseconds = 600_000;

/** A pod of a node marked for replacement stays until its next node is ready, or until it must go (design §4.3). */
export function replacementFirst(world: ObservedWorld): Invariant {
  return invariant("replacement before eviction", world, (report) => {
    onOwnDeletion(world, "Pod", (pod, by) => {
      const node = nodeOf(world, pod);
      const mark = node && replacementOf(node);
      if (node === undefined || mark === undefined || !comesBack(pod) || !isProtected(world, pod)) return;
      const earliestAt = lastMomentAt(pod, mark);
      if (hasPlace(world, pod, mark) || world.loop.now() >= earliestAt) return;
      report({ objects: `Pod ${pathOf(pod)}`, ...words(node, mark, by, earliestAt) });
    });
    return {};
  });
}

function words(node: Node, { reason }: Replacement, by: string, earliestAt: number) {
  const seen = `taken by ${by} from Node ${node.metadata.name} (${reason}) before an initialized NodeClaim nominates it`;
  return { seen, allowed: `from ${new Date(earliestAt).toISOString()} on, or with a place to go to` };
}

/** Runs now and will run elsewhere: no DaemonSet's, no static pod, not ended or ending. */
function comesBack({ metadata, status }: Pod): boolean {
  const isBound = metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet" || kind === "Node") ?? false;
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  return !isBound && !isOver && metadata.deletionTimestamp === undefined;
}

/** An initialized claim is meant for this very pod, or room was found for it on nodes that run. */
function hasPlace({ cluster }: ObservedWorld, { metadata }: Pod, mark: Replacement): boolean {
  if (mark.roomFor?.some((uid) => uid === metadata.uid)) return true;
  return cluster.server
    .list("NodeClaim")
    .filter((claim) => claim.metadata.deletionTimestamp === undefined && isTrue(claim, "Initialized"))
    .flatMap(nominationsOf)
    .some(({ uid }) => uid === metadata.uid);
}

/** When the pod may go in any case; at once when its grace takes all the time there was at the notice. */
function lastMomentAt(pod: Pod, { noticedAt, deadlineAt }: Replacement): number {
  if (deadlineAt === undefined) return noticedAt + patienceMilliseconds;
  return deadlineAt - graceMilliseconds(pod) - marginMilliseconds;
}
