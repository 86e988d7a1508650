import { shortHash } from "../api/short-hash.ts";

/**
 * A NodeClaim's name from what it is for (design §4.1, step 3): the same pool and pods, in any order, give the same name, so that
 * a repeated plan meets its own earlier claim. `copy` above 1 is for a name that is taken by a claim with other nominations.
 */
export function nodeClaimName(nodePool: string, podUids: readonly string[], copy = 1): string {
  const hash = shortHash([nodePool, ...podUids.toSorted()].join("\n"), 10);
  const prefix = nodePool.slice(0, 40).replace(/[^a-z0-9]+$/, "");
  return copy === 1 ? `${prefix}-${hash}` : `${prefix}-${hash}-${copy}`;
}
