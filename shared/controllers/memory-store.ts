import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import {
  formatMemory,
  memoryKey,
  parseMemory,
  type RememberedMemory,
  remembered,
  sweptMemoryKeys,
} from "../cloud/learned-memory.ts";
import type { Ports } from "../ports.ts";
import { parseResources } from "../scheduling/resources.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key per instance type and image. */
const configMapName = "journeyman-learned-memory";

export async function readLearnedMemory(ports: Ports, settings: Settings): Promise<readonly RememberedMemory[]> {
  const facts = await readFacts(ports, settings, configMapName);
  return Object.entries(facts).flatMap(([key, value]) => parseMemory(key, value) ?? []);
}

/** Remembers what a node that has just registered reports, in the place of the estimate (design §4.2). */
export async function learnMemory(ports: Ports, settings: Settings, claim: NodeClaim, node: Node): Promise<void> {
  const instanceType = claim.metadata.labels?.[label.instanceType];
  const imageId = claim.status?.imageID;
  const capacityBytes = parseResources(node.status?.capacity).memory ?? 0;
  if (instanceType === undefined || imageId === undefined || capacityBytes <= 0) return;
  const known = await readLearnedMemory(ports, settings);
  const now = ports.clock.now();
  const fact = remembered({ instanceType, imageId, capacityBytes }, known, now);
  if (fact === undefined) return;
  const swept = sweptMemoryKeys(known, now).map((key) => [key, null] as const);
  await patchFacts(
    ports,
    settings,
    configMapName,
    Object.fromEntries([...swept, [memoryKey(fact), formatMemory(fact)]]),
  );
}
