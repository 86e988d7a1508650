import type { EC2NodeClass } from "../../api/ec2-node-class.ts";
import { label, wellKnownLabels } from "../../api/labels.ts";
import type { InstanceType, Offering } from "../../cloud/instance-type.ts";
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
  const nearest = new Map<string, MissedType>();
  for (const offer of offersFor(question, pool.nodeClass)) {
    for (const missed of missedBy(pool, offer)) {
      const known = nearest.get(missed.key);
      if (known === undefined || compareMissed(missed, known) < 0) nearest.set(missed.key, missed);
    }
  }
  const inOrder = [...nearest.values()].sort((a, b) => compareMissed(a, b) || (a.key < b.key ? -1 : 1));
  return inOrder.slice(0, keysTried).map(({ key, value }) => ({ key, value }));
}

interface MissedType extends MissedValue {
  readonly isExotic: boolean;
  readonly priceUsdPerHour: number;
}

function compareMissed(a: MissedType, b: MissedType): number {
  return Number(a.isExotic) - Number(b.isExotic) || a.priceUsdPerHour - b.priceUsdPerHour;
}

/** Offerings of a type that suit the pod, by one of its alternatives. */
interface TypeOffers {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

/** What a class has for the pod, whatever the NodePool: the same for all pools of the class, and most of the work. */
function offersFor(question: Question, nodeClass: EC2NodeClass): readonly TypeOffers[] {
  const ofQuestion = knownOffers.get(question) ?? new Map<EC2NodeClass, readonly TypeOffers[]>();
  knownOffers.set(question, ofQuestion);
  const known = ofQuestion.get(nodeClass);
  if (known !== undefined) return known;
  const { snapshot, pod } = question;
  const { vmMemoryOverheadPercent, reservedEnis } = snapshot.settings;
  const types = instanceTypesFor(snapshot.catalog, nodeClass, {
    vmMemoryOverheadPercent,
    reservedEnis,
    unavailable: snapshot.unavailableOfferings,
    now: snapshot.now,
  });
  const offers = types
    .filter(({ allocatable }) => fits(pod.constraints.requests, allocatable))
    .flatMap((type) => offersOf(question, type));
  ofQuestion.set(nodeClass, offers);
  return offers;
}

const knownOffers = new WeakMap<Question, Map<EC2NodeClass, readonly TypeOffers[]>>();

function offersOf({ pod }: Question, type: InstanceType): readonly TypeOffers[] {
  return pod.constraints.nodeAlternatives.flatMap((wanted) => {
    if (!suits(type.requirements, wanted)) return [];
    const offerings = type.offerings.filter(({ available, zone }) => available && isAllowed(wanted, label.zone, zone));
    return [{ type, offerings }];
  });
}

function missedBy(pool: PoolOptions, { type, offerings }: TypeOffers): readonly MissedType[] {
  const ofType = conflictsOf(pool.requirements, type.requirements);
  if (ofType.length > 1) return [];
  return offerings.flatMap(({ zone, capacityType, priceUsdPerHour }) => {
    const [missed, another] = [
      ...ofType,
      ...(isAllowed(pool.requirements, label.zone, zone) ? [] : [{ key: label.zone, value: zone }]),
      ...(isAllowed(pool.requirements, label.capacityType, capacityType)
        ? []
        : [{ key: label.capacityType, value: capacityType }]),
    ];
    const isOnly = missed !== undefined && another === undefined;
    return isOnly ? [{ ...missed, isExotic: isExotic(type), priceUsdPerHour }] : [];
  });
}

function suits(type: Requirements, wanted: Requirements): boolean {
  const known = new Map([...wanted].filter(([key]) => wellKnownLabels.has(key) && key !== label.nodePool));
  return firstConflict(type, known) === undefined && firstIncompatibility(type, known, wellKnownLabels) === undefined;
}

/** The requirements of the NodePool that a type breaks, with the value it has instead; those that offerings settle are left out. */
function conflictsOf(pool: Requirements, type: Requirements): readonly MissedValue[] {
  if (firstConflict(pool, type) === undefined) return [];
  return [...pool.values()].flatMap((own) => {
    const { key } = own;
    if (key === label.zone || key === label.capacityType) return [];
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
