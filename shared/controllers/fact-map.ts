import type { ConfigMap } from "../api/core.ts";
import { type MergePatch, type Ports, ProviderError } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/**
 * A ConfigMap of the namespace that all functions share: one key for each fact, changed by a merge patch of that key, so that writers
 * do not disturb each other (design rule 4).
 */
export async function readFacts(
  ports: Ports,
  settings: Settings,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const stored = await ports.kubernetes.get("ConfigMap", { name, namespace: settings.namespace });
  return stored?.data ?? {};
}

/** Changes some keys in one patch; a key whose value is null goes. Makes the ConfigMap where there is none. */
export async function patchFacts(
  ports: Ports,
  settings: Settings,
  name: string,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  if (Object.keys(changes).length > 0) await patchConfigMap(ports, settings, name, { data: changes });
}

/** What {@link patchFacts} is for data, for data and `binaryData` (base64) together. */
export async function patchConfigMap(
  ports: Ports,
  { namespace }: Settings,
  name: string,
  changes: ConfigMapChanges,
): Promise<void> {
  const reference = { name, namespace };
  const patch = { ...changes };
  try {
    await ports.kubernetes.patch("ConfigMap", reference, patch);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "NotFound") throw error;
    await createOrPatch(ports, newConfigMap(name, namespace, changes), patch);
  }
}

interface ConfigMapChanges {
  readonly data?: Readonly<Record<string, string | null>>;
  readonly binaryData?: Readonly<Record<string, string | null>>;
}

function newConfigMap(name: string, namespace: string, { data = {}, binaryData = {} }: ConfigMapChanges): ConfigMap {
  const set = (entries: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.entries(entries).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: set(data),
    ...(Object.keys(binaryData).length > 0 && { binaryData: set(binaryData) }),
  };
}

/** Two functions may both have found the ConfigMap missing. */
async function createOrPatch(ports: Ports, configMap: ConfigMap, patch: MergePatch): Promise<void> {
  const { name, namespace = "" } = configMap.metadata;
  try {
    await ports.kubernetes.create("ConfigMap", configMap);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "Conflict") throw error;
    await ports.kubernetes.patch("ConfigMap", { name, namespace }, patch);
  }
}
