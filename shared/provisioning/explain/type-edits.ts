import { label, wellKnownLabels } from "../../api/labels.ts";
import type { InstanceType } from "../../cloud/instance-type.ts";
import { instanceTypesFor } from "../../cloud/instance-types.ts";
import { allows, firstConflict, firstIncompatibility, type Requirements } from "../../scheduling/requirements.ts";
import { fits } from "../../scheduling/resources.ts";
import { isExotic } from "../exotic-types.ts";
import type { PoolOptions } from "../node-options.ts";
import type { Question } from "./question.ts";

/** A label value that a NodePool would have to let in. */
interface MissedValue {
  readonly key: string;
  readonly value: string;
}

const keysTried = 3;

/**
 * Instance types that would hold the pod but for one requirement of the NodePool: for each such requirement, the value of the cheapest
 * type, the nearest first.
 */
export function missedTypes(question: Question, pool: PoolOptions): readonly MissedValue[] {
  const { snapshot, pod } = question;
  const { vmMemoryOverheadPercent, reservedEnis } = snapshot.settings;
  const types = instanceTypesFor(snapshot.catalog, pool.nodeClass, {
    vmMemoryOverheadPercent,
    reservedEnis,
    unavailable: snapshot.unavailableOfferings,
    now: snapshot.now,
  });
  const holding = types
    .filter(({ allocatable }) => fits(pod.constraints.requests, allocatable))
    .flatMap((type) => missedBy(question, pool, type))
    .sort((a, b) => Number(a.isExotic) - Number(b.isExotic) || a.priceUsdPerHour - b.priceUsdPerHour);
  const byKey = new Map<string, MissedValue>();
  for (const { key, value } of holding) if (!byKey.has(key)) byKey.set(key, { key, value });
  return [...byKey.values()].slice(0, keysTried);
}

interface MissedType extends MissedValue {
  readonly isExotic: boolean;
  readonly priceUsdPerHour: number;
}

function missedBy({ pod }: Question, pool: PoolOptions, type: InstanceType): readonly MissedType[] {
  return pod.constraints.nodeAlternatives.flatMap((wanted) => {
    if (!suits(type.requirements, wanted)) return [];
    return type.offerings
      .filter(({ available, zone }) => available && isAllowed(wanted, label.zone, zone))
      .flatMap(({ zone, capacityType, priceUsdPerHour }) => {
        const settled = new Map([
          [label.zone, zone],
          [label.capacityType, capacityType],
        ]);
        const [missed, another] = conflictsOf(pool.requirements, type.requirements, settled);
        const isOnly = missed !== undefined && another === undefined;
        return isOnly ? [{ ...missed, isExotic: isExotic(type), priceUsdPerHour }] : [];
      });
  });
}

function suits(type: Requirements, wanted: Requirements): boolean {
  const known = new Map([...wanted].filter(([key]) => wellKnownLabels.has(key) && key !== label.nodePool));
  return firstConflict(type, known) === undefined && firstIncompatibility(type, known, wellKnownLabels) === undefined;
}

/** The requirements of the NodePool that an offering of the type breaks, with the value it has instead. */
function conflictsOf(
  pool: Requirements,
  type: Requirements,
  settled: ReadonlyMap<string, string>,
): readonly MissedValue[] {
  return [...pool.values()].flatMap((own) => {
    const { key } = own;
    const value = settled.get(key);
    if (value !== undefined) return allows(own, value) ? [] : [{ key, value }];
    const found = type.get(key);
    if (found === undefined || firstConflict(new Map([[key, own]]), new Map([[key, found]])) === undefined) return [];
    const [first] = found.values;
    return [{ key, value: first ?? "" }];
  });
}

function isAllowed(wanted: Requirements, key: string, value: string): boolean {
  const own = wanted.get(key);
  return own === undefined || allows(own, value);
}
