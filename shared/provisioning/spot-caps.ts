import { inPlan, inPool, type SpotLimits } from "../cloud/spot-spread.ts";
import type { NodeOption } from "./node-options.ts";
import type { ColumnCaps } from "./packing-problem.ts";

/** An offering is to be had in several zones, each with a cap of its own: where two types are at their caps, a third is rarely near. */
const enoughDominators = 2;

/**
 * Caps that make the packer keep what the spread over spot pools asks for (design §4.1, step 7) by choosing other sizes too: nodes are
 * then not only moved to dearer offerings that hold the same pods.
 */
export function spotCaps(limits: SpotLimits, options: readonly NodeOption[], zones: readonly string[]): ColumnCaps {
  const caps = new Map<string, number>();
  const nodes: number[] = [];
  const capOf = (key: string, most: number): number => {
    const known = caps.get(key);
    if (known !== undefined) return known;
    caps.set(key, nodes.length);
    return nodes.push(most) - 1;
  };
  const isOnePool = new Set(options.map(({ pool }) => pool)).size === 1;
  const capsOf = new Map<NodeOption, readonly (readonly number[])[]>();
  for (const option of options) {
    const { pool, instanceType, capacityType, offerings } = option;
    if (capacityType !== "spot") continue;
    const sold = new Set(offerings.map(({ zone }) => zone));
    const ofZone = (zone: string): readonly number[] => {
      if (!sold.has(zone)) return [];
      const place = { instanceType: instanceType.name, zone };
      const left = Math.max(0, limits.ofPool(pool) - (limits.held.get(inPool(pool, place)) ?? 0));
      if (isOnePool) return [capOf(inPlan(place), Math.min(limits.ofPlan, left))];
      return [capOf(inPlan(place), limits.ofPlan), capOf(inPool(pool, place), left)];
    };
    capsOf.set(option, zones.map(ofZone));
  }
  return { capsOf, offeringCaps: { nodes: Float64Array.from(nodes), enough: enoughDominators } };
}
