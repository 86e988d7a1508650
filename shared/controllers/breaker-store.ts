import { formatBreaker, type LaunchBreaker, parseBreaker } from "../cloud/launch-breaker.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";

/** One key per NodePool whose launches fail. */
const configMapName = "journeyman-launch-breakers";

export async function readBreakers(ports: Ports, settings: Settings): Promise<readonly LaunchBreaker[]> {
  const facts = await readFacts(ports, settings, configMapName);
  return Object.entries(facts).flatMap(([nodePool, value]) => parseBreaker(nodePool, value) ?? []);
}

export async function writeBreaker(ports: Ports, settings: Settings, breaker: LaunchBreaker): Promise<void> {
  await patchFacts(ports, settings, configMapName, { [breaker.nodePool]: formatBreaker(breaker) });
}

/** Their launches succeed again, or they are gone. */
export async function closeBreakers(ports: Ports, settings: Settings, nodePools: readonly string[]): Promise<void> {
  await patchFacts(ports, settings, configMapName, Object.fromEntries(nodePools.map((name) => [name, null])));
}
