import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import type { NodeOverlay } from "../../../shared/api/node-overlay.ts";
import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import type { RankedOffering } from "../../../shared/cloud/ranking.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { Amounts } from "./amounts.ts";
import { instanceCapacity, instanceLabels } from "./instance-facts.ts";
import { expressionHolds, type Labels } from "./node-matching.ts";
import { overlaidCapacity } from "./overlay-capacity.ts";

/** On whose account an offering is bought. */
export interface Buyer {
  readonly nodeClass: EC2NodeClass | undefined;
  readonly nodePool: string;
}

/** What the catalog, the marks of unavailability and the overlays say about offerings. */
export class OfferingChecks {
  readonly #snapshot: Snapshot;
  readonly #facts: ReadonlyMap<string, InstanceTypeFacts>;
  readonly #labels = new Map<EC2NodeClass | undefined, WeakMap<RankedOffering, Labels>>();
  readonly #problems = new Map<string, WeakMap<RankedOffering, string>>();
  readonly #capacities = new Map<string, Amounts>();
  readonly #overlays: readonly NodeOverlay[];

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#facts = new Map(snapshot.catalog.types.map((facts) => [facts.name, facts]));
    this.#overlays = snapshot.nodeOverlays ?? [];
  }

  /** Why this cannot be bought at this price now. Offerings that claims share are looked at once. */
  problem(offering: RankedOffering, buyer: Buyer): string | undefined {
    const known = this.#problems.get(buyer.nodePool) ?? new WeakMap<RankedOffering, string>();
    this.#problems.set(buyer.nodePool, known);
    let problem = known.get(offering);
    if (problem === undefined) {
      problem = this.#problem(offering, buyer) ?? "";
      known.set(offering, problem);
    }
    return problem === "" ? undefined : problem;
  }

  #problem(offering: RankedOffering, buyer: Buyer): string | undefined {
    const { instanceType, zone, capacityType, priceUsdPerHour, reservationId } = offering;
    const { catalog, unavailableOfferings, now } = this.#snapshot;
    const name = `${instanceType}/${zone}/${capacityType}`;
    if (!this.#facts.has(instanceType)) return `${name}: the catalog has no such instance type`;
    if (!catalog.zonesByType.get(instanceType)?.includes(zone)) return `${name} is not sold in that zone`;
    const subnets = buyer.nodeClass?.status?.subnets;
    if (subnets !== undefined && !subnets.some((subnet) => subnet.zone === zone)) return `${name}: no subnet there`;
    const refused = unavailableOfferings.some(
      (mark) =>
        mark.untilAt > now &&
        (mark.instanceType === "*" || mark.instanceType === instanceType) &&
        (mark.zone === "*" || mark.zone === zone || mark.zone === reservationId) &&
        (mark.capacityType === "*" || mark.capacityType === capacityType),
    );
    if (capacityType === "reserved" && !this.#isReserved(offering, buyer))
      return `${name}: no such reservation has room`;
    if (refused) return `${name} is marked unavailable`;
    const prices = this.#prices(offering, buyer);
    if (prices.length === 0) return `${name} is not sold as ${capacityType}`;
    if (prices.some((price) => Math.abs(price - priceUsdPerHour) < 1e-9)) return undefined;
    return `${name}: the price is ${priceUsdPerHour}, the catalog says ${prices.join(" or ")}`;
  }

  labelsOf(offering: RankedOffering, buyer: Buyer): Labels {
    const { nodeClass } = buyer;
    const known = this.#labels.get(nodeClass) ?? new WeakMap<RankedOffering, Labels>();
    this.#labels.set(nodeClass, known);
    let labels = known.get(offering);
    if (labels === undefined) {
      const facts = this.#facts.get(offering.instanceType);
      labels = facts ? instanceLabels(facts, offering, nodeClass, this.#snapshot.catalog.region) : {};
      known.set(offering, labels);
    }
    return labels;
  }

  /** CPU, memory and devices of a NodePool's nodes, those of overlays included. */
  capacityOf(instanceType: string, nodePool: string): Amounts {
    const key = `${instanceType} ${nodePool}`;
    let capacity = this.#capacities.get(key);
    if (capacity === undefined) {
      capacity = this.#capacity(instanceType, nodePool);
      this.#capacities.set(key, capacity);
    }
    return capacity;
  }

  #capacity(instanceType: string, nodePool: string): Amounts {
    const { nodePools, nodeClasses } = this.#snapshot;
    const facts = this.#facts.get(instanceType);
    if (facts === undefined) return {};
    const pool = nodePools.find(({ metadata }) => metadata.name === nodePool);
    const className = pool?.spec.template.spec.nodeClassRef.name;
    const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === className);
    return {
      ...instanceCapacity(facts, nodeClass, this.#snapshot),
      ...overlaidCapacity(facts, pool, this.#snapshot),
    };
  }

  /** The reservation is among those of the class, is for this type and zone, and does not end now. */
  #isReserved({ reservationId, instanceType, zone }: RankedOffering, { nodeClass }: Buyer): boolean {
    const reservations = nodeClass?.status?.capacityReservations ?? [];
    return reservations.some(
      ({ id, state, endTime, ...reservation }) =>
        id === reservationId &&
        reservation.instanceType === instanceType &&
        reservation.availabilityZone === zone &&
        state !== "expiring" &&
        !(endTime !== undefined && Date.parse(endTime) <= this.#snapshot.now) &&
        reservation.availableInstanceCount !== 0,
    );
  }

  /** With several overlays, any of theirs, and the list's, as one may be in conflict with another. A reservation costs next to nothing. */
  #prices(offering: RankedOffering, buyer: Buyer): readonly number[] {
    const { onDemandPrices, spotPrices } = this.#snapshot.catalog;
    const { instanceType, zone, capacityType } = offering;
    const onDemand = onDemandPrices.get(instanceType);
    const spot = spotPrices.get(instanceType)?.get(zone);
    const listed = { spot, "on-demand": onDemand, reserved: 1e-7 * (onDemand || 1) }[capacityType];
    const overlaid = this.#overlaysOf(offering, buyer).flatMap(({ spec: { price, priceAdjustment } }) => {
      if (price !== undefined) return [Number(price)];
      return priceAdjustment === undefined || listed === undefined ? [] : [adjusted(listed, priceAdjustment)];
    });
    const counts = listed !== undefined && (overlaid.length === 0 || this.#overlays.length > 1);
    return counts ? [...overlaid, listed] : overlaid;
  }

  #overlaysOf(offering: RankedOffering, buyer: Buyer): readonly NodeOverlay[] {
    if (this.#overlays.length === 0) return [];
    const labels: Labels = { ...this.labelsOf(offering, buyer), "karpenter.sh/nodepool": buyer.nodePool };
    return this.#overlays.filter(({ spec }) =>
      spec.requirements.every((entry) => !(entry.key in labels) || expressionHolds(entry, labels)),
    );
  }
}

function adjusted(price: number, change: string): number {
  const by = Number.parseFloat(change);
  return Math.max(0, change.endsWith("%") ? price * (1 + by / 100) : price + by);
}
