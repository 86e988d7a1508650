import { label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { StaticCapacityPlan } from "../../shared/provisioning/static-capacity.ts";
import { planStaticCapacity } from "../../shared/provisioning/static-capacity.ts";
import { nodePool } from "./node-pools.ts";
import { claimedNode } from "./nodes.ts";
import { snapshotWith, type World } from "./snapshot.ts";

/** A static NodePool `fixed` of so many nodes. */
export function staticPool(replicas: number, options: Parameters<typeof nodePool>[1] = {}) {
  return nodePool("fixed", { replicas, ...options });
}

/** Claims of the pool `fixed` with their running nodes, for a snapshot. */
export function runningNodes(...names: readonly string[]): Pick<World, "nodes" | "nodeClaims"> {
  const made = names.map((name) => claimedNode(name, { pool: "fixed" }));
  return { nodes: made.map(({ node }) => node), nodeClaims: made.map(({ claim }) => claim) };
}

/** The claim as one that is going. */
export function deleting(claim: NodeClaim): NodeClaim {
  return { ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
}

export function staticPlan(world: World): StaticCapacityPlan {
  return planStaticCapacity(snapshotWith(world));
}

/** How many claims a plan makes for the pool `fixed`. */
export function planned(world: World): number {
  return staticPlan(world).nodeClaims.filter(({ labels }) => labels[label.nodePool] === "fixed").length;
}
