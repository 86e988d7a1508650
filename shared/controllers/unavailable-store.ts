import type { ConfigMap } from "../api/core.ts";
import type { UnavailableOffering } from "../cloud/catalog.ts";
import { expiredKeys, formatUnavailable, parseUnavailable, unavailableKey } from "../cloud/unavailable-offerings.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/** The ConfigMap that all functions share: one key per offering that EC2 has refused (design rule 4). */
const configMapName = "journeyman-unavailable-offerings";

/** Every entry that can be read, expired ones included. */
export async function readUnavailableOfferings(
  ports: Ports,
  settings: Settings,
): Promise<readonly UnavailableOffering[]> {
  const stored = await ports.kubernetes.get("ConfigMap", { name: configMapName, namespace: settings.namespace });
  return Object.entries(stored?.data ?? {}).flatMap(([key, value]) => parseUnavailable(key, value) ?? []);
}

/** Writes entries in one patch, and takes out the forgotten ones of `known`. Keys of other writers are not touched. */
export async function writeUnavailableOfferings(
  ports: Ports,
  settings: Settings,
  marks: readonly UnavailableOffering[],
  known: readonly UnavailableOffering[],
): Promise<void> {
  if (marks.length === 0) return;
  const reference = { name: configMapName, namespace: settings.namespace };
  const added = Object.fromEntries(marks.map((mark) => [unavailableKey(mark), formatUnavailable(mark)]));
  const removed = expiredKeys(known, ports.clock.now()).map((key) => [key, null]);
  const patch = { data: { ...Object.fromEntries(removed), ...added } };
  try {
    await ports.kubernetes.patch("ConfigMap", reference, patch);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "NotFound") throw error;
    const configMap: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: reference, data: added };
    await createOrPatch(ports, configMap, patch);
  }
}

/** Two functions may both have found the ConfigMap missing. */
async function createOrPatch(
  ports: Ports,
  configMap: ConfigMap,
  patch: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { name, namespace = "" } = configMap.metadata;
  try {
    await ports.kubernetes.create("ConfigMap", configMap);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "Conflict") throw error;
    await ports.kubernetes.patch("ConfigMap", { name, namespace }, patch);
  }
}
