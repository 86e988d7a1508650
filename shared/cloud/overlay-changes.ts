import type { NodeOverlay } from "../api/node-overlay.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { InstanceType, Offering } from "./instance-type.ts";

/** What an overlay says of all that it is for. */
export interface Statement {
  readonly overlay: string;
  readonly weight: number;
  readonly spec: Pick<NodeOverlay["spec"], "price" | "priceAdjustment">;
  readonly changesPrice: boolean;
  readonly capacity: Resources;
}

/** The first statement has its way; only with the last can another be in conflict, as they come in the order of weight. */
export interface Spoken {
  readonly first: Statement;
  readonly last: Statement;
}

/** What overlays have said so far of one instance type. */
export class TypeChanges {
  /** By index of the offering. */
  readonly prices: (Spoken | undefined)[] = [];
  readonly capacity = new Map<string, Spoken>();
}

/** The type as its overlays make it: a new object with the same labels. */
export function overlaidType(type: InstanceType, { prices, capacity }: TypeChanges): InstanceType {
  const offerings = type.offerings.map((offering, index) => {
    const first = prices[index]?.first;
    return first === undefined ? offering : withPrice(offering, overlaidPrice(offering.priceUsdPerHour, first.spec));
  });
  if (capacity.size === 0) return { ...type, offerings };
  const added = Object.fromEntries(
    [...capacity].map(([resource, { first }]) => [resource, first.capacity[resource] ?? 0]),
  );
  return {
    ...type,
    offerings,
    capacity: { ...type.capacity, ...added },
    allocatable: { ...withoutHugePages(type.allocatable, added), ...added },
    capacityOverlaid: true,
  };
}

/** A price that is unknown stays so, unless it is stated outright. */
function withPrice(offering: Offering, priceUsdPerHour: number): Offering {
  if (!Number.isFinite(priceUsdPerHour)) return offering;
  if (offering.awaitsPrice === undefined) return { ...offering, priceUsdPerHour, priceOverlaid: true };
  const { awaitsPrice: _, ...known } = offering;
  return { ...known, priceUsdPerHour, available: true, priceOverlaid: true };
}

const roundedTo = 1e12;

/** USD per hour, never below zero; rounded, so that no error of the arithmetic shows. */
function overlaidPrice(priceUsdPerHour: number, { price, priceAdjustment = "+0" }: Statement["spec"]): number {
  if (price !== undefined) return Number(price);
  const change = Number.parseFloat(priceAdjustment);
  const changed = priceAdjustment.endsWith("%") ? priceUsdPerHour * (1 + change / 100) : priceUsdPerHour + change;
  return Math.max(0, Math.round(changed * roundedTo) / roundedTo);
}

/** Huge pages are taken out of the memory that pods may ask for (karpenter-core §2.6). */
function withoutHugePages(allocatable: Resources, added: Resources): Resources {
  const bytes = Object.entries(added).reduce(
    (sum, [resource, amount]) => (resource.startsWith("hugepages-") ? sum + amount : sum),
    0,
  );
  return bytes === 0 ? allocatable : { ...allocatable, memory: Math.max(0, (allocatable.memory ?? 0) - bytes) };
}
