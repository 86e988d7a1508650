import { type Kind, type KubernetesObject, type KubernetesObjects, kinds } from "../../api/kinds.ts";
import { type KubernetesPort, type ObjectReference, ProviderError, type TelemetryPort } from "../../ports.ts";
import type { KubernetesClient } from "./client.ts";
import { decode, itemDecoder } from "./decoding.ts";
import { withinInvocation } from "./invocation-deadline.ts";
import { collectionPath, readList } from "./paging.ts";
import { PodReader } from "./pod-reader.ts";
import { evictionBlock, isUidMismatch } from "./status.ts";
import type { WarmLists } from "./warm-lists.ts";

export interface KubernetesPortOptions {
  /** Of the invocation that the port is for: no call takes longer. */
  readonly remainingMilliseconds?: () => number;
  /** Long lists that the process keeps. Without it every list is read as a whole. */
  readonly warmLists?: WarmLists;
}

/** {@link KubernetesPort} on the API server's REST paths. `connected` is asked at each call: connecting may itself need a call. */
export function kubernetesPort(
  connected: () => Promise<KubernetesClient>,
  telemetry: TelemetryPort,
  { remainingMilliseconds, warmLists }: KubernetesPortOptions = {},
): KubernetesPort {
  const client = async () => withinInvocation(await connected(), remainingMilliseconds);
  return {
    list: lister({ client, telemetry, remainingMilliseconds, warmLists }),
    async get(kind, reference) {
      const path = objectPath(kind, reference);
      const found = await unlessAbsent(async () => (await client()).request({ method: "GET", path }));
      return found === absent ? undefined : decode(kind, found);
    },
    async create(kind, object, { dryRun } = {}) {
      const path = collectionPath(kind, object.metadata.namespace);
      const query = dryRun === true ? { dryRun: "All" } : {};
      return decode(kind, await (await client()).request({ method: "POST", path, query, body: object }));
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

interface ListerOptions {
  readonly client: () => Promise<KubernetesClient>;
  readonly telemetry: TelemetryPort;
  readonly remainingMilliseconds: (() => number) | undefined;
  readonly warmLists: WarmLists | undefined;
}

function lister({ client, telemetry, remainingMilliseconds, warmLists }: ListerOptions): KubernetesPort["list"] {
  const pods = warmLists?.pods ?? new PodReader();

  function readerOf<K extends Kind>(kind: K): (item: unknown) => KubernetesObjects[K] | undefined;
  function readerOf(kind: Kind): (item: unknown) => KubernetesObject | undefined {
    return kind === "Pod" ? itemDecoder(kind, telemetry, (body) => pods.decode(body)) : itemDecoder(kind, telemetry);
  }

  return async (kind, options = {}) => {
    const decodeItem = readerOf(kind);
    const warm = warmLists?.of(kind, options);
    if (warmLists === undefined || warm === undefined) {
      const decode = warmLists?.decodedOf(kind)?.reading(decodeItem) ?? decodeItem;
      return (await readList({ client: await client(), kind, options, decode })).items;
    }
    const watching = withinInvocation(warmLists.client, remainingMilliseconds);
    return warm.read({ client: watching, options, decode: decodeItem });
  };
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
