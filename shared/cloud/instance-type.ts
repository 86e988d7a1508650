import type { CapacityType, ReservationType } from "../ports.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";

/** What an offering says of the capacity reservation that it is bought from; all absent for spot and on-demand. */
export interface ReservationTerms {
  readonly reservationId?: string;
  readonly reservationType?: ReservationType;
  /** EC2 may take the instance back for the reservation's owner. */
  readonly interruptible?: boolean;
}

/** One way to buy an instance type. */
export interface Offering extends ReservationTerms {
  readonly zone: string;
  readonly capacityType: CapacityType;
  /**
   * The instance alone, without volumes. Of a reservation a ten-millionth of the on-demand price, as with Karpenter (karpenter-aws
   * §2.5): it is paid whether used or not, so a node on it adds nothing, and of two reservations the smaller type still goes first.
   */
  readonly priceUsdPerHour: number;
  /** False while EC2 refuses it (marked unavailable), or the price is unknown. */
  readonly available: boolean;
  /** Nothing is amiss but the price, which nobody knows: a NodeOverlay that states one makes it available. */
  readonly awaitsPrice?: true;
  /** A NodeOverlay has set or changed the price. */
  readonly priceOverlaid?: true;
  /** Nodes that the reservation still has room for. */
  readonly reservationCapacity?: number;
}

/** An EC2 instance type as one EC2NodeClass would run it: what the planner chooses among. */
export interface InstanceType {
  readonly name: string;
  /** Its labels as requirements; zone and capacity type list what its offerings have. */
  readonly requirements: Requirements;
  readonly capacity: Resources;
  /** Capacity less kube-reserved, system-reserved and the eviction threshold (karpenter-aws §2.3). */
  readonly allocatable: Resources;
  readonly offerings: readonly Offering[];
  /** Volumes of pods that a node can attach, by CSI driver. A driver that is missing has no limit. */
  readonly attachLimits: Readonly<Record<string, number>>;
  /** NodeOverlays have added to the capacity, or changed it. */
  readonly capacityOverlaid?: true;
}

/** `type/zone/capacityType`, and the reservation's id behind it: how an offering is named in reports and records. */
export function offeringKey(
  instanceType: string,
  offering: Pick<Offering, "zone" | "capacityType" | "reservationId">,
): string {
  const key = `${instanceType}/${offering.zone}/${offering.capacityType}`;
  return offering.reservationId === undefined ? key : `${key}/${offering.reservationId}`;
}

/** The terms alone, for what is made from an offering. */
export function reservationTerms({
  reservationId,
  reservationType,
  interruptible,
}: ReservationTerms): ReservationTerms {
  return {
    ...(reservationId !== undefined && { reservationId }),
    ...(reservationType !== undefined && { reservationType }),
    ...(interruptible !== undefined && { interruptible }),
  };
}
