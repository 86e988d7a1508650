import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { gzipSync } from "node:zlib";
import { createCertificates } from "../functions/webhook/certificates.ts";
import { csiNodeAt, nodeAt, nodeClaimAt, podAt, type ScaleWorld } from "./scale-world.ts";

/**
 * A process that streams what an API server would: pages of a list by continue token, gzipped from 128 KiB on at level 1, and watches. Its
 * arguments are nodes, pods, and "quiet" for a cluster where nothing else happens. Prints its URL and CA as a line of JSON. Every POST
 * changes one object of a hundred; a watch brings what has changed, and then one event more every 20 ms, as in a cluster of that size, or in a
 * quiet one a bookmark after 2 s.
 */
const [nodes = 0, pods = 0] = process.argv.slice(2).map(Number);
const isQuiet = process.argv[4] === "quiet";
const world: ScaleWorld = { nodes, pods };

const firstVersion = 1_000_000;
const gzipFromBytes = 128 * 1_024;
let version = firstVersion;
let changes = 0;

interface Collection {
  readonly path: string;
  readonly count: number;
  readonly at: (index: number, resourceVersion: number) => object;
  readonly pages: Map<string, Buffer>;
}

const collections: readonly Collection[] = [
  { path: "/api/v1/pods", count: pods, at: (index, at) => podAt(index, world, at, changes), pages: new Map() },
  { path: "/api/v1/nodes", count: nodes, at: nodeAt, pages: new Map() },
  { path: "/apis/karpenter.sh/v1/nodeclaims", count: nodes, at: nodeClaimAt, pages: new Map() },
  { path: "/apis/storage.k8s.io/v1/csinodes", count: nodes, at: csiNodeAt, pages: new Map() },
];

const day = 86_400_000;
const certificates = createCertificates({
  dnsNames: ["localhost"],
  ipv4Addresses: ["127.0.0.1"],
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + day),
});
const { certificate, privateKey, certificateAuthority } = certificates;

const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const url = new URL(request.url ?? "/", "https://localhost");
  const collection = collections.find(({ path }) => path === url.pathname);
  const isGzip = String(request.headers["accept-encoding"]).includes("gzip");
  if (request.method === "POST") {
    changes += 1;
    version += Math.ceil(pods / 100);
    response.end("{}");
  } else if (url.searchParams.has("watch")) {
    void watch(collection, Number(url.searchParams.get("resourceVersion")), response);
  } else if (isSingle(url.pathname)) {
    response.writeHead(404).end(JSON.stringify({ kind: "Status", reason: "NotFound", message: "it is not there" }));
  } else {
    const zip = isGzip ? zippedPage(collection, url.searchParams) : undefined;
    if (zip === undefined) response.end(pageOf(collection, url.searchParams));
    else response.writeHead(200, { "content-encoding": "gzip" }).end(zip);
  }
});

server.listen(0, "127.0.0.1");
await once(server, "listening");
for (const collection of collections) warmUp(collection);
const address = server.address();
if (address === null || typeof address === "string") throw new Error("the server has no port");
console.log(JSON.stringify({ url: `https://127.0.0.1:${address.port}`, certificateAuthority }));

/** So that the lists are measured and not the making of them. */
function warmUp(collection: Collection): void {
  for (let start = 0; start < collection.count; start += 500) {
    zippedPage(collection, new URLSearchParams({ limit: "500", ...(start > 0 && { continue: String(start) }) }));
  }
}

function isSingle(path: string): boolean {
  return path.includes("/configmaps/");
}

/** Undefined for a page that is sent as it is. Whole pages are made once. */
function zippedPage(collection: Collection | undefined, query: URLSearchParams): Buffer | undefined {
  const isKept = query.get("limit") === "500" && !isUnbound(query);
  const key = query.get("continue") ?? "";
  const kept = isKept ? collection?.pages.get(key) : undefined;
  if (kept !== undefined) return kept;
  const page = pageOf(collection, query);
  if (page.length < gzipFromBytes) return undefined;
  const zip = gzipSync(page, { level: 1 });
  if (isKept) collection?.pages.set(key, zip);
  return zip;
}

/** All pods of this cluster have a node. */
function isUnbound(query: URLSearchParams): boolean {
  return query.get("fieldSelector")?.includes("spec.nodeName=") ?? false;
}

function pageOf(collection: Collection | undefined, query: URLSearchParams): Buffer {
  const start = Number(query.get("continue") ?? 0);
  const count = collection === undefined || isUnbound(query) ? 0 : collection.count;
  const end = Math.min(count, start + Number(query.get("limit")));
  const more = end < count ? { continue: String(end), remainingItemCount: count - end } : {};
  const items = Array.from({ length: end - start }, (_, n) => collection?.at(start + n, firstVersion));
  return Buffer.from(JSON.stringify({ kind: "List", metadata: { resourceVersion: String(version), ...more }, items }));
}

async function watch(collection: Collection | undefined, from: number, response: ServerResponse): Promise<void> {
  const changed = Math.ceil((collection?.count ?? 0) / 100);
  const line = (type: string, object: object) => response.write(`${JSON.stringify({ type, object })}\n`);
  response.writeHead(200);
  if (from < version) {
    for (let n = 0; n < changed; n += 1) line("MODIFIED", collection?.at(n * 100, version - changed + n) ?? {});
  }
  const step = () => {
    if (isQuiet) line("BOOKMARK", { metadata: { resourceVersion: String(version) } });
    else line("MODIFIED", collection?.at(1, ++version) ?? {});
  };
  const timer = setInterval(step, isQuiet ? 2_000 : 20);
  response.on("close", () => clearInterval(timer));
}
