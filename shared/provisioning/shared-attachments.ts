import { ebsDriver } from "../cloud/attach-limits.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { NewDemand, Unit, UnitPart } from "./new-demand.ts";
import type { NodeRule } from "./packing/problem.ts";
import { attachmentResource } from "./volume-constraints.ts";

/** The resource that counts them; other drivers' volumes have no limit on new nodes. */
const resource = attachmentResource(ebsDriver);

/** Volumes that pods of these parts share with others, each counted once. */
export function sharedAttachments(demands: readonly NewDemand[], parts: readonly UnitPart[]): Resources {
  const claims = new Set(parts.flatMap(({ demand }) => claimsOf(demands[demand])));
  return claims.size === 0 ? {} : { [resource]: claims.size };
}

/** Whether pods of a demand have volumes that {@link sharedAttachments} counts. */
export function sharesAttachments(demand: NewDemand | undefined): boolean {
  return claimsOf(demand).length > 0;
}

/** The dimension that an {@link attachmentRules} needs, whether or not pods have volumes of their own. */
export function attachmentDimensions(demands: readonly NewDemand[]): readonly string[] {
  return demands.some(sharesAttachments) ? [resource] : [];
}

export function attachmentRules(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  dimensions: readonly string[],
): readonly NodeRule[] {
  const claims = [...new Set(demands.flatMap(claimsOf))].sort();
  if (claims.length === 0) return [];
  const bits = new Map(claims.map((claim, index) => [claim, 1n << BigInt(index)]));
  const volumesOf = ({ demand }: UnitPart) =>
    claimsOf(demands[demand]).reduce((volumes, claim) => volumes | (bits.get(claim) ?? 0n), 0n);
  return [
    {
      kind: "attachments",
      dimension: dimensions.indexOf(resource),
      volumesOfItem: units.map(({ parts }) => parts.reduce((volumes, part) => volumes | volumesOf(part), 0n)),
    },
  ];
}

/** The volumes of EBS that pods of a demand share with others. */
export function claimsOf(demand: NewDemand | undefined): readonly string[] {
  return (demand?.podClass.sharedAttachments ?? [])
    .filter(({ driver }) => driver === ebsDriver)
    .map(({ claim }) => claim);
}
