import { label } from "../api/labels.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import { allows, type Requirement, type Requirements } from "../scheduling/requirements.ts";
import { type Resources, subtractResources } from "../scheduling/resources.ts";
import type { NodeDaemons } from "./daemon-overhead.ts";
import { getOrMake } from "./get-or-make.ts";
import type { PackingSlack } from "./packing-slack.ts";
import { withRoomLeft } from "./reserved-offerings.ts";
import { attachmentResource } from "./volume-constraints.ts";

/** Available offerings of a type that a NodePool admits: lists of one capacity type, or one capacity reservation, each. */
type Markets = readonly (readonly Offering[])[];

/** Parts of node options that many NodePools have in common: made once, and the same objects for all of them. */
export class OptionMakings {
  /** Nodes by reservation that its count does not know of. */
  readonly #uncounted: ReadonlyMap<string, number>;
  /** By what a pool says of zones and capacity types. */
  readonly #markets = new Map<string, Map<InstanceType, Markets>>();
  readonly #free = new Map<Resources, Map<InstanceType, Resources>>();

  readonly #slack: PackingSlack;

  constructor(uncounted: ReadonlyMap<string, number>, slack: PackingSlack) {
    this.#uncounted = uncounted;
    this.#slack = slack;
  }

  marketsOf(type: InstanceType, pool: Requirements): Markets {
    const [zones, capacityTypes] = [pool.get(label.zone), pool.get(label.capacityType)];
    const ofPools = getOrMake(this.#markets, textOf(zones) + textOf(capacityTypes), () => new Map());
    return getOrMake(ofPools, type, () => {
      const admitted = type.offerings.flatMap((offering) => {
        const isAdmitted =
          offering.available && admits(zones, offering.zone) && admits(capacityTypes, offering.capacityType);
        return isAdmitted ? (withRoomLeft(offering, this.#uncounted) ?? []) : [];
      });
      const ofMarkets = Map.groupBy(admitted, ({ capacityType, reservationId }) =>
        reservationId === undefined ? capacityType : capacityType + reservationId,
      );
      return [...ofMarkets.values()];
    });
  }

  /** Allocatable less the DaemonSets and the slack. */
  freeOf(type: InstanceType, { requests }: NodeDaemons): Resources {
    const ofDaemons = getOrMake(this.#free, requests, () => new Map());
    return getOrMake(ofDaemons, type, () => ({
      ...this.#slack.fillable(subtractResources(type.allocatable, requests)),
      ...attachmentResources(type.attachLimits),
    }));
  }
}

function textOf(requirement: Requirement | undefined): string {
  if (requirement === undefined) return "-";
  const { complement, values, min, max } = requirement;
  return JSON.stringify([complement, [...values].sort(), min, max]);
}

function admits(requirement: Requirement | undefined, value: string): boolean {
  return requirement === undefined || allows(requirement, value);
}

function attachmentResources(limits: InstanceType["attachLimits"]): Resources {
  return Object.fromEntries(Object.entries(limits).map(([driver, limit]) => [attachmentResource(driver), limit]));
}
