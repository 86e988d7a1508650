import { label } from "../api/labels.ts";
import { allows, intersectAll, type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { NodeRule } from "./packing/problem.ts";

/** Keys that an option settles by itself: two pods that accept the option agree on them. */
const settledByOffering: ReadonlySet<string> = new Set([label.zone, label.capacityType, label.hostname]);

/** Where options leave a label open and pods ask for it, those on one node must agree on a value. */
export function openLabelRules(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  options: readonly NodeOption[],
  pools: readonly { readonly name: string }[],
): readonly NodeRule[] {
  const used = [...new Set(units.flatMap(({ parts }) => parts.map(({ demand }) => demand)))];
  const open = openKeys(
    used.flatMap((demand) => demands[demand] ?? []),
    options,
  );
  if (open.length === 0) return [];
  const wanted = new Map(used.flatMap((index) => requirementsAt(demands, index)));
  const optionOf = new Map(options.map((option) => [option.pool, option]));
  return open.map((key): NodeRule => {
    const ofPools = pools.map(({ name }) => optionOf.get(name)?.requirements.get(key));
    const ofDemands = new Map([...wanted].map(([demand, requirements]) => [demand, requirements.get(key)]));
    const candidates = candidateValues([...ofPools, ...ofDemands.values()].filter((found) => found !== undefined));
    const mask = (found: Requirement | undefined) => valueMask(found, candidates);
    return {
      kind: "label",
      valuesOfItem: units.map((unit) =>
        unit.parts.reduce((common, part) => common & mask(ofDemands.get(part.demand)), mask(undefined)),
      ),
      valuesOfPool: ofPools.map((found) => mask(found)),
    };
  });
}

/** The keys that some of these demands ask for and some option leaves open; sorted. */
function openKeys(demands: readonly NewDemand[], options: readonly NodeOption[]): readonly string[] {
  const keys = new Set<string>();
  for (const { requirements, domains } of demands) {
    for (const key of requirements.keys()) keys.add(key);
    for (const key of domains.keys()) keys.add(key);
  }
  return [...keys].filter((key) => !settledByOffering.has(key) && isOpenSomewhere(options, key)).sort();
}

function requirementsAt(demands: readonly NewDemand[], index: number): readonly (readonly [number, Requirements])[] {
  const demand = demands[index];
  return demand === undefined ? [] : [[index, demandRequirements(demand)]];
}

/** What a demand asks of its node, topology domains included. */
export function demandRequirements({ requirements, domains }: NewDemand): Requirements {
  const pinned = new Map([...domains].map(([key, domain]) => [key, requirement(key, "In", [domain])]));
  return intersectAll(requirements, pinned);
}

/** Where the instance type says nothing about a key, it is as the NodePool says: one option of each answers for all. */
function isOpenSomewhere(options: readonly NodeOption[], key: string): boolean {
  const asked = new Set<string>();
  return options.some((option) => {
    if (option.instanceType.requirements.has(key)) return isOpen(option, key);
    if (asked.has(option.pool)) return false;
    asked.add(option.pool);
    return isOpen(option, key);
  });
}

function isOpen(option: NodeOption, key: string): boolean {
  const found = option.requirements.get(key);
  return found === undefined || found.complement || found.values.size > 1;
}

/** Values that tell the requirements apart: those they list, the ends of their ranges, and one that nobody mentions. */
function candidateValues(requirements: readonly Requirement[]): readonly string[] {
  const mentioned = requirements.flatMap(({ values, min, max }) => [
    ...values,
    ...(min === undefined ? [] : [String(min)]),
    ...(max === undefined ? [] : [String(max)]),
  ]);
  return [...new Set([...mentioned, unmentioned])].sort();
}

const unmentioned = "\u0000";

/** Bit 0: the label is absent; then one bit for each candidate. */
function valueMask(found: Requirement | undefined, candidates: readonly string[]): bigint {
  const isAllowed = (value: string) => found === undefined || allows(found, value);
  const absent = found === undefined || found.mayBeAbsent ? 1n : 0n;
  return candidates.reduce((mask, value, index) => (isAllowed(value) ? mask | (2n << BigInt(index)) : mask), absent);
}

/**
 * The same requirements with each label that is not well known set to one value, so that the node can carry it: the first of those
 * listed, else the smallest number that suits. Labels that may be absent stay away.
 */
export function settleCustomLabels(requirements: Requirements, wellKnown: ReadonlySet<string>): Requirements {
  return new Map(
    [...requirements].map(([key, found]) => {
      if (wellKnown.has(key) || key === label.hostname) return [key, found];
      const value = found.complement
        ? found.mayBeAbsent
          ? undefined
          : smallestNumber(found)
        : [...found.values].sort()[0];
      return [key, value === undefined ? found : requirement(key, "In", [value])];
    }),
  );
}

function smallestNumber(found: Requirement): string {
  let value = found.min ?? 0;
  while (!allows(found, String(value))) value++;
  return String(value);
}
