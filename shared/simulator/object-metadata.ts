import type { ObjectMeta } from "../api/schema.ts";
import { isRecord } from "./merge-patch.ts";

const serverOwned = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** A patched object with the metadata that a patch cannot change as it was before. */
export function withServerMetadata(patched: unknown, before: ObjectMeta): unknown {
  if (!isRecord(patched)) return patched;
  const metadata: Record<string, unknown> = isRecord(patched.metadata) ? { ...patched.metadata } : {};
  for (const key of serverOwned) {
    if (before[key] === undefined) delete metadata[key];
    else metadata[key] = before[key];
  }
  return { ...patched, metadata };
}
