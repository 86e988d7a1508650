import type { Kind, KubernetesObjects } from "../api/kinds.ts";
import { type Ports, ProviderError } from "../ports.ts";

/** All objects of a kind; none where the API server does not know it, as its CRD is not one that every cluster has. */
export async function listIfServed<K extends Kind>(
  { kubernetes }: Ports,
  kind: K,
): Promise<readonly KubernetesObjects[K][]> {
  try {
    return await kubernetes.list(kind);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === "NotFound") return [];
    throw error;
  }
}
