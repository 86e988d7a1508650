import { label } from "../api/labels.ts";
import { allows, type Requirements } from "../scheduling/requirements.ts";
import { allowsZone } from "./demand-zones.ts";
import { lazily } from "./lazily.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { type Acceptance, acceptanceOf, acceptedByPool, largestFirst, optionHolder } from "./option-holders.ts";
import type { NodeRule } from "./packing/problem.ts";

/** How many distinct values of a label a NodePool wants among the instance types that a node may become (karpenter-core §2.9). */
export interface MinValues {
  readonly key: string;
  readonly least: number;
}

export interface UnreachedMinValues extends MinValues {
  readonly reached: number;
}

export function minValuesOf({ requirements }: Pick<PoolOptions, "requirements">): readonly MinValues[] {
  return [...requirements.values()]
    .flatMap(({ key, minValues }) => (minValues === undefined ? [] : [{ key, least: minValues }]))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The first of a pool's `minValues` that these options do not reach, and how far they get. */
export function unreachedMinValues(
  wanted: readonly MinValues[],
  options: readonly NodeOption[],
  requirements: Requirements,
): UnreachedMinValues | undefined {
  return wanted
    .map((entry) => ({ ...entry, reached: distinctValues(entry.key, options, requirements).size }))
    .find(({ least, reached }) => reached < least);
}

function distinctValues(key: string, options: readonly NodeOption[], requirements: Requirements): ReadonlySet<string> {
  const wanted = requirements.get(key);
  const values = options.flatMap((option) => valuesOf(option, key));
  return new Set(wanted === undefined ? values : values.filter((value) => allows(wanted, value)));
}

/** What an option may turn out to have: its zones are those it is sold in. */
function valuesOf(option: NodeOption, key: string): readonly string[] {
  if (key === label.zone) return option.offerings.map(({ zone }) => zone);
  const found = option.requirements.get(key);
  return found === undefined || found.complement ? [] : [...found.values];
}

/** Counts the distinct values that the offerings of one claim have for its NodePool's `minValues`. */
export class ValueTally {
  readonly #wanted: readonly { readonly key: string; readonly least: number; readonly found: Set<string> }[];

  constructor(pool: PoolOptions) {
    this.#wanted = minValuesOf(pool).map((entry) => ({ ...entry, found: new Set() }));
  }

  /** Whether an offering has a value that is still wanted. */
  isWanted(option: NodeOption, zone: string): boolean {
    return this.#wanted.some(
      ({ key, least, found }) => found.size < least && offered(option, zone, key).some((value) => !found.has(value)),
    );
  }

  add(option: NodeOption, zone: string): void {
    for (const { key, found } of this.#wanted) for (const value of offered(option, zone, key)) found.add(value);
  }

  isComplete(): boolean {
    return this.#wanted.every(({ least, found }) => found.size >= least);
  }

  /** Distinct values by key. */
  reached(): ReadonlyMap<string, number> {
    return new Map(this.#wanted.map(({ key, found }) => [key, found.size]));
  }
}

function offered(option: NodeOption, zone: string, key: string): readonly string[] {
  return key === label.zone ? [zone] : valuesOf(option, key);
}

/** What tells the packer to keep enough instance types open for each node. */
export interface MinValuesProblem {
  readonly demands: readonly NewDemand[];
  readonly units: readonly Unit[];
  readonly optionsByUnit: readonly (readonly NodeOption[])[];
  readonly pools: readonly PoolOptions[];
  readonly dimensions: readonly string[];
  readonly zones: readonly string[];
  /** `minValuesPolicy` BestEffort: a unit that cannot reach a number asks for what it can reach. */
  readonly bestEffort: boolean;
}

/** One rule for each NodePool and key with `minValues`. `pools` of the problem are in the same order. */
export function minValuesRules(problem: MinValuesProblem): readonly NodeRule[] {
  const wanted = problem.pools.map(minValuesOf);
  if (wanted.every(({ length }) => length === 0)) return [];
  const acceptance = acceptanceOf(problem.optionsByUnit);
  const byPool = acceptedByPool(acceptance);
  return problem.pools.flatMap(({ pool }, index) => {
    const own = largestFirst(byPool.get(pool.metadata.name) ?? []);
    return (wanted[index] ?? []).map((one) => minValuesRule(problem, acceptance, own, index, one));
  });
}

function minValuesRule(
  problem: MinValuesProblem,
  acceptance: Acceptance,
  own: readonly NodeOption[],
  pool: number,
  { key, least }: MinValues,
): NodeRule {
  const { dimensions, zones, units, bestEffort } = problem;
  const valueIds = new Map([...new Set(own.flatMap((option) => valuesOf(option, key)))].sort().map((v, i) => [v, i]));
  const isZone = key === label.zone;
  const holders = own.map((option) => ({
    ...optionHolder(option, acceptance, dimensions, zones),
    values: isZone ? [] : valuesOf(option, key).flatMap((value) => valueIds.get(value) ?? []),
  }));
  const reached = lazily(() => reachedAlone(problem, acceptance, own, key));
  const leastOfItem = Float64Array.from(units, (_, item) =>
    bestEffort ? Math.min(least, reached()[item] ?? 0) : least,
  );
  const { listOfItem } = acceptance;
  return { kind: "min-values", pool, leastOfItem, listOfItem, holders, counts: isZone ? "zones" : "values" };
}

/** By item, how many values or zones one of its units reaches alone. */
function reachedAlone(
  { demands, units, zones }: MinValuesProblem,
  { listOfItem, lists }: Acceptance,
  own: readonly NodeOption[],
  key: string,
): readonly number[] {
  const values = lists.map((list) => {
    const accepted = own.filter((option) => list.has(option));
    return new Set(accepted.flatMap((option) => valuesOf(option, key)));
  });
  return units.map(({ parts }, item) => {
    const found = values[listOfItem[item] ?? -1] ?? new Set();
    if (key !== label.zone) return found.size;
    const isAllowed = (zone: string) => parts.every(({ demand }) => allowsZone(demands[demand], zone));
    return zones.filter((zone) => found.has(zone) && isAllowed(zone)).length;
  });
}
