import { label } from "../api/labels.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import { allows, type Requirement, type Requirements } from "../scheduling/requirements.ts";
import { type Resources, subtractResources } from "../scheduling/resources.ts";
import type { NodeDaemons } from "./daemon-overhead.ts";
import { getOrMake } from "./get-or-make.ts";
import { fillable } from "./packing-slack.ts";
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
  readonly #whole = new Map<Resources, Map<InstanceType, Resources>>();
  readonly #slackPercent: number;

  constructor(uncounted: ReadonlyMap<string, number>, slackPercent: number) {
    this.#uncounted = uncounted;
    this.#slackPercent = slackPercent;
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

  /** Allocatable less the DaemonSets, and less the slack where there is one: first what may be filled, then the whole. */
  roomsOf(type: InstanceType, daemons: NodeDaemons): readonly [fillable: Resources, whole?: Resources] {
    const whole = this.#roomOf(this.#whole, type, daemons, 0);
    return this.#slackPercent === 0 ? [whole] : [this.#roomOf(this.#free, type, daemons, this.#slackPercent), whole];
  }

  #roomOf(
    known: Map<Resources, Map<InstanceType, Resources>>,
    type: InstanceType,
    { requests }: NodeDaemons,
    slackPercent: number,
  ): Resources {
    const ofDaemons = getOrMake(known, requests, () => new Map());
    return getOrMake(ofDaemons, type, () => ({
      ...fillable(subtractResources(type.allocatable, requests), slackPercent),
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
