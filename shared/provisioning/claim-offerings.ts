import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import { type RankedOffering, rankedOffering } from "../cloud/ranking.ts";
import { allows, firstConflict, type Requirements, requirementsOf } from "../scheduling/requirements.ts";
import { fits, parseResources } from "../scheduling/resources.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { withoutExotic } from "./exotic-types.ts";
import { rankForPool } from "./pool-ranking.ts";
import { poolTypes } from "./pool-types.ts";
import { forOffering } from "./reserved-offerings.ts";

/**
 * Offerings for a NodeClaim from its own requirements alone, best first: for claims of an earlier pass and for those that nobody
 * planned (made by a person, or left unlaunched by Karpenter; design §4.1, step 3). Unavailable ones are among them: the launch
 * skips what is unavailable at that moment.
 */
export function claimOfferings(claim: NodeClaim, snapshot: Snapshot): readonly RankedOffering[] {
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === claim.spec.nodeClassRef.name);
  if (nodeClass === undefined) return [];
  const known = poolTypes(claim.metadata.labels?.[label.nodePool], nodeClass, snapshot);
  if ("reason" in known) return [];
  const wanted = requirementsOf(claim.spec.requirements);
  const requests = parseResources(claim.spec.resources?.requests);
  const types = known.types.filter(
    (type) => firstConflict(type.requirements, wanted) === undefined && fits(requests, type.allocatable),
  );
  const offerings = withoutExotic(types).flatMap((type) =>
    type.offerings
      .filter((offering) => offering.available && isWanted(type, offering, wanted))
      .map((offering) => rankedOffering(type.name, offering)),
  );
  return rankForPool(offerings, claim.metadata.labels?.[label.nodePool] ?? "", snapshot);
}

function isWanted({ requirements }: InstanceType, offering: Offering, wanted: Requirements): boolean {
  const allowed = (key: string, value: string) => {
    const found = wanted.get(key);
    return found === undefined || allows(found, value);
  };
  return (
    allowed(label.zone, offering.zone) &&
    allowed(label.capacityType, offering.capacityType) &&
    firstConflict(forOffering(requirements, offering), wanted) === undefined
  );
}
