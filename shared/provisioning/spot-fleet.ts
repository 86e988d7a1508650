import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { SpotFleetCount } from "../cloud/spot-spread.ts";

/** Living spot nodes by NodePool, instance type and zone. */
export function spotFleet(nodeClaims: readonly NodeClaim[]): readonly SpotFleetCount[] {
  const places = nodeClaims
    .filter(({ metadata }) => metadata.labels?.[label.capacityType] === "spot" && !metadata.deletionTimestamp)
    .map(({ metadata: { labels = {} } }) => ({
      nodePool: labels[label.nodePool] ?? "",
      instanceType: labels[label.instanceType] ?? "",
      zone: labels[label.zone] ?? "",
    }));
  const counted = Map.groupBy(places, (place) => JSON.stringify(place));
  return [...counted.values()].flatMap((same) => same.slice(0, 1).map((place) => ({ ...place, nodes: same.length })));
}
