import type { Resources } from "../scheduling/resources.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { NodeSharing } from "./node-sharing.ts";
import { priorityOf } from "./pod-class.ts";
import { requirementsKey } from "./requirements-key.ts";
import { claimsOf } from "./shared-attachments.ts";

/** Units that are equal to the packer; never empty. */
export type Lot = readonly [Unit, ...Unit[]];

/** What else tells demands apart, as text. */
export type DemandRole = (demand: NewDemand) => string;

/**
 * Units that packing cannot tell apart, together, in order: of the same requests, options and domains, and in the same role in every
 * rule about nodes. Many classes become few items so, and the packer looks at each of them once.
 */
export function equalUnits(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  sharing: NodeSharing,
  roleOf: DemandRole = () => "",
): readonly Lot[] {
  const keys = new DemandKeys(sharing);
  const keyOfDemand = demands.map((demand, index) => `${keys.keyOf(demand, index)}|${roleOf(demand)}`);
  const lots = new Map<string, [Unit, ...Unit[]]>();
  for (const unit of units) {
    const key = unit.parts.map(({ demand, pods }) => `${pods} ${keyOfDemand[demand]}`).join("; ");
    const known = lots.get(key);
    if (known === undefined) lots.set(key, [unit]);
    else known.push(unit);
  }
  return [...lots.values()].map((lot) => highestPriorityFirst(demands, lot));
}

/** Of equal units the last go without a place where there is none for all. */
function highestPriorityFirst(demands: readonly NewDemand[], lot: Lot): Lot {
  const priorities = new Map(lot.map((unit) => [unit, priorityOfUnit(demands, unit)]));
  if (new Set(priorities.values()).size < 2) return lot;
  const [first, ...others] = lot.toSorted((a, b) => (priorities.get(b) ?? 0) - (priorities.get(a) ?? 0));
  return first === undefined ? lot : [first, ...others];
}

function priorityOfUnit(demands: readonly NewDemand[], { parts }: Unit): number {
  return Math.max(...parts.flatMap(({ demand }) => demands[demand]?.podClass ?? []).map(priorityOf));
}

/** What packing sees of a demand, as text. */
class DemandKeys {
  readonly #sharing: NodeSharing;
  readonly #numbers = new Map<readonly NodeOption[], number>();

  constructor(sharing: NodeSharing) {
    this.#sharing = sharing;
  }

  keyOf(demand: NewDemand, index: number): string {
    const { constraints, options, requirements, domains, podClass } = demand;
    const claims = podClass.sharedAttachments.length === 0 ? "" : claimsOf(demand).toSorted().join();
    return [
      this.#numberOf(options),
      requestsKey(constraints.requests),
      requirementsKey(requirements),
      [...domains].join(),
      this.#sharing.keyOf(index),
      claims,
    ].join("|");
  }

  #numberOf(object: readonly NodeOption[]): number {
    const number = this.#numbers.get(object) ?? this.#numbers.size;
    this.#numbers.set(object, number);
    return number;
  }
}

function requestsKey(requests: Resources): string {
  return Object.keys(requests)
    .sort()
    .map((resource) => `${resource}=${requests[resource]}`)
    .join();
}
