import { awsGroup } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";

/** A NodePool of a fixed size. */
export type StaticPool = NodePool & { readonly spec: { readonly replicas: number } };

/** The static NodePools that are ours and stay, by name. Those of another provider's class are its own to size. */
export function staticPools(nodePools: readonly NodePool[]): readonly StaticPool[] {
  return nodePools
    .filter(isStatic)
    .filter(({ metadata, spec: { template } }) => {
      const { group, kind } = template.spec.nodeClassRef;
      return metadata.deletionTimestamp === undefined && group === awsGroup && kind === "EC2NodeClass";
    })
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function isStatic(pool: NodePool): pool is StaticPool {
  return pool.spec.replicas !== undefined;
}
