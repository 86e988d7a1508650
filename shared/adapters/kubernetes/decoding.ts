import * as z from "zod";
import { type Kind, type KubernetesObjects, kinds, schemas } from "../../api/kinds.ts";
import { metric } from "../../metrics.ts";
import { ProviderError, type TelemetryPort } from "../../ports.ts";

/** @throws ProviderError that names the object and every problem. */
export function decode<K extends Kind>(kind: K, body: unknown): KubernetesObjects[K] {
  const result = parsers[kind].safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new ProviderError("Invalid", "Undecodable", `${kind} ${nameOf(body)}: ${problems.join("; ")}`);
}

const parsers: { readonly [K in Kind]: z.ZodType<KubernetesObjects[K]> } = schemas;

/** Items of a list come without apiVersion and kind. One that breaks our schema must not stop the others (design rule 11). */
export function itemDecoder<K extends Kind>(
  kind: K,
  telemetry: TelemetryPort,
  decodeObject: (body: object) => KubernetesObjects[K] = (body) => decode(kind, body),
): (item: unknown) => KubernetesObjects[K] | undefined {
  const { apiVersion } = kinds[kind];
  return (item) => {
    try {
      return decodeObject({ apiVersion, kind, ...Object(item) });
    } catch (error) {
      telemetry.count(metric.undecodableObjects, 1, { kind });
      telemetry.log("warn", "left out an object that cannot be decoded", { error });
      return undefined;
    }
  };
}

const named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });

function nameOf(body: unknown): string {
  const parsed = named.safeParse(body);
  if (!parsed.success) return "without a name";
  const { name, namespace } = parsed.data.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
