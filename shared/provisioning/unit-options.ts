import { label } from "../api/labels.ts";
import { allows, intersectAll, type Requirement } from "../scheduling/requirements.ts";
import { addResources, fits, type Resources } from "../scheduling/resources.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import { demandRequirements } from "./open-labels.ts";
import { sharedAttachments, sharesAttachments } from "./shared-attachments.ts";

/** The node options that every part of a unit accepts and that hold it whole; of one pod alone they are the demand's own list. */
export function sharedOptions(demands: readonly NewDemand[], parts: readonly UnitPart[]): readonly NodeOption[] {
  const [first, ...others] = parts;
  const options = optionsOf(demands, first);
  if (others.length === 0 && first?.pods === 1 && !sharesAttachments(demands[first.demand])) return options;
  const requests = addResources(unitRequests(demands, parts), sharedAttachments(demands, parts));
  const lists = new Set(others.map((part) => optionsOf(demands, part)));
  lists.delete(options);
  const rest = [...lists].map((list) => new Set(list));
  const zone = others.length === 0 ? undefined : zoneWanted(demands, parts);
  return options.filter(
    (option) =>
      rest.every((set) => set.has(option)) &&
      fits(requests, option.free) &&
      (zone === undefined || option.offerings.some((offering) => allows(zone, offering.zone))),
  );
}

export function unitRequests(demands: readonly NewDemand[], parts: readonly UnitPart[]): Resources {
  const sum: Record<string, number> = {};
  for (const { demand, pods } of parts) {
    const requests = demands[demand]?.constraints.requests ?? {};
    for (const resource in requests) sum[resource] = (sum[resource] ?? 0) + (requests[resource] ?? 0) * pods;
  }
  return sum;
}

function optionsOf(demands: readonly NewDemand[], part: UnitPart | undefined): readonly NodeOption[] {
  return part === undefined ? [] : (demands[part.demand]?.options ?? []);
}

function zoneWanted(demands: readonly NewDemand[], parts: readonly UnitPart[]): Requirement | undefined {
  const wanted = parts.flatMap(({ demand }) => demands[demand] ?? []).map(demandRequirements);
  return intersectAll(...wanted).get(label.zone);
}
