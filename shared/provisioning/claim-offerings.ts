import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { instanceTypesFor } from "../cloud/instance-types.ts";
import { type RankedOffering, rankOfferings } from "../cloud/ranking.ts";
import { allows, firstConflict, requirementsOf } from "../scheduling/requirements.ts";
import { fits, parseResources } from "../scheduling/resources.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { withoutExotic } from "./exotic-types.ts";

/**
 * Offerings for a NodeClaim from its own requirements alone, best first: for claims of an earlier pass and for those that nobody
 * planned (made by a person, or left unlaunched by Karpenter; design §4.1, step 3). Unavailable ones are among them: the launch
 * skips what is unavailable at that moment.
 */
export function claimOfferings(claim: NodeClaim, snapshot: Snapshot): readonly RankedOffering[] {
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === claim.spec.nodeClassRef.name);
  if (nodeClass === undefined) return [];
  const { vmMemoryOverheadPercent, reservedEnis } = snapshot.settings;
  const wanted = requirementsOf(claim.spec.requirements);
  const requests = parseResources(claim.spec.resources?.requests);
  const types = instanceTypesFor(snapshot.catalog, nodeClass, {
    vmMemoryOverheadPercent,
    reservedEnis,
    unavailable: [],
    now: snapshot.now,
  }).filter((type) => firstConflict(type.requirements, wanted) === undefined && fits(requests, type.allocatable));
  const offerings = withoutExotic(types).flatMap((type) =>
    type.offerings
      .filter(({ available, zone, capacityType }) => {
        const isWanted = (key: string, value: string) => {
          const requirement = wanted.get(key);
          return requirement === undefined || allows(requirement, value);
        };
        return available && isWanted(label.zone, zone) && isWanted(label.capacityType, capacityType);
      })
      .map(({ zone, capacityType, priceUsdPerHour }) => ({
        instanceType: type.name,
        zone,
        capacityType,
        priceUsdPerHour,
      })),
  );
  return rankOfferings(offerings);
}
