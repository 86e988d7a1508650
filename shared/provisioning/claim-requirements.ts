import { label, wellKnownLabels } from "../api/labels.ts";
import { intersectAll, type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { NewDemand, UnitPart } from "./new-demand.ts";
import type { PoolOptions } from "./node-options.ts";
import { demandRequirements, settleCustomLabels } from "./open-labels.ts";
import type { Offerings, RankedHolders } from "./ranked-holders.ts";
import { requirementsKey } from "./requirements-key.ts";
import { onReservation } from "./reserved-places.ts";

/** What is asked of nodes to be launched. Those of which the same is asked share one object. */
export class ClaimRequirements {
  readonly #demands: readonly NewDemand[];
  /** By demand, the number of what it asks. */
  readonly #wanted = new Map<number, number>();
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<RankedHolders, Map<string, Requirements>>();

  constructor(demands: readonly NewDemand[]) {
    this.#demands = demands;
  }

  /** Of the pool, the pods and their topology domains, narrowed to the offerings. */
  of(pool: PoolOptions, parts: readonly UnitPart[], holders: RankedHolders): Requirements {
    const wanted = new Map(parts.map((part) => [this.#numberOf(part.demand), part.demand]));
    const key = [...wanted.keys()].sort((a, b) => a - b).join();
    const ofHolders = this.#known.get(holders) ?? new Map<string, Requirements>();
    this.#known.set(holders, ofHolders);
    const known = ofHolders.get(key) ?? this.#make(pool, [...wanted.values()], holders);
    ofHolders.set(key, known);
    return known;
  }

  #make(pool: PoolOptions, demands: readonly number[], { offerings, reached }: RankedHolders): Requirements {
    const wanted = demands.flatMap((index) => this.#demands[index] ?? []).map(demandRequirements);
    const settled = settleCustomLabels(intersectAll(pool.requirements, ...wanted), wellKnownLabels);
    return withReachedMinValues(withOfferings(settled, offerings), reached);
  }

  #numberOf(index: number): number {
    const known = this.#wanted.get(index);
    if (known !== undefined) return known;
    const demand = this.#demands[index];
    const key = demand === undefined ? "" : `${requirementsKey(demand.requirements)} ${[...demand.domains].join()}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    this.#wanted.set(index, number);
    return number;
  }
}

/**
 * Narrows to the offerings' own types, zones and capacity types: what a launcher without our annotations would choose from. A claim
 * that is planned on a reservation says so; its other offerings are for when EC2 has no place in it after all.
 */
function withOfferings(requirements: Requirements, offerings: Offerings): Requirements {
  const oneOf = (key: string, values: readonly string[]) => requirement(key, "In", [...new Set(values)].sort());
  const offered = [
    oneOf(
      label.instanceType,
      offerings.map(({ instanceType }) => instanceType),
    ),
    oneOf(
      label.zone,
      offerings.map(({ zone }) => zone),
    ),
    oneOf(
      label.capacityType,
      offerings.map(({ capacityType }) => capacityType),
    ),
  ];
  const narrowed = intersectAll(requirements, new Map(offered.map((entry) => [entry.key, entry])));
  return onReservation(narrowed, offerings[0]);
}

/** The API server refuses a list shorter than its own minValues. */
function withReachedMinValues(requirements: Requirements, reached: ReadonlyMap<string, number>): Requirements {
  const lowered = ([key, entry]: readonly [string, Requirement]): readonly [string, Requirement] => {
    const { minValues } = entry;
    if (minValues === undefined) return [key, entry];
    return [key, { ...entry, minValues: Math.max(1, Math.min(minValues, reached.get(key) ?? minValues)) }];
  };
  return new Map([...requirements].map(lowered));
}
