import type { CapacityReservation, EC2NodeClass } from "../api/ec2-node-class.ts";
import { label } from "../api/labels.ts";
import { parseTime } from "../api/time.ts";
import { type Requirements, requirement } from "../scheduling/requirements.ts";
import type { InstanceType, Offering } from "./instance-type.ts";

/** Of the on-demand price: enough to keep the order of prices, too little to matter (karpenter-aws §2.5). */
const priceShare = 1e-7;
/** Where the on-demand price is unknown. Never 0: value per dollar has no meaning then. */
const assumedPriceUsdPerHour = 1;
/** EC2 ends the instances of a capacity block half an hour before its end; launching stops a little earlier (karpenter-aws §1.3). */
const blockClosesMilliseconds = 40 * 60_000;
/** Where the status does not say how many are left, one is tried at a time: EC2's answer tells. */
const assumedCapacity = 1;

/**
 * The same types with an offering for each capacity reservation of the class's status, on those types that have one; all others stay the
 * same objects. An offering is available where the type can be launched at all, the reservation has room and is not about to end.
 */
export function withReservations(
  types: readonly InstanceType[],
  { status }: EC2NodeClass,
  now: number,
): readonly InstanceType[] {
  const reservations = status?.capacityReservations ?? [];
  if (reservations.length === 0) return types;
  const sorted = reservations.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const byType = Map.groupBy(sorted, ({ instanceType }) => instanceType);
  return types.map((type) => withReserved(type, byType.get(type.name) ?? [], now));
}

function withReserved(type: InstanceType, reservations: readonly CapacityReservation[], now: number): InstanceType {
  const reserved = reservations.map((reservation) => reservedOffering(type, reservation, now));
  if (reserved.length === 0) return type;
  const values = (key: string, added: readonly string[]) => [...(type.requirements.get(key)?.values ?? []), ...added];
  return {
    ...type,
    requirements: new Map([
      ...type.requirements,
      ...reservationRequirements(reserved),
      [label.capacityType, requirement(label.capacityType, "In", values(label.capacityType, ["reserved"]))],
    ]),
    offerings: [...type.offerings, ...reserved],
  };
}

/** What the labels of a reservation are on nodes of one of these offerings; they are absent from nodes of offerings without one. */
export function reservationRequirements(offerings: readonly Offering[]): Requirements {
  const entry = (key: string, read: (offering: Offering) => string | undefined) => {
    const values = [...new Set(offerings.flatMap((offering) => read(offering) ?? []))];
    return [key, values.length === 0 ? requirement(key, "DoesNotExist") : requirement(key, "In", values)] as const;
  };
  return new Map([
    entry(label.reservationId, ({ reservationId }) => reservationId),
    entry(label.reservationType, ({ reservationType }) => reservationType),
    entry(label.reservationInterruptible, ({ interruptible }) => interruptible?.toString()),
  ]);
}

function reservedOffering(type: InstanceType, reservation: CapacityReservation, now: number): Offering {
  const { id, availabilityZone: zone, reservationType, interruptible = false } = reservation;
  const capacity = reservation.availableInstanceCount ?? assumedCapacity;
  const onDemand = type.offerings.find((one) => one.zone === zone && one.capacityType === "on-demand");
  const isLaunchable = onDemand !== undefined && (onDemand.available || onDemand.awaitsPrice === true);
  const price = onDemand?.priceUsdPerHour ?? Number.POSITIVE_INFINITY;
  return {
    zone,
    capacityType: "reserved",
    priceUsdPerHour: priceShare * (Number.isFinite(price) && price > 0 ? price : assumedPriceUsdPerHour),
    available: isLaunchable && capacity > 0 && !isClosing(reservation, now),
    reservationId: id,
    reservationType,
    interruptible,
    reservationCapacity: capacity,
  };
}

function isClosing({ state, endTime, reservationType }: CapacityReservation, now: number): boolean {
  if (state === "expiring") return true;
  const closesEarlier = reservationType === "capacity-block" ? blockClosesMilliseconds : 0;
  return endTime !== undefined && parseTime(endTime) - closesEarlier <= now;
}
