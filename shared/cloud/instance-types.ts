import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";
import { annotation, label } from "../api/labels.ts";
import { stableJson } from "../api/stable-json.ts";
import { firstConflict, type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import { amiFamilyTraits, resolveAmiFamily } from "./ami-family.ts";
import { attachLimit, ebsDriver } from "./attach-limits.ts";
import { type CapacityOptions, capacityOf } from "./capacity.ts";
import { withReservations } from "./capacity-reservations.ts";
import type { Catalog, InstanceTypeFacts, UnavailableOffering } from "./catalog.ts";
import { classIncompatibility, imageRequirements } from "./class-compatibility.ts";
import { typeRequirements, valueRequirement } from "./instance-labels.ts";
import type { InstanceType, Offering } from "./instance-type.ts";
import { type LearnedMemory, withLearnedMemory } from "./learned-memory.ts";
import { nodeSettings } from "./node-settings.ts";
import { allocatableOf } from "./overhead.ts";
import { placementGroupOf } from "./placement-group.ts";
import { unavailability } from "./unavailable-offerings.ts";

interface InstanceTypeOptions extends CapacityOptions {
  readonly unavailable: readonly UnavailableOffering[];
  /** Epoch milliseconds: entries of `unavailable` that have ended by then do not count. */
  readonly now: number;
  /** Absent: memory is estimated throughout. */
  readonly learnedMemory?: readonly LearnedMemory[];
}

/**
 * Every type of the catalog as nodes of the class would run it, in the catalog's order (karpenter-aws §2). A class without status counts as
 * ready: subnets in every zone, images for both architectures.
 *
 * Types the class cannot use are there too, with no available offering, so that a person can be told what was missing. A price that is unknown
 * is infinite and its offering unavailable, until a NodeOverlay gives it one. Offerings are on-demand, spot, and the class's reservations.
 * Throws a RangeError naming the class on an image requirement in its status that cannot be read.
 */
export function instanceTypesFor(
  catalog: Catalog,
  nodeClass: EC2NodeClass,
  options: InstanceTypeOptions,
): readonly InstanceType[] {
  const estimated = resolvedTypes(catalog, nodeClass, options);
  const measured = withLearnedMemory(estimated, nodeClass, catalog, options.learnedMemory ?? []);
  const types = withReservations(measured, nodeClass, options.now);
  return withoutUnavailable(types, options.unavailable, options.now);
}

/** The same types without what EC2 has refused lately: those offerings are withdrawn, whatever made them available. */
export function withoutUnavailable(
  types: readonly InstanceType[],
  unavailable: readonly UnavailableOffering[],
  now: number,
): readonly InstanceType[] {
  const marks = unavailable.filter((mark) => mark.untilAt > now);
  return marks.length === 0 ? types : types.map((type) => withMarks(type, marks, now));
}

function withMarks(type: InstanceType, marks: readonly UnavailableOffering[], now: number): InstanceType {
  const [group] = type.requirements.get(label.placementGroupId)?.values ?? [];
  const marked = type.offerings.map((offering) =>
    (offering.available || offering.awaitsPrice) && unavailability(type.name, offering, marks, now, group) !== undefined
      ? withdrawn(offering)
      : offering,
  );
  return marked.some((offering, index) => offering !== type.offerings[index]) ? { ...type, offerings: marked } : type;
}

/**
 * The costly part depends on nothing that changes from pass to pass, so a warm function keeps it by what the class says: each pass reads
 * the class anew, as another object.
 */
function resolvedTypes(catalog: Catalog, nodeClass: EC2NodeClass, options: CapacityOptions): readonly InstanceType[] {
  const { metadata, spec, status } = nodeClass;
  const { vmMemoryOverheadPercent, reservedEnis } = options;
  const group = metadata.annotations?.[annotation.placementGroup];
  const found = [metadata.name, spec, group, status?.subnets, status?.amis];
  const key = stableJson([found, vmMemoryOverheadPercent, reservedEnis]);
  const known = resolved.get(catalog) ?? new Map<string, readonly InstanceType[]>();
  resolved.set(catalog, known);
  const types = known.get(key) ?? resolveTypes(catalog, nodeClass, options);
  if (known.size >= mostClassesKept) known.clear();
  known.set(key, types);
  return types;
}

const mostClassesKept = 32;
const resolved = new WeakMap<Catalog, Map<string, readonly InstanceType[]>>();

/** What holds for every type of one catalog and class. */
interface ClassView {
  readonly catalog: Catalog;
  readonly nodeClass: EC2NodeClass;
  readonly family: AmiFamily;
  /** Absent: the class has no status, and so a subnet in every zone. */
  readonly subnets: readonly Subnet[] | undefined;
  /** Absent: the class has no status, and so an image for everything. */
  readonly images: readonly Requirements[] | undefined;
  readonly requirements: readonly Requirement[];
  /** Requirements on zones and capacity types by what they say, so that types share them. */
  readonly shared: Map<string, Requirement>;
}

type Subnet = NonNullable<NonNullable<EC2NodeClass["status"]>["subnets"]>[number];

function resolveTypes(catalog: Catalog, nodeClass: EC2NodeClass, options: CapacityOptions): readonly InstanceType[] {
  const view = viewClass(catalog, nodeClass);
  const settings = nodeSettings(nodeClass);
  return catalog.types.map((facts) => {
    const zones = zonesOf(facts, view);
    const capacity = capacityOf(facts, settings, options);
    const requirements = requirementsFor(facts, zones, view);
    const usable =
      classIncompatibility(facts, nodeClass, view.family) === undefined &&
      (view.images?.some((image) => firstConflict(requirements, image) === undefined) ?? true);
    return {
      name: facts.name,
      requirements,
      capacity,
      allocatable: allocatableOf(facts, settings, capacity),
      offerings: offeringsOf(facts, catalog, usable ? zones : []),
      attachLimits: { [ebsDriver]: attachLimit(facts, nodeClass) },
    };
  });
}

function viewClass(catalog: Catalog, nodeClass: EC2NodeClass): ClassView {
  const family = resolveAmiFamily(nodeClass);
  const { os, windowsBuild } = amiFamilyTraits(family);
  return {
    catalog,
    nodeClass,
    family,
    subnets: nodeClass.status?.subnets,
    images: imageRequirements(nodeClass),
    requirements: [
      valueRequirement(label.os, os),
      valueRequirement(label.windowsBuild, windowsBuild),
      valueRequirement(label.region, catalog.region),
      valueRequirement(label.nodeClass, nodeClass.metadata.name),
      ...placementRequirements(nodeClass),
    ],
    shared: new Map(),
  };
}

/** The class's placement group, and which of its partitions there are to choose from; types have neither by themselves. */
function placementRequirements(nodeClass: EC2NodeClass): readonly Requirement[] {
  const found = placementGroupOf(nodeClass);
  if (found.kind !== "group") return [];
  const { id, strategy, partitionCount = 0 } = found.group;
  const partitions = Array.from({ length: strategy === "partition" ? partitionCount : 0 }, (_, n) => String(n + 1));
  const inGroup = valueRequirement(label.placementGroupId, id);
  return partitions.length === 0 ? [inGroup] : [inGroup, requirement(label.placementGroupPartition, "In", partitions)];
}

const bothCapacityTypes = ["on-demand", "spot"] as const;
const onDemandOnly = ["on-demand"] as const;

/** Zones are those of the type that have a subnet. Zone ids are known from the class's status only; without it, a pod cannot ask for one. */
function requirementsFor(facts: InstanceTypeFacts, zones: readonly string[], view: ClassView): Requirements {
  const subnets = view.subnets?.filter((subnet) => zones.includes(subnet.zone)) ?? [];
  const zoneIds = [...new Set(subnets.flatMap((subnet) => subnet.zoneID ?? []))];
  const capacityTypes = view.catalog.spotPrices.has(facts.name) ? bothCapacityTypes : onDemandOnly;
  const requirements = new Map(typeRequirements(facts));
  for (const entry of view.requirements) requirements.set(entry.key, entry);
  requirements.set(label.zone, listRequirement(label.zone, zones, view));
  requirements.set(label.zoneId, listRequirement(label.zoneId, zoneIds, view));
  requirements.set(label.capacityType, listRequirement(label.capacityType, capacityTypes, view));
  return requirements;
}

function listRequirement(key: string, values: readonly string[], view: ClassView): Requirement {
  const name = `${key}=${values}`;
  const known = view.shared.get(name);
  if (known !== undefined) return known;
  const created = values.length === 0 ? requirement(key, "DoesNotExist") : requirement(key, "In", values);
  view.shared.set(name, created);
  return created;
}

function zonesOf(facts: InstanceTypeFacts, { catalog, subnets }: ClassView): readonly string[] {
  const zones = catalog.zonesByType.get(facts.name) ?? [];
  return subnets === undefined ? zones : zones.filter((zone) => subnets.some((subnet) => subnet.zone === zone));
}

/** In every zone that has the type; available in the `reachable` ones if the price is known. */
function offeringsOf(facts: InstanceTypeFacts, catalog: Catalog, reachable: readonly string[]): readonly Offering[] {
  const onDemandPrice = catalog.onDemandPrices.get(facts.name) ?? Number.POSITIVE_INFINITY;
  const spotPrices = catalog.spotPrices.get(facts.name);
  const offerings: Offering[] = [];
  for (const zone of catalog.zonesByType.get(facts.name) ?? []) {
    const hasSubnet = reachable.includes(zone);
    const spotPrice = spotPrices?.get(zone);
    const available = hasSubnet && Number.isFinite(onDemandPrice);
    const awaitsPrice = hasSubnet && !available;
    offerings.push({
      ...{ zone, capacityType: "on-demand", priceUsdPerHour: onDemandPrice, available },
      ...(awaitsPrice && { awaitsPrice }),
    });
    if (spotPrice !== undefined) {
      offerings.push({ zone, capacityType: "spot", priceUsdPerHour: spotPrice, available: hasSubnet });
    }
  }
  return offerings;
}

function withdrawn({ awaitsPrice: _, ...refused }: Offering): Offering {
  return { ...refused, available: false };
}
