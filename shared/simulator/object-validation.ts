import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Pod } from "../api/core.ts";
import { type Kind, type KubernetesObject, type KubernetesObjects, kinds, schemas } from "../api/kinds.ts";
import { nodePoolUpdateFaults } from "../api/node-pool-validation.ts";
import { formatPath } from "../api/problems.ts";
import { invalid } from "./api-errors.ts";
import { isKind } from "./object-store.ts";

/**
 * The object as the API server would keep it: checked, defaulted, and pruned to the slice of the schema that shared/api knows.
 * Throws `Invalid` with every issue.
 */
export function decodeObject<K extends Kind>(kind: K, value: unknown, name: string): KubernetesObjects[K] {
  const schema: z.ZodType<KubernetesObject> = schemas[kind];
  const result = schema.safeParse(value);
  if (!result.success) {
    throw invalid(kind, { name }, z.prettifyError(result.error).replaceAll("\n", " "));
  }
  if (!isKind(kind, result.data)) {
    throw invalid(kind, { name }, `kind: found ${result.data.kind}, expected ${kind}`);
  }
  validateMeta(kind, result.data);
  return result.data;
}

/** What may not change once written. Throws `Invalid`. */
export function validateUpdate(kind: Kind, before: KubernetesObject, after: KubernetesObject): void {
  const reference = before.metadata;
  if (isKind("NodeClaim", before) && isKind("NodeClaim", after) && !isDeepStrictEqual(before.spec, after.spec)) {
    throw invalid(kind, reference, "spec: Invalid value: spec is immutable");
  }
  if (isKind("NodePool", before) && isKind("NodePool", after)) {
    for (const { path, expected } of nodePoolUpdateFaults(before.spec, after.spec)) {
      throw invalid(kind, reference, `spec.${formatPath(path)}: expected ${expected}`);
    }
  }
  if (isKind("Pod", before) && isKind("Pod", after) && !isDeepStrictEqual(fixedSpec(before), fixedSpec(after))) {
    throw invalid(kind, reference, "spec: Forbidden: pod updates may not change fields other than those listed");
  }
  const added = (after.metadata.finalizers ?? []).filter((name) => !before.metadata.finalizers?.includes(name));
  if (before.metadata.deletionTimestamp !== undefined && added.length > 0) {
    throw invalid(
      kind,
      reference,
      `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found ${added.join(", ")}`,
    );
  }
}

/** A pod's spec without what an update may change: gates may go, tolerations may come. */
function fixedSpec(pod: Pod): unknown {
  const { schedulingGates: _gates, tolerations: _tolerations, ...fixed } = pod.spec;
  return fixed;
}

const annotationLimitBytes = 262_144;
const configMapLimitBytes = 1_048_576;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function validateMeta(kind: Kind, object: KubernetesObject): void {
  const { metadata } = object;
  const { name, namespace } = metadata;
  if (!subdomain.test(name) || name.length > 253) {
    throw invalid(kind, metadata, "metadata.name: expected a lowercase RFC 1123 subdomain of at most 253 characters");
  }
  if (kinds[kind].namespaced !== (namespace !== undefined)) {
    const expected = kinds[kind].namespaced ? "a namespace" : "none: the kind is cluster scoped";
    throw invalid(kind, metadata, `metadata.namespace: found ${namespace ?? "none"}, expected ${expected}`);
  }
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (value.length > 63 || !labelValue.test(value)) {
      throw invalid(kind, metadata, `metadata.labels: value "${value}" of ${key} is not a label value`);
    }
  }
  if (totalBytes(metadata.annotations) > annotationLimitBytes) {
    throw invalid(kind, metadata, `metadata.annotations: Too long: must have at most ${annotationLimitBytes} bytes`);
  }
  if (isKind("ConfigMap", object) && totalBytes(object.data) + totalBytes(object.binaryData) > configMapLimitBytes) {
    throw invalid(kind, metadata, `data: Too long: must have at most ${configMapLimitBytes} bytes`);
  }
}

function totalBytes(map: Readonly<Record<string, string>> | undefined): number {
  let total = 0;
  for (const [key, value] of Object.entries(map ?? {})) total += Buffer.byteLength(key) + Buffer.byteLength(value);
  return total;
}
