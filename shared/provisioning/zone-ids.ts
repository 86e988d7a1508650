import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { label } from "../api/labels.ts";
import { allows, intersectAll, type Requirements, requirement } from "../scheduling/requirements.ts";

/** The id of each zone: `use1-az1` of `us-east-1a`. An account's own mapping, and the same for all its EC2NodeClasses. */
export type ZoneIds = ReadonlyMap<string, string>;

/** As far as the subnets of the classes' statuses tell. */
export function zoneIdsOf(nodeClasses: readonly EC2NodeClass[]): ZoneIds {
  const subnets = nodeClasses.flatMap(({ status }) => status?.subnets ?? []);
  return new Map(subnets.flatMap(({ zone, zoneID }) => (zoneID === undefined ? [] : [[zone, zoneID] as const])));
}

/** The same requirements with what they say of zone ids also said of zones: offerings are known by their zones alone. */
export function withZonesOfIds(requirements: Requirements, zoneIds: ZoneIds): Requirements {
  const wanted = requirements.get(label.zoneId);
  if (wanted === undefined || zoneIds.size === 0) return requirements;
  const zones = [...zoneIds].flatMap(([zone, id]) => (allows(wanted, id) ? [zone] : []));
  return intersectAll(requirements, new Map([[label.zone, requirement(label.zone, "In", zones)]]));
}
