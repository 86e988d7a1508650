import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import { closestWord } from "../api/spelling.ts";
import { imageRequirements } from "../cloud/class-compatibility.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import {
  allows,
  describeRequirement,
  firstConflict,
  isImpossible,
  type Requirement,
  type Requirements,
  requirement,
} from "../scheduling/requirements.ts";
import type { RefusalDetail } from "./plan.ts";
import { listedValues, requirementText } from "./requirement-text.ts";

/**
 * Why a NodePool has nothing to launch: the first requirement of its own that no instance type of its class meets, or the zone or
 * capacity type in which none of them is sold, or that no image of the class starts on them, or that EC2 refuses all of them for now.
 */
export function whyNoTypes(
  requirements: Requirements,
  types: readonly InstanceType[],
  nodeClass: EC2NodeClass,
  { spec: { template } }: NodePool,
): RefusalDetail {
  const unmet = [...requirements.keys()].sort().flatMap((key) => {
    const own = requirements.get(key);
    return own !== undefined && types.every((type) => !meets(type, own)) ? [own] : [];
  });
  const [first] = unmet;
  if (first !== undefined) return contradiction(first, template, types) ?? unmetByAll(first, types);
  const meeting = types.filter((type) => firstConflict(requirements, type.requirements) === undefined);
  if (meeting.length === 0) return unmetTogether(requirements);
  return withoutImage(meeting, nodeClass) ?? notSold(requirements, meeting);
}

function withoutImage(types: readonly InstanceType[], nodeClass: EC2NodeClass): RefusalDetail | undefined {
  const images = imageRequirements(nodeClass);
  const starts = (type: InstanceType) =>
    images === undefined || images.some((image) => firstConflict(type.requirements, image) === undefined);
  if (types.some(starts)) return undefined;
  const { name } = nodeClass.metadata;
  const arches = types.flatMap(({ requirements }) => [...(requirements.get(label.arch)?.values ?? [])]);
  const wanted = listedValues(arches);
  const found = listedValues((images ?? []).flatMap((image) => [...(image.get(label.arch)?.values ?? [])]));
  return {
    reason: `no image of EC2NodeClass ${name} starts on an instance type that the NodePool allows: types are ${wanted}, images for ${found}`,
    key: "amiSelectorTerms",
    found: `images for ${found}`,
    accepted: `images for ${wanted}`,
  };
}

function meets(type: InstanceType, own: Requirement): boolean {
  return firstConflict(type.requirements, new Map([[own.key, own]])) === undefined;
}

/** Where the NodePool's own entries of one label leave it no value. */
function contradiction(
  own: Requirement,
  { metadata = {}, spec }: NodePool["spec"]["template"],
  types: readonly InstanceType[],
): RefusalDetail | undefined {
  if (!isImpossible(own) || own.mayBeAbsent) return undefined;
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => requirement(key, "In", [value]));
  const entries = spec.requirements.map(({ key, operator, values }) => requirement(key, operator, values));
  const texts = new Set([...entries, ...labels].filter(({ key }) => key === own.key).map(requirementText));
  if (texts.size < 2) return undefined;
  const found = [...texts].join(" and ");
  return {
    reason: `the NodePool's requirements contradict one another: ${[...texts].map((text) => `${own.key} ${text}`).join(" and ")}`,
    key: own.key,
    found,
    accepted: listedValues(valuesOf(own.key, types)),
  };
}

function unmetByAll(own: Requirement, types: readonly InstanceType[]): RefusalDetail {
  const values = new Set(valuesOf(own.key, types));
  const meant = [...own.values].map((value) => closestWord(value, values)).find((value) => value !== undefined);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return {
    reason: `no instance type has ${describeRequirement(own)}, which the NodePool requires${hint}`,
    key: own.key,
    found: requirementText(own),
    accepted: listedValues([...values]),
  };
}

function valuesOf(key: string, types: readonly InstanceType[]): readonly string[] {
  return types.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]);
}

function unmetTogether(requirements: Requirements): RefusalDetail {
  const asked = [...requirements.values()].filter(({ key }) => key !== label.nodePool && key !== label.nodeClass);
  const texts = asked.map(describeRequirement).sort();
  return { reason: `no instance type has all that the NodePool requires: ${texts.join(" and ")}` };
}

function notSold(requirements: Requirements, types: readonly InstanceType[]): RefusalDetail {
  const offerings = types.flatMap((type) => type.offerings);
  const isAdmitted = (offering: Offering) =>
    isAllowed(requirements, label.zone, offering.zone) &&
    isAllowed(requirements, label.capacityType, offering.capacityType);
  if (offerings.some(isAdmitted)) {
    const reason =
      "EC2 can launch none of the NodePool's instance types now: each is marked unavailable, or its class or price rules it out";
    return {
      reason,
      key: "availability",
      found: "no available offering",
      accepted: "other instance types, zones or capacity types",
    };
  }
  const key = offerings.some(({ zone }) => isAllowed(requirements, label.zone, zone)) ? label.capacityType : label.zone;
  const own = requirements.get(key);
  const sold = offerings.map((offering) => (key === label.zone ? offering.zone : offering.capacityType));
  const wanted = own === undefined ? key : describeRequirement(own);
  return {
    reason: `no instance type that the NodePool allows is sold with ${wanted}`,
    key,
    accepted: listedValues(sold),
    ...(own === undefined ? {} : { found: requirementText(own) }),
  };
}

function isAllowed(requirements: Requirements, key: string, value: string): boolean {
  const own = requirements.get(key);
  return own === undefined || allows(own, value);
}
