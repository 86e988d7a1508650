import type { UnavailableOffering } from "../cloud/catalog.ts";
import { formatUnavailable, parseUnavailable, sweptKeys, unavailableKey } from "../cloud/unavailable-offerings.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key per offering that EC2 has refused. */
const configMapName = "journeyman-unavailable-offerings";

/** Every entry that can be read, expired ones included. */
export async function readUnavailableOfferings(
  ports: Ports,
  settings: Settings,
): Promise<readonly UnavailableOffering[]> {
  const facts = await readFacts(ports, settings, configMapName);
  return Object.entries(facts).flatMap(([key, value]) => parseUnavailable(key, value) ?? []);
}

/** Writes entries in one patch, and takes out those of `known` that are forgotten or too many. Keys of other writers are not touched. */
export async function writeUnavailableOfferings(
  ports: Ports,
  settings: Settings,
  marks: readonly UnavailableOffering[],
  known: readonly UnavailableOffering[],
): Promise<void> {
  if (marks.length === 0) return;
  const swept = sweptKeys(known, ports.clock.now()).map((key) => [key, null] as const);
  const added = marks.map((mark) => [unavailableKey(mark), formatUnavailable(mark)] as const);
  await patchFacts(ports, settings, configMapName, Object.fromEntries([...swept, ...added]));
}
