import { label, wellKnownLabels } from "../api/labels.ts";
import { parseHostPort } from "../scheduling/host-ports.ts";
import { firstConflict, firstIncompatibility, type Requirements } from "../scheduling/requirements.ts";
import { fits } from "../scheduling/resources.ts";
import { firstUntolerated, refusingEffects } from "../scheduling/taints.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { isExotic } from "./exotic-types.ts";
import { minValuesOf, type UnreachedMinValues, unreachedMinValues } from "./min-values.ts";
import type { NodeOption, PlanningPools, PoolOptions } from "./node-options.ts";
import { weightOf } from "./node-options.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";
import { hostPortRefusal, labelRefusal, taintRefusal, takenPort } from "./pool-refusals.ts";
import { isSoldInAllowedZone, whyNothingFits } from "./why-nothing-fits.ts";

/** The nodes that could hold one pod of a class. */
export interface ClassOptions {
  /** By NodePool weight, heaviest first: a heavier pool is used while it can be. Equal weights compete on price. */
  readonly tiers: readonly Tier[];
  /** Why each other pool cannot take it. */
  readonly rejections: readonly Refusal[];
}

interface Tier {
  readonly weight: number;
  readonly options: readonly NodeOption[];
}

/** Matches a class, with one of its node alternatives, against every NodePool. */
export function classOptions(
  constraints: PodConstraints,
  wanted: Requirements,
  { pools, rejected, minValuesPolicy }: PlanningPools,
): ClassOptions {
  const rejections = [...rejected];
  const byWeight = new Map<number, NodeOption[]>();
  for (const pool of pools) {
    const match = matchPool(constraints, wanted, pool, minValuesPolicy);
    if ("reason" in match) {
      rejections.push({ nodePool: pool.pool.metadata.name, ...match });
    } else {
      const weight = weightOf(pool.pool);
      byWeight.set(weight, [...(byWeight.get(weight) ?? []), ...match.options]);
    }
  }
  return { tiers: [...byWeight].map(([weight, options]) => ({ weight, options })), rejections };
}

function matchPool(
  constraints: PodConstraints,
  wanted: Requirements,
  pool: PoolOptions,
  minValuesPolicy: PlanningPools["minValuesPolicy"],
): { readonly options: readonly NodeOption[] } | RefusalDetail {
  const taint = firstUntolerated(pool.taints, constraints.tolerations, refusingEffects(constraints));
  if (taint !== undefined) return taintRefusal(taint, constraints);
  const conflict = firstIncompatibility(pool.requirements, wanted, wellKnownLabels);
  if (conflict !== undefined) return labelRefusal(conflict, constraints);
  const options = matchingOptions(wanted, pool);
  const wantedPorts = constraints.hostPorts.map(parseHostPort);
  const portRefusal = hostPortRefusal(wantedPorts, options);
  if (portRefusal !== undefined) return portRefusal;
  const portFree =
    wantedPorts.length === 0 ? options : options.filter((option) => takenPort(wantedPorts, option) === undefined);
  const fitting = portFree.filter((option) => fits(constraints.requests, option.free) && holdsItsDaemons(option));
  if (fitting.length === 0) return whyNothingFits(constraints, wanted, pool, portFree);
  const ordinary = fitting.filter((option) => !isExotic(option.instanceType));
  const wantedValues = minValuesOf(pool);
  if (ordinary.length > 0 && unreachedMinValues(wantedValues, ordinary, wanted) === undefined) {
    return { options: ordinary };
  }
  const unreached = unreachedMinValues(wantedValues, fitting, wanted);
  if (unreached !== undefined && minValuesPolicy === "Strict") return minValuesRefusal(unreached);
  return { options: unreached === undefined || ordinary.length === 0 ? fitting : ordinary };
}

function minValuesRefusal({ key, least, reached }: UnreachedMinValues): RefusalDetail {
  return {
    reason: `the NodePool's minValues for ${key} cannot be met: the instance types that would do have ${reached} of ${least} values`,
    key: `minValues of ${key}`,
    found: `${reached} values`,
    accepted: `${least} values or more`,
  };
}

/**
 * Options whose labels suit a class that goes with the pool's own requirements. Of those only the keys that instance types define may
 * still conflict: the others are the same on every option.
 */
function matchingOptions(wanted: Requirements, { options }: PoolOptions): readonly NodeOption[] {
  const isOfTypes = (key: string) =>
    key === label.capacityType ||
    key === label.zone ||
    options.some(({ instanceType }) => instanceType.requirements.has(key));
  const open = new Map([...wanted].filter(([key]) => isOfTypes(key)));
  if (open.size === 0) return options;
  return options.filter(
    (option) => firstConflict(option.requirements, open) === undefined && isSoldInAllowedZone(option, open),
  );
}

/** A node too small for its DaemonSets is not made for pods that ask for none of what is short. */
function holdsItsDaemons({ free }: NodeOption): boolean {
  for (const name in free) if ((free[name] ?? 0) < 0) return false;
  return true;
}
