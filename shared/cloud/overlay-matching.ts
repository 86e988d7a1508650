import { label } from "../api/labels.ts";
import {
  allows,
  firstIncompatibility,
  intersect,
  overlaps,
  type Requirement,
  type Requirements,
  requirementsOfLabels,
} from "../scheduling/requirements.ts";
import type { InstanceType } from "./instance-type.ts";

/** A NodePool with the instance types that its class gives it. */
export interface OverlayPool {
  readonly name: string;
  /** Of the pool's template. */
  readonly labels: Readonly<Record<string, string>>;
  readonly types: readonly InstanceType[];
  /** Zone id by zone, as far as is known. */
  readonly zoneIds: ReadonlyMap<string, string>;
}

/** NodePools that no overlay can tell apart. */
export interface AlikePools {
  readonly names: readonly [string, ...string[]];
  /** Of the pools, as far as overlays ask for them. */
  readonly labels: Requirements;
  readonly types: readonly InstanceType[];
  readonly zoneIds: OverlayPool["zoneIds"];
}

/** A type that meets an overlay's requirements, with the indexes of those of its offerings that do. */
export interface TouchedType {
  readonly type: InstanceType;
  readonly offerings: readonly number[];
}

/** Most overlays name no NodePool and no label of one, so that all pools of a class are looked at once. */
export function alikePools(pools: readonly OverlayPool[], overlays: readonly Requirements[]): readonly AlikePools[] {
  const keys = new Set(overlays.flatMap((wanted) => [...wanted.keys()]));
  const groups: (AlikePools & { readonly names: [string, ...string[]] })[] = [];
  for (const { name, labels: own, types, zoneIds } of pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const all = requirementsOfLabels({ ...own, [label.nodePool]: name });
    const labels = new Map([...all].filter(([key]) => keys.has(key)));
    const known = groups.find((group) => group.types === types && hasSameValues(group.labels, labels));
    if (known === undefined) groups.push({ names: [name], labels, types, zoneIds });
    else known.names.push(name);
  }
  return groups;
}

function hasSameValues(a: Requirements, b: Requirements): boolean {
  return (
    a.size === b.size && [...a].every(([key, { values }]) => b.get(key)?.values.symmetricDifference(values).size === 0)
  );
}

/** The types of some pools that, with the pools' labels, meet the requirements; none of these may be left open (karpenter-core §1.3). */
export function touchedTypes({ labels, types, zoneIds }: AlikePools, wanted: Requirements): readonly TouchedType[] {
  const ofLabels = new Map([...wanted].filter(([key]) => labels.has(key)));
  const ofTypes = new Map([...wanted].filter(([key]) => !labels.has(key)));
  if (firstIncompatibility(labels, ofLabels, nothingUndefined) !== undefined) return [];
  const indexesOf = offeringFinder(wanted, zoneIds);
  const touched: TouchedType[] = [];
  for (const type of types) {
    if (firstIncompatibility(type.requirements, ofTypes, nothingUndefined) !== undefined) continue;
    if (ofLabels.size > 0 && !meetsWithLabels(type.requirements, labels, ofLabels)) continue;
    const offerings = indexesOf(type);
    if (offerings.length > 0) touched.push({ type, offerings });
  }
  return touched;
}

const nothingUndefined: ReadonlySet<string> = new Set();

/** Keys that the type speaks of as well as the labels: only what both allow counts. The type itself stays as it is. */
function meetsWithLabels(ofType: Requirements, labels: Requirements, wanted: Requirements): boolean {
  return [...wanted].every(([key, asked]) => {
    const [own, given] = [ofType.get(key), labels.get(key)];
    return own === undefined || given === undefined || overlaps(intersect(own, given), asked);
  });
}

/** Indexes of a type's offerings that an overlay is for; one list for all types of which it is for every one. */
function offeringFinder(
  wanted: Requirements,
  zoneIds: OverlayPool["zoneIds"],
): (type: InstanceType) => readonly number[] {
  const [zone, capacityType, zoneId] = [label.zone, label.capacityType, label.zoneId].map((key) => wanted.get(key));
  const isForAll = zone === undefined && capacityType === undefined && zoneId === undefined;
  const all = new Map<number, readonly number[]>();
  return ({ offerings }) => {
    if (isForAll) {
      const known = all.get(offerings.length) ?? [...offerings.keys()];
      all.set(offerings.length, known);
      return known;
    }
    return [...offerings.keys()].filter((index) => {
      const offering = offerings[index];
      return (
        offering !== undefined &&
        admits(zone, offering.zone) &&
        admits(capacityType, offering.capacityType) &&
        admits(zoneId, zoneIds.get(offering.zone))
      );
    });
  };
}

function admits(wanted: Requirement | undefined, value: string | undefined): boolean {
  if (wanted === undefined) return true;
  return value === undefined ? wanted.mayBeAbsent : allows(wanted, value);
}
