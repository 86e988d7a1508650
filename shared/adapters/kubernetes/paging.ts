import * as z from "zod";
import { type Kind, kinds } from "../../api/kinds.ts";
import { type ListOptions, ProviderError } from "../../ports.ts";
import type { KubernetesClient } from "./client.ts";
import { isExpired } from "./status.ts";

export interface ListReading<T> {
  readonly items: readonly T[];
  /** The state of the cluster that all pages are of. */
  readonly resourceVersion: string;
  readonly pages: number;
}

export interface ListRequest<T> {
  readonly client: KubernetesClient;
  readonly kind: Kind;
  readonly options: ListOptions;
  /** Undefined: the item is left out. */
  readonly decode: (item: unknown) => T | undefined;
}

const pageSize = 500;
const listRestarts = 3;

/**
 * Reads a list page by page, decoding each while the next is on its way, so that no more than two are held as they came. Without a
 * resourceVersion in the request the list is the newest there is, as of the first page; when its token expires (410, the state was
 * compacted away) the list starts again, since pages of two states would be no state at all.
 */
export async function readList<T>(request: ListRequest<T>): Promise<ListReading<T>> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await readPages(request);
    } catch (error) {
      if (!isExpired(error) || restarts === listRestarts) throw error;
    }
  }
}

/** The resourceVersion that a list made now is of: the cheapest question after "now" that the API server answers. */
export async function newestResourceVersion(
  client: KubernetesClient,
  kind: Kind,
  options: ListOptions,
): Promise<string> {
  return pageOf(kind, await client.request(listRequest(kind, options, { limit: "1" }))).resourceVersion;
}

async function readPages<T>({ client, kind, options, decode }: ListRequest<T>): Promise<ListReading<T>> {
  const ask = (token: string) =>
    client.request(listRequest(kind, options, { limit: String(pageSize), ...(token !== "" && { continue: token }) }));
  const items: T[] = [];
  let page = pageOf(kind, await ask(""));
  for (let pages = 1; ; pages += 1) {
    const next = page.token === "" ? undefined : ask(page.token);
    // Awaited below; when decoding fails first, its own failure is of no interest.
    next?.catch(() => undefined);
    for (const item of page.items) {
      const decoded = decode(item);
      if (decoded !== undefined) items.push(decoded);
    }
    if (next === undefined) return { items, resourceVersion: page.resourceVersion, pages };
    page = pageOf(kind, await next);
  }
}

function listRequest(kind: Kind, { namespace, ...selectors }: ListOptions, query: Readonly<Record<string, string>>) {
  const { limit = "", ...rest } = query;
  return {
    method: "GET",
    path: collectionPath(kind, namespace),
    query: { limit, ...selectors, ...rest },
    without: unreadArrays(kind),
  } as const;
}

/** What no schema of ours looks at, and most of the bytes. */
export function unreadArrays(kind: Kind): readonly string[] {
  return unread[kind] ?? ["managedFields"];
}

const unread: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  Pod: ["managedFields", "env", "volumeMounts", "containerStatuses", "initContainerStatuses"],
  Node: ["managedFields", "images"],
};

export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const { apiVersion, plural } = kinds[kind];
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

const listMetadata = z.object({
  metadata: z.object({ continue: z.string().default(""), resourceVersion: z.string().default("") }),
});

/** The items are looked at one by one, not here: copying thousands of them to check that they are objects takes longer than reading them. */
function pageOf(kind: Kind, body: unknown) {
  const parsed = listMetadata.safeParse(body);
  if (!parsed.success) throw unreadable(kind, z.prettifyError(parsed.error));
  const { continue: token, resourceVersion } = parsed.data.metadata;
  const items: unknown = typeof body === "object" && body !== null && "items" in body ? body.items : undefined;
  if (Array.isArray(items)) return { token, resourceVersion, items };
  if (items === undefined || items === null) return { token, resourceVersion, items: [] };
  throw unreadable(kind, `items: found ${typeof items}, expected an array`);
}

function unreadable(kind: Kind, problem: string): ProviderError {
  return new ProviderError("Invalid", "Undecodable", `the list of ${kinds[kind].plural}: ${problem}`);
}
