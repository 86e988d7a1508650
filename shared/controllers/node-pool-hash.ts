import { hashVersion, nodePoolHash } from "../api/hashes.ts";
import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { MergePatch, Ports } from "../ports.ts";
import { isTrue } from "../state/conditions.ts";
import { isManagedClaim, isManagedClass } from "../state/managed.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";

const { nodePoolHash: hashKey, nodePoolHashVersion: versionKey } = annotation;
const writesAtOnce = 5;

/**
 * Writes on each NodePool what its nodes drift from when it changes. Where the hash there is of another version, such as Karpenter's, the
 * NodePool's NodeClaims get ours first: what cannot be compared is no drift (karpenter-core §6.7). `snapshot` is as it was read.
 */
export async function stampNodePools(ports: Ports, snapshot: Snapshot, errors: DeferredErrors): Promise<void> {
  const pools = snapshot.nodePools.filter((pool) => isManagedClass(pool.spec.template.spec.nodeClassRef));
  const outdated = pools.filter((pool) => poolPatch(pool) !== undefined);
  await limitedParallel(outdated, writesAtOnce, (pool) => errors.during(() => stampPool(ports, snapshot, pool)));
}

async function stampPool(ports: Ports, { nodeClaims }: Snapshot, pool: NodePool): Promise<void> {
  const { name, uid } = pool.metadata;
  if (pool.metadata.annotations?.[versionKey] !== hashVersion) {
    const own = nodeClaims.filter((claim) => isManagedClaim(claim) && claim.metadata.labels?.[label.nodePool] === name);
    await limitedParallel(own, writesAtOnce, (claim) =>
      update(ports, "NodeClaim", { name: claim.metadata.name }, (current) => claimPatch(current, pool), {
        current: claim,
      }),
    );
  }
  const change = (current: NodePool) => (current.metadata.uid === uid ? poolPatch(current) : undefined);
  await update(ports, "NodePool", { name }, change, { current: pool });
}

function poolPatch(pool: NodePool): MergePatch | undefined {
  const { annotations = {} } = pool.metadata;
  const hash = nodePoolHash(pool);
  if (annotations[hashKey] === hash && annotations[versionKey] === hashVersion) return undefined;
  return { metadata: { annotations: { [hashKey]: hash, [versionKey]: hashVersion } } };
}

/** One that has drifted already keeps its hash, so that it is still replaced. */
function claimPatch(claim: NodeClaim, pool: NodePool): MergePatch | undefined {
  if (claim.metadata.annotations?.[versionKey] === hashVersion) return undefined;
  const hash = isTrue(claim, "Drifted") ? {} : { [hashKey]: nodePoolHash(pool) };
  return { metadata: { annotations: { [versionKey]: hashVersion, ...hash } } };
}
