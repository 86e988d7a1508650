import { canonicalLabel, label, wellKnownLabels } from "../../api/labels.ts";
import { firstConflict, firstIncompatibility } from "../../scheduling/requirements.ts";
import type { PodRecord } from "../../state/pod-record.ts";
import type { Snapshot } from "../../state/snapshot.ts";
import type { NodeOption, PoolOptions } from "../node-options.ts";
import type { PlannedNodeClaim, Refusal, UnschedulablePod } from "../plan.ts";

/** A pod that has no place, with what is known of why: what edits are made from. */
export interface Question {
  readonly snapshot: Snapshot;
  readonly pod: PodRecord;
  readonly refusals: readonly Refusal[];
  /** The NodePools that take part in planning. */
  readonly pools: readonly PoolOptions[];
  /** Nodes that are planned for others. */
  readonly planned: readonly PlannedNodeClaim[];
  /** Pods without a place, this one among them. */
  readonly unschedulable: readonly UnschedulablePod[];
}

/** The keys of all refusals, each once. */
export function refusedKeys({ refusals }: Question): readonly string[] {
  return [...new Set(refusals.flatMap(({ key }) => key ?? []))];
}

/** Options of a NodePool whose labels suit the pod; its taints and sizes are not looked at. */
export function suitableOptions({ pod }: Question, pool: PoolOptions): readonly NodeOption[] {
  const alternatives = pod.constraints.nodeAlternatives.filter(
    (wanted) => firstIncompatibility(pool.requirements, wanted, wellKnownLabels) === undefined,
  );
  return pool.options.filter((option) =>
    alternatives.some((wanted) => firstConflict(option.requirements, wanted) === undefined),
  );
}

/** Values of a label that nodes of these NodePools would have, those of the cheapest nodes first. */
export function launchableValues(pools: readonly PoolOptions[], key: string): readonly string[] {
  const lowest = new Map<string, number>();
  for (const pool of pools) {
    for (const option of pool.options) {
      for (const { value, priceUsdPerHour } of valuesOf(option, pool, canonicalLabel(key))) {
        lowest.set(value, Math.min(lowest.get(value) ?? Number.POSITIVE_INFINITY, priceUsdPerHour));
      }
    }
  }
  return [...lowest].sort(([a, priceA], [b, priceB]) => priceA - priceB || (a < b ? -1 : 1)).map(([value]) => value);
}

function valuesOf(option: NodeOption, pool: PoolOptions, key: string) {
  if (key === label.zone) {
    return option.offerings.map(({ zone, priceUsdPerHour }) => ({ value: zone, priceUsdPerHour }));
  }
  const isOfPool = key !== label.capacityType && !option.instanceType.requirements.has(key);
  const found = (isOfPool ? pool : option).requirements.get(key);
  const priceUsdPerHour = Math.min(...option.offerings.map((offering) => offering.priceUsdPerHour));
  return found === undefined || found.complement ? [] : [...found.values].map((value) => ({ value, priceUsdPerHour }));
}
