import { label } from "../api/labels.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import { intersectAll, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { NodeOption } from "./node-options.ts";

/** Nodes that each reservation has room for; where options disagree, the least counts (karpenter-core §4). */
export function reservedNodes(options: readonly NodeOption[]): ReadonlyMap<string, number> {
  const nodes = new Map<string, number>();
  for (const { reservationId: id, offerings } of options) {
    for (const { reservationCapacity = 0 } of id === undefined ? [] : offerings) {
      if (id !== undefined) nodes.set(id, Math.min(nodes.get(id) ?? reservationCapacity, reservationCapacity));
    }
  }
  return nodes;
}

/** The places of reservations, handed out node by node. */
export class ReservedPlaces {
  readonly #left: Map<string, number>;

  constructor(options: readonly NodeOption[]) {
    this.#left = new Map(reservedNodes(options));
  }

  /** The offerings that a node may use: of reservations only the first with room, of which it takes a place. */
  take(offerings: readonly RankedOffering[]): readonly RankedOffering[] {
    const place = offerings.find(({ reservationId: id }) => id !== undefined && (this.#left.get(id) ?? 0) > 0);
    const id = place?.reservationId;
    if (id !== undefined) this.#left.set(id, (this.#left.get(id) ?? 0) - 1);
    return offerings.filter((offering) => offering.reservationId === undefined || offering === place);
  }
}

/** The requirements of a node whose first offering is this one: planned on a reservation, it is to be launched from it. */
export function onReservation(requirements: Requirements, { reservationId }: RankedOffering): Requirements {
  if (reservationId === undefined) return requirements;
  const held = [
    requirement(label.capacityType, "In", ["reserved"]),
    requirement(label.reservationId, "In", [reservationId]),
  ];
  return intersectAll(requirements, new Map(held.map((entry) => [entry.key, entry])));
}
