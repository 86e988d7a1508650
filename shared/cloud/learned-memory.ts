import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { firstConflict } from "../scheduling/requirements.ts";
import type { Catalog } from "./catalog.ts";
import { imageRequirements } from "./class-compatibility.ts";
import type { InstanceType } from "./instance-type.ts";
import { nodeSettings } from "./node-settings.ts";
import { allocatableOf } from "./overhead.ts";

/** The memory that nodes of a type have reported under one image; the least of them where they differ (karpenter-aws §7). */
export interface LearnedMemory {
  readonly instanceType: string;
  readonly imageId: string;
  /** Of the Node's capacity: what the hypervisor and the kernel leave. */
  readonly capacityBytes: number;
}

/**
 * The same types with the memory that is known of them in the place of the estimate: of the image that the class would start the type
 * with, the first in its status that suits. All others stay the same objects.
 */
export function withLearnedMemory(
  types: readonly InstanceType[],
  nodeClass: EC2NodeClass,
  catalog: Catalog,
  learned: readonly LearnedMemory[],
): readonly InstanceType[] {
  const images = imageRequirements(nodeClass) ?? [];
  if (learned.length === 0 || images.length === 0) return types;
  const settings = nodeSettings(nodeClass);
  const byType = Map.groupBy(learned, ({ instanceType }) => instanceType);
  const facts = new Map(catalog.types.map((entry) => [entry.name, entry]));
  return types.map((type) => {
    const image = images.findIndex((wanted) => firstConflict(type.requirements, wanted) === undefined);
    const imageId = nodeClass.status?.amis?.[image]?.id;
    const reported = (byType.get(type.name) ?? []).filter((entry) => entry.imageId === imageId);
    const known = facts.get(type.name);
    if (reported.length === 0 || known === undefined) return type;
    const memory = Math.min(...reported.map(({ capacityBytes }) => capacityBytes));
    const capacity = { ...type.capacity, memory };
    return { ...type, capacity, allocatable: allocatableOf(known, settings, capacity) };
  });
}
