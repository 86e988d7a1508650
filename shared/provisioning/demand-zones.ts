import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import type { NewDemand } from "./new-demand.ts";

/** Whether a demand's pods may get their node in a zone. */
export function allowsZone(demand: NewDemand | undefined, zone: string): boolean {
  const pinned = demand?.domains.get(label.zone);
  const wanted = demand?.requirements.get(label.zone);
  return (pinned === undefined || pinned === zone) && (wanted === undefined || allows(wanted, zone));
}
