import type { NodePool } from "../api/node-pool.ts";
import type { Ports } from "../ports.ts";
import { clusterNodes } from "../state/cluster-nodes.ts";
import { type LaunchHealth, nodePoolStatus, nodePoolStatusPatch, withConditions } from "../state/node-pool-status.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";

const writesAtOnce = 5;

/** The world with the conditions that its NodePools should have now: no plan waits for them to be written. */
export function withPoolConditions(snapshot: Snapshot): Snapshot {
  const { nodeClasses, now } = snapshot;
  const nodePools = snapshot.nodePools.map((pool) => {
    const wanted = nodePoolStatus(pool, nodeClasses, [], launchHealthOf(pool, snapshot));
    return wanted === undefined ? pool : withConditions(pool, wanted, now);
  });
  return { ...snapshot, nodePools };
}

function launchHealthOf({ metadata }: NodePool, { launchBreakers, registrations = [], now }: Snapshot): LaunchHealth {
  return { breaker: launchBreakers?.find(({ nodePool }) => nodePool === metadata.name), registrations, now };
}

/**
 * Tells on each NodePool whether nodes are launched from it, and how many there are (karpenter-core §1.1). `snapshot` is as it was
 * read. One that says so already is not written; one whose status cannot be written holds up no other.
 */
export async function writeNodePoolStatuses(ports: Ports, snapshot: Snapshot, errors: DeferredErrors): Promise<void> {
  const nodes = clusterNodes(snapshot);
  await limitedParallel(snapshot.nodePools, writesAtOnce, async (pool) => {
    const wanted = nodePoolStatus(pool, snapshot.nodeClasses, nodes, launchHealthOf(pool, snapshot));
    if (wanted === undefined || nodePoolStatusPatch(pool, wanted, snapshot.now) === undefined) return;
    const { name, uid, generation } = pool.metadata;
    await errors.during(() =>
      update(
        ports,
        "NodePool",
        { name },
        (current) => {
          const isSame = current.metadata.uid === uid && current.metadata.generation === generation;
          return isSame ? nodePoolStatusPatch(current, wanted, snapshot.now) : undefined;
        },
        { subresource: "status", current: pool },
      ),
    );
  });
}
