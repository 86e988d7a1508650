import type { Kind, KubernetesObjects } from "../api/kinds.ts";
import { type MergePatch, type ObjectReference, type Ports, ProviderError } from "../ports.ts";
import { isRecord } from "../state/json-annotation.ts";

export interface UpdateOptions<K extends Kind> {
  readonly subresource?: "status";
  /** A copy just read; it saves the first read and is checked by its resourceVersion. */
  readonly current?: KubernetesObjects[K];
}

const attempts = 5;

/**
 * Changes one object on the condition that nobody changed it since it was read: `change` sees the object and answers with a merge
 * patch, or undefined for "nothing to do". On a `Conflict` the object is read again and `change` is asked again. Returns the object
 * as it stands, or undefined if it is gone. Throws the `Conflict` after five attempts.
 */
export async function update<K extends Kind>(
  ports: Ports,
  kind: K,
  reference: ObjectReference,
  change: (current: KubernetesObjects[K]) => MergePatch | undefined,
  options: UpdateOptions<K> = {},
): Promise<KubernetesObjects[K] | undefined> {
  let current = options.current ?? (await ports.kubernetes.get(kind, reference));
  for (let attempt = 1; current !== undefined; attempt++) {
    const patch = change(current);
    if (patch === undefined) return current;
    try {
      const subresource = options.subresource === undefined ? {} : { subresource: options.subresource };
      return await ports.kubernetes.patch(kind, reference, atVersion(patch, current), subresource);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === "NotFound") return undefined;
      if (error.kind !== "Conflict" || attempt === attempts) throw error;
    }
    current = await ports.kubernetes.get(kind, reference);
  }
  return undefined;
}

/** The patch, conditional on the version of the object it was made from. */
export function atVersion(patch: MergePatch, object: KubernetesObjects[Kind]): MergePatch {
  const metadata = isRecord(patch.metadata) ? patch.metadata : {};
  return { ...patch, metadata: { ...metadata, resourceVersion: object.metadata.resourceVersion } };
}
