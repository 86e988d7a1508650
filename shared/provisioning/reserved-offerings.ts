import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { reservationRequirements } from "../cloud/capacity-reservations.ts";
import type { Offering } from "../cloud/instance-type.ts";
import { type Requirements, requirementsOf } from "../scheduling/requirements.ts";
import { transitionedAt } from "../state/conditions.ts";

/** How old the count in a class's status may be. */
const countLagMilliseconds = 60_000;

/** Nodes by reservation id that the reservations' counts do not know of: not launched yet, or launched just now. */
export function uncountedNodes(nodeClaims: readonly NodeClaim[], now: number): ReadonlyMap<string, number> {
  const nodes = new Map<string, number>();
  for (const claim of nodeClaims) {
    if (claim.metadata.deletionTimestamp !== undefined) continue;
    for (const id of uncountedReservations(claim, now)) nodes.set(id, (nodes.get(id) ?? 0) + 1);
  }
  return nodes;
}

/** Before its launch a claim counts on each reservation that it may be launched from. */
function uncountedReservations(claim: NodeClaim, now: number): readonly string[] {
  const id = claim.metadata.labels?.[label.reservationId];
  if (claim.status?.providerID !== undefined) {
    const isNew = now - (transitionedAt(claim, "Launched") ?? 0) < countLagMilliseconds;
    return id !== undefined && isNew ? [id] : [];
  }
  return [...(requirementsOf(claim.spec.requirements).get(label.reservationId)?.values ?? [])];
}

/** The offering with what is left of its reservation; undefined when nothing is. */
export function withRoomLeft(offering: Offering, uncounted: ReadonlyMap<string, number>): Offering | undefined {
  const { reservationId, reservationCapacity } = offering;
  const taken = reservationId === undefined ? 0 : (uncounted.get(reservationId) ?? 0);
  if (reservationCapacity === undefined || taken === 0) return offering;
  return taken < reservationCapacity ? { ...offering, reservationCapacity: reservationCapacity - taken } : undefined;
}

/**
 * A type's requirements with the reservation labels that nodes of one offering have: its reservation's, or none. Types that are in no
 * reservation say so themselves.
 */
export function forOffering(ofType: Requirements, offering: Offering): Requirements {
  const inReservation = (ofType.get(label.reservationId)?.values.size ?? 0) > 0;
  return inReservation ? new Map([...ofType, ...reservationRequirements([offering])]) : ofType;
}
