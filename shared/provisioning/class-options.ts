import { label, wellKnownLabels } from "../api/labels.ts";
import { parseHostPort } from "../scheduling/host-ports.ts";
import { firstConflict, firstIncompatibility, type Requirements } from "../scheduling/requirements.ts";
import { fits } from "../scheduling/resources.ts";
import { firstUntolerated, refusingEffects } from "../scheduling/taints.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { isExotic } from "./exotic-types.ts";
import { FitLevels } from "./fit-levels.ts";
import { lazily } from "./lazily.ts";
import { minValuesOf, type UnreachedMinValues, unreachedMinValues } from "./min-values.ts";
import type { NodeOption, PlanningPools, PoolOptions } from "./node-options.ts";
import { weightOf } from "./node-options.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";
import { hostPortRefusal, labelRefusal, taintRefusal, takenPort } from "./pool-refusals.ts";
import { requirementsKey } from "./requirements-key.ts";
import { isSoldInAllowedZone, whyNothingFits } from "./why-nothing-fits.ts";

/** The nodes that could hold one pod of a class. */
export interface ClassOptions {
  /** By NodePool weight, heaviest first: a heavier pool is used while it can be. Equal weights compete on price. */
  readonly tiers: readonly Tier[];
  /** Why each other pool cannot take it. */
  readonly rejections: () => readonly Refusal[];
}

interface Tier {
  readonly weight: number;
  readonly options: readonly NodeOption[];
}

/**
 * Matches classes, each with one of its node alternatives, against every NodePool. Classes that no pool tells apart share the lists of
 * options that are found for them, also those whose requests reach the same options.
 */
export class PoolMatcher {
  readonly #pools: PlanningPools;
  readonly #fitLevels: FitLevels;
  readonly #tiers = new Map<string, readonly Tier[]>();

  constructor(pools: PlanningPools) {
    this.#pools = pools;
    this.#fitLevels = new FitLevels(pools.pools.flatMap(({ options }) => options.map(({ free }) => free)));
  }

  match(constraints: PodConstraints, wanted: Requirements): ClassOptions {
    const key = this.#keyOf(constraints, wanted);
    const tiers = this.#tiers.get(key) ?? this.#tiersFor(constraints, wanted);
    this.#tiers.set(key, tiers);
    return { tiers, rejections: lazily(() => this.#rejections(constraints, wanted)) };
  }

  /** All that {@link matchPool} looks at. */
  #keyOf(constraints: PodConstraints, wanted: Requirements): string {
    const { tolerations, avoidsPreferNoSchedule, hostPorts, requests } = constraints;
    const others = JSON.stringify([tolerations, avoidsPreferNoSchedule, hostPorts]);
    return `${others} ${requirementsKey(wanted)} ${this.#fitLevels.keyOf(requests)}`;
  }

  #tiersFor(constraints: PodConstraints, wanted: Requirements): readonly Tier[] {
    const byWeight = new Map<number, (readonly NodeOption[])[]>();
    for (const pool of this.#pools.pools) {
      const match = matchPool(constraints, wanted, pool, this.#pools.minValuesPolicy);
      if (match.kind === "refused") continue;
      const weight = weightOf(pool.pool);
      const known = byWeight.get(weight);
      if (known === undefined) byWeight.set(weight, [match.options]);
      else known.push(match.options);
    }
    return [...byWeight].map(([weight, lists]) => ({ weight, options: joined(lists) }));
  }

  #rejections(constraints: PodConstraints, wanted: Requirements): readonly Refusal[] {
    const { pools, rejected, minValuesPolicy } = this.#pools;
    const refused = pools.flatMap((pool): readonly Refusal[] => {
      const match = matchPool(constraints, wanted, pool, minValuesPolicy);
      return match.kind === "refused" ? [{ nodePool: pool.pool.metadata.name, ...match.why() }] : [];
    });
    return [...rejected, ...refused];
  }
}

function joined(lists: readonly (readonly NodeOption[])[]): readonly NodeOption[] {
  const [first = [], ...others] = lists;
  return others.length === 0 ? first : lists.flat();
}

type PoolMatch =
  | { readonly kind: "matched"; readonly options: readonly NodeOption[] }
  | { readonly kind: "refused"; readonly why: () => RefusalDetail };

function matchPool(
  constraints: PodConstraints,
  wanted: Requirements,
  pool: PoolOptions,
  minValuesPolicy: PlanningPools["minValuesPolicy"],
): PoolMatch {
  const taint = firstUntolerated(pool.taints, constraints.tolerations, refusingEffects(constraints));
  if (taint !== undefined) return refusing(() => taintRefusal(taint, constraints));
  const conflict = firstIncompatibility(pool.requirements, wanted, wellKnownLabels);
  if (conflict !== undefined) return refusing(() => labelRefusal(conflict, constraints));
  const options = matchingOptions(wanted, pool);
  const wantedPorts = constraints.hostPorts.map(parseHostPort);
  const portRefusal = hostPortRefusal(wantedPorts, options);
  if (portRefusal !== undefined) return refusing(() => portRefusal);
  const portFree =
    wantedPorts.length === 0 ? options : options.filter((option) => takenPort(wantedPorts, option) === undefined);
  const fitting = withSlackIfPossible(
    portFree.filter((option) => fits(constraints.requests, option.free) && holdsItsDaemons(option)),
  );
  if (fitting.length === 0) return refusing(() => whyNothingFits(constraints, wanted, pool, portFree));
  const ordinary = fitting.filter((option) => !isExotic(option.instanceType));
  const wantedValues = minValuesOf(pool);
  if (ordinary.length > 0 && unreachedMinValues(wantedValues, ordinary, wanted) === undefined) {
    return { kind: "matched", options: ordinary };
  }
  const unreached = unreachedMinValues(wantedValues, fitting, wanted);
  if (unreached !== undefined && minValuesPolicy === "Strict") return refusing(() => minValuesRefusal(unreached));
  return { kind: "matched", options: unreached === undefined || ordinary.length === 0 ? fitting : ordinary };
}

/** Nodes in whole are for pods that have no other. */
function withSlackIfPossible(options: readonly NodeOption[]): readonly NodeOption[] {
  const slack = options.filter(({ isWhole }) => isWhole === undefined);
  return slack.length > 0 ? slack : options;
}

function refusing(why: () => RefusalDetail): PoolMatch {
  return { kind: "refused", why };
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
