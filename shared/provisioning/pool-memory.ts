import type { NodePool } from "../api/node-pool.ts";
import { isDaemonPod } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";

/**
 * Keeps what was made of a NodePool while everything that it was made from stays the same: who plans again and again with one thing
 * changed (an edit tried, a node taken away) pays for the NodePools that changed.
 */
export class PoolMemory<Made> {
  readonly #known = new WeakMap<NodePool, { readonly basis: Basis; readonly made: Made }>();

  of(pool: NodePool, basis: Basis, make: () => Made): Made {
    const known = this.#known.get(pool);
    if (known !== undefined && isSame(known.basis, basis)) return known.made;
    const made = make();
    this.#known.set(pool, { basis, made });
    return made;
  }
}

/** The objects that the options of a NodePool are made from. */
export type Basis = readonly unknown[];

/** The parts of a snapshot that options are made from. All pools count only where a NodeOverlay's conflict in one concerns all. */
export function basisOf(snapshot: Snapshot): Basis {
  const { nodeOverlays, nodePools, nodeClasses, nodeClaims, daemonSets, catalog, settings, now } = snapshot;
  const { unavailableOfferings, learnedMemory, placementScores, reclaimsPerHour, pods } = snapshot;
  return [
    ...[nodeOverlays, nodeOverlays.length === 0 ? undefined : nodePools, nodeClasses, nodeClaims, daemonSets],
    ...[catalog, settings, now, unavailableOfferings, learnedMemory],
    ...[placementScores, reclaimsPerHour],
    ...pods.filter(isDaemonPod),
  ];
}

function isSame(a: Basis, b: Basis): boolean {
  return a === b || (a.length === b.length && a.every((part, index) => part === b[index]));
}
