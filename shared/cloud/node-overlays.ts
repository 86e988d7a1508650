import type { NodeOverlay } from "../api/node-overlay.ts";
import { nodeOverlayProblems } from "../api/node-overlay-validation.ts";
import { type Requirements, requirementsOf } from "../scheduling/requirements.ts";
import { parseResources } from "../scheduling/resources.ts";
import { type InstanceType, offeringKey } from "./instance-type.ts";
import { overlaidType, type Spoken, type Statement, TypeChanges } from "./overlay-changes.ts";
import { type AlikePools, alikePools, type OverlayPool, type TouchedType, touchedTypes } from "./overlay-matching.ts";

/** Whether an overlay takes effect. */
export interface OverlayVerdict {
  readonly overlay: NodeOverlay;
  /** Absent: it does. */
  readonly fault?: { readonly reason: "RuntimeValidation" | "Conflict"; readonly message: string };
}

export interface OverlaidPools {
  /** By NodePool; types that no overlay touches are the same objects. */
  readonly types: ReadonlyMap<string, readonly InstanceType[]>;
  /** In the order of evaluation. */
  readonly verdicts: readonly OverlayVerdict[];
}

/**
 * What NodeOverlays make of the instance types of all NodePools (karpenter-core §1.3). The heaviest comes first, of equal weights the
 * last name. The first that speaks of an offering's price or of a resource has its way. One that speaks of what another of equal
 * weight speaks of is rejected as a whole, in every NodePool.
 */
export function overlaidPools(overlays: readonly NodeOverlay[], pools: readonly OverlayPool[]): OverlaidPools {
  const ordered = overlays.toSorted(compareOverlays).map((overlay): Candidate => {
    const problems = nodeOverlayProblems(overlay);
    return { overlay, problems, wanted: requirementsOf(overlay.spec.requirements) };
  });
  const groups = alikePools(
    pools,
    ordered.map(({ wanted }) => wanted),
  ).map((alike): Group => ({ alike, changes: new Map() }));
  const verdicts = ordered.map((candidate) => judge(candidate, groups));
  const types = groups.flatMap((group) => {
    const made = overlaidTypes(group);
    return group.alike.names.map((name) => [name, made] as const);
  });
  return { verdicts, types: new Map(types) };
}

interface Candidate {
  readonly overlay: NodeOverlay;
  readonly problems: readonly string[];
  readonly wanted: Requirements;
}

interface Group {
  readonly alike: AlikePools;
  readonly changes: Map<InstanceType, TypeChanges>;
}

function compareOverlays(a: NodeOverlay, b: NodeOverlay): number {
  return weightOf(b) - weightOf(a) || (a.metadata.name < b.metadata.name ? 1 : -1);
}

function weightOf({ spec }: NodeOverlay): number {
  return spec.weight ?? 0;
}

/** Nothing is written down before the whole overlay is known to be free of conflicts. */
function judge({ overlay, problems, wanted }: Candidate, groups: readonly Group[]): OverlayVerdict {
  if (problems.length > 0) return { overlay, fault: { reason: "RuntimeValidation", message: problems.join("; ") } };
  const { spec, metadata } = overlay;
  const statement: Statement = {
    overlay: metadata.name,
    weight: weightOf(overlay),
    spec,
    changesPrice: spec.price !== undefined || spec.priceAdjustment !== undefined,
    capacity: parseResources(spec.capacity),
  };
  if (!statement.changesPrice && Object.keys(statement.capacity).length === 0) return { overlay };
  const touched = groups.map((group) => ({ group, types: touchedTypes(group.alike, wanted) }));
  for (const { group, types } of touched) {
    for (const type of types) {
      const message = conflictOf(statement, type, group);
      if (message !== undefined) return { overlay, fault: { reason: "Conflict", message } };
    }
  }
  const alone = { first: statement, last: statement };
  for (const { group, types } of touched) for (const type of types) write(alone, type, group);
  return { overlay };
}

/** Whose word a statement of equal weight contradicts, in one sentence. */
function conflictOf(
  { weight, changesPrice, capacity }: Statement,
  { type, offerings }: TouchedType,
  { alike, changes }: Group,
): string | undefined {
  const known = changes.get(type);
  if (known === undefined) return undefined;
  const against = ({ overlay }: Statement, what: string) =>
    `NodeOverlay ${overlay} of the same weight, ${weight}, also sets ${what} in NodePool ${alike.names[0]}`;
  for (const index of changesPrice ? offerings : []) {
    const last = known.prices[index]?.last;
    const offering = type.offerings[index];
    if (last?.weight === weight && offering !== undefined) {
      return against(last, `the price of ${offeringKey(type.name, offering)}`);
    }
  }
  for (const resource of Object.keys(capacity).sort()) {
    const last = known.capacity.get(resource)?.last;
    if (last?.weight === weight) return against(last, `the capacity ${resource} of ${type.name}`);
  }
  return undefined;
}

function write(alone: Spoken, { type, offerings }: TouchedType, { changes }: Group): void {
  const { first: statement } = alone;
  const own = changes.get(type) ?? new TypeChanges();
  changes.set(type, own);
  const after = (before: Spoken | undefined) => (before === undefined ? alone : { ...before, last: statement });
  if (statement.changesPrice) for (const index of offerings) own.prices[index] = after(own.prices[index]);
  for (const resource in statement.capacity) own.capacity.set(resource, after(own.capacity.get(resource)));
}

function overlaidTypes({ alike: { types }, changes }: Group): readonly InstanceType[] {
  if (changes.size === 0) return types;
  return types.map((type) => {
    const own = changes.get(type);
    return own === undefined ? type : overlaidType(type, own);
  });
}
