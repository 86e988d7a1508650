import * as z from "zod";
import { type Kind, type KubernetesObjects, kinds, schemas } from "../../api/kinds.ts";
import { metric } from "../../metrics.ts";
import {
  type KubernetesPort,
  type ListOptions,
  type ObjectReference,
  ProviderError,
  type TelemetryPort,
} from "../../ports.ts";
import type { KubernetesClient } from "./client.ts";
import { evictionBlock, isExpired, isUidMismatch } from "./status.ts";

/** {@link KubernetesPort} on the API server's REST paths. `client` is asked for at each call: connecting may itself need a call. */
export function kubernetesPort(client: () => Promise<KubernetesClient>, telemetry: TelemetryPort): KubernetesPort {
  return {
    async list(kind, options = {}) {
      const items = await listItems(await client(), kind, options);
      return items.flatMap((item) => decodeItem(kind, item, telemetry) ?? []);
    },
    async get(kind, reference) {
      const path = objectPath(kind, reference);
      const found = await unlessAbsent(async () => (await client()).request({ method: "GET", path }));
      return found === absent ? undefined : decode(kind, found);
    },
    async create(kind, object) {
      const path = collectionPath(kind, object.metadata.namespace);
      return decode(kind, await (await client()).request({ method: "POST", path, body: object }));
    },
    async patch(kind, reference, patch, options = {}) {
      const path = objectPath(kind, reference) + (options.subresource === undefined ? "" : `/${options.subresource}`);
      const contentType = "application/merge-patch+json";
      return decode(kind, await (await client()).request({ method: "PATCH", path, body: patch, contentType }));
    },
    async delete(kind, reference, options = {}) {
      const path = objectPath(kind, reference);
      const body = deleteOptions(options);
      const answer = await unlessAbsent(async () => (await client()).request({ method: "DELETE", path, body }));
      return answer === absent ? "absent" : "deleted";
    },
    async evict(reference, options = {}) {
      const path = `${objectPath("Pod", reference)}/eviction`;
      const body = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: reference,
        deleteOptions: deleteOptions(options),
      };
      try {
        const answer = await unlessAbsent(async () =>
          (await client()).request({ method: "POST", path, body, retryThrottled: false }),
        );
        return { kind: answer === absent ? "absent" : "evicted" };
      } catch (error) {
        if (isUidMismatch(error)) return { kind: "absent" };
        const reason = evictionBlock(error);
        if (reason !== undefined) return { kind: "blocked", reason };
        throw error;
      }
    },
  };
}

const pageSize = 500;
const listRestarts = 3;

const listPage = z.object({
  metadata: z.object({ continue: z.string().default("") }),
  items: z.array(z.record(z.string(), z.unknown())).nullish(),
});

async function listItems(client: KubernetesClient, kind: Kind, options: ListOptions): Promise<unknown[]> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await listAllPages(client, kind, options);
    } catch (error) {
      if (!isExpired(error) || restarts === listRestarts) throw error;
    }
  }
}

async function listAllPages(client: KubernetesClient, kind: Kind, options: ListOptions): Promise<unknown[]> {
  const items: unknown[] = [];
  const { namespace, ...selectors } = options;
  for (let token = ""; ; ) {
    const query = { limit: String(pageSize), ...selectors, ...(token !== "" && { continue: token }) };
    const body = await client.request({ method: "GET", path: collectionPath(kind, namespace), query });
    const page = listPage.safeParse(body);
    if (!page.success) throw invalid(`the list of ${kinds[kind].plural}`, page.error);
    items.push(...(page.data.items ?? []));
    token = page.data.metadata.continue;
    if (token === "") return items;
  }
}

function collectionPath(kind: Kind, namespace: string | undefined): string {
  const { apiVersion, plural } = kinds[kind];
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

function objectPath(kind: Kind, { name, namespace }: ObjectReference): string {
  if (kinds[kind].namespaced !== (namespace !== undefined)) {
    const rule = kinds[kind].namespaced ? "is namespaced: give a namespace" : "has no namespace";
    throw new ProviderError("Invalid", "BadReference", `${kind} ${name}: this kind ${rule}`);
  }
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

function deleteOptions(options: { readonly uid?: string; readonly gracePeriodSeconds?: number }): unknown {
  const { uid, gracePeriodSeconds } = options;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(uid !== undefined && { preconditions: { uid } }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

const absent = Symbol("absent");

async function unlessAbsent(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProviderError && error.kind === "NotFound") return absent;
    throw error;
  }
}

/** Items of a list come without apiVersion and kind. One that breaks our schema must not stop the others (design rule 11). */
function decodeItem<K extends Kind>(
  kind: K,
  item: unknown,
  telemetry: TelemetryPort,
): KubernetesObjects[K] | undefined {
  try {
    return decode(kind, { apiVersion: kinds[kind].apiVersion, kind, ...Object(item) });
  } catch (error) {
    telemetry.count(metric.undecodableObjects, 1, { kind });
    telemetry.log("warn", "left out an object that cannot be decoded", { error });
    return undefined;
  }
}

const parsers: { readonly [K in Kind]: z.ZodType<KubernetesObjects[K]> } = schemas;

function decode<K extends Kind>(kind: K, body: unknown): KubernetesObjects[K] {
  const result = parsers[kind].safeParse(body);
  if (result.success) return result.data;
  throw invalid(`${kind} ${nameOf(body)}`, result.error);
}

function invalid(what: string, error: z.ZodError): ProviderError {
  const problems = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  return new ProviderError("Invalid", "Undecodable", `${what}: ${problems.join("; ")}`);
}

const named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });

function nameOf(body: unknown): string {
  const parsed = named.safeParse(body);
  if (!parsed.success) return "without a name";
  const { name, namespace } = parsed.data.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
