import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { instanceTypesFor } from "../cloud/instance-types.ts";
import { type OverlaidPools, type OverlayVerdict, overlaidPools } from "../cloud/node-overlays.ts";
import type { OverlayPool } from "../cloud/overlay-matching.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { zoneIdsOf } from "./zone-ids.ts";

/** The instance types of a class, or what of it cannot be read. */
export type PoolTypes = { readonly types: readonly InstanceType[] } | { readonly reason: string };

/**
 * Every instance type as nodes of the NodePool would be: what its class makes of the catalog, with prices and capacity as NodeOverlays
 * change them. What EC2 has refused lately is not withdrawn. A pool that does not exist has its class's plain types.
 */
export function poolTypes(pool: string | undefined, nodeClass: EC2NodeClass, snapshot: Snapshot): PoolTypes {
  const nodePool = snapshot.nodePools.find(({ metadata }) => metadata.name === pool);
  const isOfClass = nodePool?.spec.template.spec.nodeClassRef.name === nodeClass.metadata.name;
  const overlaid = isOfClass && pool !== undefined ? overlays(snapshot).types.get(pool) : undefined;
  return overlaid === undefined ? classTypes(nodeClass, snapshot) : { types: overlaid };
}

/** What became of each NodeOverlay, over all NodePools whose types can be told: those of one broken class are left out. */
export function overlayVerdicts(snapshot: Snapshot): readonly OverlayVerdict[] {
  return overlays(snapshot).verdicts;
}

/** Asked for each pool of a pass, and the whole is needed for the answer to any: a conflict in one rejects the overlay in all. */
const known = new WeakMap<
  Snapshot["nodeOverlays"],
  { readonly snapshot: Snapshot; readonly overlaid: OverlaidPools }
>();

function overlays(snapshot: Snapshot): OverlaidPools {
  const before = known.get(snapshot.nodeOverlays);
  if (before !== undefined && isSameForOverlays(before.snapshot, snapshot)) return before.overlaid;
  const overlaid = evaluated(snapshot);
  known.set(snapshot.nodeOverlays, { snapshot, overlaid });
  return overlaid;
}

/** A pass looks at its snapshot with more claims, or other pods: what overlays depend on stays the same objects. */
function isSameForOverlays(a: Snapshot, b: Snapshot): boolean {
  return (["nodePools", "nodeClasses", "catalog", "settings", "now", "learnedMemory"] as const).every(
    (field) => a[field] === b[field],
  );
}

function evaluated(snapshot: Snapshot): OverlaidPools {
  const { nodeOverlays, nodePools } = snapshot;
  if (nodeOverlays.length === 0) return { types: new Map(), verdicts: [] };
  return overlaidPools(
    nodeOverlays,
    nodePools.flatMap((pool) => overlayPool(pool, snapshot)),
  );
}

function overlayPool({ metadata, spec }: NodePool, snapshot: Snapshot): readonly OverlayPool[] {
  const { nodeClassRef } = spec.template.spec;
  const nodeClass = snapshot.nodeClasses.find((candidate) => candidate.metadata.name === nodeClassRef.name);
  if (nodeClass === undefined) return [];
  const known = classTypes(nodeClass, snapshot);
  if ("reason" in known) return [];
  const labels = spec.template.metadata?.labels ?? {};
  return [{ name: metadata.name, labels, types: known.types, zoneIds: zoneIdsOf(snapshot.nodeClasses) }];
}

function classTypes(nodeClass: EC2NodeClass, snapshot: Snapshot): PoolTypes {
  const { now, learnedMemory = [] } = snapshot;
  const { vmMemoryOverheadPercent, reservedEnis } = snapshot.settings;
  try {
    const options = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now, learnedMemory };
    return { types: instanceTypesFor(snapshot.catalog, nodeClass, options) };
  } catch (error) {
    if (error instanceof RangeError) return { reason: error.message };
    throw error;
  }
}
