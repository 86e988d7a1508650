import * as z from "zod";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { formatTime } from "../api/time.ts";
import { firstConflict } from "../scheduling/requirements.ts";
import type { Catalog } from "./catalog.ts";
import { imageRequirements } from "./class-compatibility.ts";
import type { InstanceType } from "./instance-type.ts";
import { nodeSettings } from "./node-settings.ts";
import { allocatableOf } from "./overhead.ts";
import { mostStoredFacts, storedJson, storedTime } from "./stored-facts.ts";

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

/** A fact with when a node last reported it. */
export interface RememberedMemory extends LearnedMemory {
  readonly seenAt: number;
}

/** An image that has not been started for so long will not be again. */
const rememberedMilliseconds = 60 * 86_400_000;
/** A fact that stays as it is need not be written for each node. */
const renewedMilliseconds = 86_400_000;

/**
 * The fact that a node's report makes or renews; undefined when what is known says as much. Nodes of one type and image differ by some
 * MiB: the least counts, so that a plan is true on each of them.
 */
export function remembered(
  report: LearnedMemory,
  known: readonly RememberedMemory[],
  now: number,
): RememberedMemory | undefined {
  const before = known.find((entry) => memoryKey(entry) === memoryKey(report));
  const capacityBytes = Math.min(report.capacityBytes, before?.capacityBytes ?? report.capacityBytes);
  const isNews = before === undefined || capacityBytes < before.capacityBytes;
  return isNews || now - before.seenAt >= renewedMilliseconds ? { ...report, capacityBytes, seenAt: now } : undefined;
}

/** Keys of facts to be taken out: those not seen for 60 days, and, where there are too many, those seen longest ago. */
export function sweptMemoryKeys(known: readonly RememberedMemory[], now: number): readonly string[] {
  const isKept = ({ seenAt }: RememberedMemory) => now - seenAt < rememberedMilliseconds;
  const kept = known.filter(isKept).sort((a, b) => b.seenAt - a.seenAt);
  const excess = new Set(kept.slice(mostStoredFacts));
  return known.filter((entry) => !isKept(entry) || excess.has(entry)).map(memoryKey);
}

/** `type_image`: a valid key of a ConfigMap. */
export function memoryKey({ instanceType, imageId }: LearnedMemory): string {
  return `${instanceType}_${imageId}`;
}

export function formatMemory({ capacityBytes, seenAt }: RememberedMemory): string {
  return JSON.stringify({ capacityBytes, seenAt: formatTime(seenAt) });
}

/** Undefined when key and value are no fact. */
export function parseMemory(key: string, value: string): RememberedMemory | undefined {
  const [instanceType, imageId, ...rest] = key.split("_");
  const parsed = storedMemory.safeParse(value);
  if (!instanceType || !imageId || rest.length > 0 || !parsed.success) return undefined;
  return { instanceType, imageId, ...parsed.data };
}

const storedMemory = storedJson(z.object({ capacityBytes: z.number().positive(), seenAt: storedTime }));
