import * as z from "zod";
import type { Kind, KubernetesObjects } from "../../api/kinds.ts";
import type { ListOptions } from "../../ports.ts";
import type { WatchingClient } from "./client.ts";
import { collectionPath, newestResourceVersion, readList, unreadArrays } from "./paging.ts";
import { isExpired } from "./status.ts";

/** A list with no more pages than this is read again sooner than it is caught up. */
const fewPages = 4;
/** A bookmark comes two seconds before the watch ends (nextBookmarkTime in kubernetes' apiserver/pkg/storage/cacher). */
const watchSeconds = 4;

export interface WarmReading<K extends Kind> {
  readonly client: WatchingClient;
  readonly options: ListOptions;
  readonly decode: (item: unknown) => KubernetesObjects[K] | undefined;
}

/**
 * Long lists of one kind, kept by a warm process and caught up by a watch. What is read is never older than the call
 * (docs/reading-the-world.md): the resourceVersion of a list made now is asked for first, and the copy counts only when the watch has
 * brought an event or a bookmark at or past it. Whatever does not fit means that the list is read again.
 */
export class WarmList<K extends Kind> {
  readonly #kind: K;
  readonly #copies = new Map<string, Copy<K>>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(kind: K) {
    this.#kind = kind;
  }

  /** One reading at a time: they share the copy. */
  read(reading: WarmReading<K>): Promise<readonly KubernetesObjects[K][]> {
    const result = this.#turn.then(() => this.#read(reading));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #read(reading: WarmReading<K>): Promise<readonly KubernetesObjects[K][]> {
    const selector = reading.options.fieldSelector ?? "";
    const copy = this.#copies.get(selector);
    if (copy !== undefined && (await this.#catchUp(copy, reading))) return [...copy.objects.values()];
    this.#copies.delete(selector);
    const { items, pages, resourceVersion } = await readList({ ...reading, kind: this.#kind });
    const version = versionOf(resourceVersion);
    if (pages > fewPages && version !== undefined) {
      this.#copies.set(selector, { objects: new Map(items.map((item) => [nameOf(item), item])), version });
    }
    return items;
  }

  /** Whether the copy is as new as a list that was made now. */
  async #catchUp(copy: Copy<K>, { client, options, decode }: WarmReading<K>): Promise<boolean> {
    const asked = await (this.#kind === "Pod" ? unboundNow({ client, options, decode, kind: this.#kind }) : undefined);
    const text = asked?.resourceVersion ?? (await newestResourceVersion(client, this.#kind, options));
    const target = versionOf(text);
    if (target === undefined) return false;
    const query = {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: String(copy.version),
      timeoutSeconds: String(watchSeconds),
      ...options,
    };
    let isBroken = false;
    const onLine = (document: unknown): "stop" | undefined => {
      isBroken ||= !apply(copy, document, decode);
      return isBroken || copy.version >= target ? "stop" : undefined;
    };
    if (copy.version < target) {
      const path = collectionPath(this.#kind, undefined);
      await client
        .stream(
          { method: "GET", path, query, without: unreadArrays(this.#kind), withinMilliseconds: watchSeconds * 1_500 },
          onLine,
        )
        .catch((error) => {
          if (!isExpired(error)) throw error;
        });
    }
    return !isBroken && copy.version >= target && (asked === undefined || holds(copy, asked.items, target));
  }
}

/** A list that is read afresh each time decodes anew only what has changed: of one object and version there is one content. */
export class DecodedItems<K extends Kind> {
  #known = new Map<string, KubernetesObjects[K]>();

  reading(decode: WarmReading<K>["decode"]): WarmReading<K>["decode"] {
    const before = this.#known;
    const now = new Map<string, KubernetesObjects[K]>();
    this.#known = now;
    return (item) => {
      const identity = identified.safeParse(item);
      if (!identity.success) return decode(item);
      const { uid, resourceVersion } = identity.data.metadata;
      const key = `${uid} ${resourceVersion}`;
      const decoded = before.get(key) ?? decode(item);
      if (decoded !== undefined) now.set(key, decoded);
      return decoded;
    };
  }
}

const identified = z.object({ metadata: z.object({ uid: z.string(), resourceVersion: z.string() }) });

interface Copy<K extends Kind> {
  readonly objects: Map<string, KubernetesObjects[K]>;
  /** Everything up to here is in it. */
  version: bigint;
}

/** Pods that wait for a node are listed at every pass (design rule 4), which says too what "now" is. */
function unboundNow<K extends Kind>(request: Parameters<typeof readList<KubernetesObjects[K]>>[0]) {
  const { fieldSelector } = request.options;
  const selectors = [...(fieldSelector === undefined ? [] : [fieldSelector]), "spec.nodeName="];
  return readList({ ...request, options: { ...request.options, fieldSelector: selectors.join(",") } });
}

/** The copy has each of them, as it was listed or newer. One that is not there must have gone since, so that the copy is newer than the list. */
function holds<K extends Kind>(copy: Copy<K>, listed: readonly KubernetesObjects[K][], target: bigint): boolean {
  return listed.every((object) => {
    const kept = copy.objects.get(nameOf(object));
    if (kept === undefined) return copy.version > target;
    return (objectVersion(kept) ?? -1n) >= (objectVersion(object) ?? 0n);
  });
}

const event = z.object({
  type: z.enum(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]),
  object: z.looseObject({
    metadata: z.looseObject({
      name: z.string().default(""),
      namespace: z.string().default(""),
      resourceVersion: z.string(),
    }),
  }),
});

/** False when the stream cannot be followed any further: an ERROR (410: the events are compacted away), or what nobody understands. */
function apply<K extends Kind>(copy: Copy<K>, document: unknown, decode: WarmReading<K>["decode"]): boolean {
  const parsed = event.safeParse(document);
  if (!parsed.success) return false;
  const { type, object } = parsed.data;
  const version = versionOf(object.metadata.resourceVersion);
  if (version === undefined) return false;
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  const decoded = type === "ADDED" || type === "MODIFIED" ? decode(object) : undefined;
  if (decoded !== undefined) copy.objects.set(key, decoded);
  else if (type !== "BOOKMARK") copy.objects.delete(key);
  if (version > copy.version) copy.version = version;
  return true;
}

function nameOf({ metadata }: KubernetesObjects[Kind]): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function objectVersion({ metadata }: KubernetesObjects[Kind]): bigint | undefined {
  return versionOf(metadata.resourceVersion ?? "");
}

/** Versions of one resource are numbers that grow (KEP-5504; etcd's revisions before it). */
function versionOf(resourceVersion: string): bigint | undefined {
  return /^\d{1,20}$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined;
}
