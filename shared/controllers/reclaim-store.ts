import {
  formatReclaims,
  parseReclaims,
  type ReclaimHistory,
  reclaimKey,
  sweptReclaimKeys,
  withReclaims,
} from "../cloud/reclaims.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key per spot pool, a (type, zone), that has taken instances back. */
const configMapName = "journeyman-reclaims";

export async function readReclaims(ports: Ports, settings: Settings): Promise<readonly ReclaimHistory[]> {
  const facts = await readFacts(ports, settings, configMapName);
  return Object.entries(facts).flatMap(([key, value]) => parseReclaims(key, value) ?? []);
}

/** Adds a batch of reclaims to their pools' histories, in one patch. */
export async function rememberReclaims(
  ports: Ports,
  settings: Settings,
  reclaimed: readonly Pick<ReclaimHistory, "instanceType" | "zone">[],
): Promise<void> {
  if (reclaimed.length === 0) return;
  const known = await readReclaims(ports, settings);
  const now = ports.clock.now();
  const swept = sweptReclaimKeys(known, now).map((key) => [key, null] as const);
  const changed = withReclaims(known, reclaimed, now).map(
    (entry) => [reclaimKey(entry), formatReclaims(entry)] as const,
  );
  await patchFacts(ports, settings, configMapName, Object.fromEntries([...swept, ...changed]));
}
