import { type Kind, type KubernetesObject, kinds } from "../../shared/api/kinds.ts";
import { ProviderError, type ProviderErrorKind } from "../../shared/ports.ts";
import type { ApiServer } from "../../shared/simulator/api-server.ts";
import type { ReceivedRequest, ScriptedAnswer } from "./loopback.ts";

/** The simulated API server in the shape of Kubernetes' REST API, for the real client to talk to. */
export function restAnswer(server: ApiServer, request: ReceivedRequest): ScriptedAnswer {
  try {
    return answer(server, request);
  } catch (error) {
    if (error instanceof ProviderError) return status(statusCodes[error.kind], error.code, error.message);
    throw error;
  }
}

const statusCodes: Readonly<Record<ProviderErrorKind, number>> = {
  NotFound: 404,
  Conflict: 409,
  Throttled: 429,
  NoCapacity: 500,
  Denied: 403,
  Invalid: 422,
  Unknown: 500,
};

function answer(server: ApiServer, { method, url, body }: ReceivedRequest): ScriptedAnswer {
  const { kind, namespace, name, subresource } = parsePath(url.pathname);
  const sent = body === "" ? {} : JSON.parse(body);
  const inNamespace = namespace === undefined ? {} : { namespace };
  if (name === undefined) {
    const dryRun = url.searchParams.get("dryRun") === "All" ? ({ dryRun: true } as const) : {};
    if (method === "POST") return { status: 201, body: server.create(kind, sent, dryRun) };
    return listPage(url, server.list(kind, { ...inNamespace, ...selectors(url) }));
  }
  const reference = { name, ...inNamespace };
  switch (method) {
    case "GET": {
      const found = server.get(kind, reference);
      return found === undefined ? status(404, "NotFound", `${kind} ${name}`) : { body: found };
    }
    case "PATCH":
      return { body: server.patch(kind, reference, sent, subresource === "status" ? { subresource } : {}) };
    case "DELETE": {
      const deleted = server.delete(kind, reference, deleteOptions(sent));
      return deleted === "absent" ? status(404, "NotFound", `${kind} ${name}`) : { body: {} };
    }
    default: {
      const outcome = server.evict(reference, deleteOptions(sent.deleteOptions));
      if (outcome.kind === "evicted") return { status: 201, body: {} };
      if (outcome.kind === "absent") {
        return server.get(kind, reference) === undefined
          ? status(404, "NotFound", `pod ${name}`)
          : status(409, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b");
      }
      return status(429, "TooManyRequests", outcome.reason, [{ reason: "DisruptionBudget", message: outcome.reason }]);
    }
  }
}

/** `/api/v1/...` or `/apis/GROUP/VERSION/...`, then perhaps `namespaces/NAMESPACE`, the plural, a name and a subresource. */
function parsePath(path: string) {
  const [root, ...rest] = path.split("/").slice(1).map(decodeURIComponent);
  const apiVersion = (root === "api" ? rest.splice(0, 1) : rest.splice(0, 2)).join("/");
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const namespace = isNamespaced ? rest.splice(0, 2)[1] : undefined;
  const [plural, name, subresource] = rest;
  const entry = Object.entries(kinds).find(([, kind]) => kind.apiVersion === apiVersion && kind.plural === plural);
  if (entry === undefined) throw new ProviderError("NotFound", "NotFound", path);
  return { kind: entry[0] as Kind, namespace, name, subresource };
}

/** A page is as short as the client allows and two items at most, so that every list of a test has several. Items lack their type. */
function listPage(url: URL, objects: readonly KubernetesObject[]): ScriptedAnswer {
  const size = Math.min(2, Number(url.searchParams.get("limit")));
  const start = Number(url.searchParams.get("continue") ?? 0);
  const items = objects.slice(start, start + size).map(({ apiVersion: _, kind: __, ...item }) => item);
  const isLast = start + size >= objects.length;
  return { body: { metadata: isLast ? {} : { continue: String(start + size) }, items } };
}

function selectors(url: URL): { readonly fieldSelector?: string; readonly labelSelector?: string } {
  const [fieldSelector, labelSelector] = [url.searchParams.get("fieldSelector"), url.searchParams.get("labelSelector")];
  return { ...(fieldSelector !== null && { fieldSelector }), ...(labelSelector !== null && { labelSelector }) };
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid: string };
  readonly gracePeriodSeconds?: number;
}

function deleteOptions({ preconditions, gracePeriodSeconds }: DeleteOptions = {}) {
  return {
    ...(preconditions !== undefined && { uid: preconditions.uid }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

function status(code: number, reason: string, message: string, causes: readonly object[] = []): ScriptedAnswer {
  return { status: code, body: { kind: "Status", status: "Failure", code, reason, message, details: { causes } } };
}
