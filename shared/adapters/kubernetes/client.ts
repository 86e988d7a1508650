import { Agent } from "node:https";
import type { ProviderError } from "../../ports.ts";
import { type Answer, exchange, exchangeLines, type Outgoing } from "./exchange.ts";
import { settledAnswer } from "./repetition.ts";
import { statusError } from "./status.ts";
import type { TokenSource } from "./token.ts";

export interface KubernetesEndpoint {
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

export interface KubernetesRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Wait and try again when the server says 429; on by default. Evictions turn it off: there 429 is an answer. */
  readonly retryThrottled?: boolean;
  /** The most that the call may take, its repetitions and waits included; 30 s without it. */
  readonly withinMilliseconds?: number;
  /** Keys of arrays whose content the answer may lack: it is not even parsed. */
  readonly without?: readonly string[];
}

export interface KubernetesClient {
  /** The decoded JSON of a 2xx answer. @throws ProviderError for any other, and when there is none. */
  request(request: KubernetesRequest): Promise<unknown>;
}

/** Reads watches too. */
export interface WatchingClient extends KubernetesClient {
  /** Hands on each document of a stream of them, until the server ends it or `onLine` returns "stop". Never repeated. */
  stream(request: KubernetesRequest, onLine: (document: unknown) => "stop" | undefined): Promise<void>;
}

export interface KubernetesClientOptions {
  readonly endpoint: KubernetesEndpoint;
  readonly tokens: TokenSource;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** After this pause, as when a sandbox was frozen, the server may have closed what looks open here. */
const freshAfterMilliseconds = 10_000;

/**
 * A thin Kubernetes client on node:https: keep-alive, gzip, the cluster's own CA, one new token after a 401, a short wait after a 429.
 * What may be done twice is repeated after a 5xx or a lost connection; anything else fails at once, since nobody knows whether it was
 * done. (A full client library costs about 120 ms and 2 MB of every cold start.)
 */
export function kubernetesClient({ endpoint, tokens, sleep }: KubernetesClientOptions): WatchingClient {
  const base = new URL(endpoint.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca: endpoint.certificateAuthority });
  let usedAt = performance.now();

  async function outgoing(request: KubernetesRequest, withinMilliseconds: number): Promise<Outgoing> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const url = new URL(request.path, base);
    for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, value);
    const headers = {
      accept: "application/json",
      "accept-encoding": "gzip",
      authorization: `Bearer ${await tokens.token()}`,
      "user-agent": "journeyman",
      ...(body !== undefined && {
        "content-type": request.contentType ?? "application/json",
        "content-length": Buffer.byteLength(body),
      }),
    };
    closeStale();
    return {
      url,
      options: { method: request.method, agent, headers },
      body,
      withinMilliseconds,
      without: request.without ?? [],
    };
  }

  function closeStale(): void {
    const now = performance.now();
    if (now - usedAt > freshAfterMilliseconds) {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
    usedAt = now;
  }

  const renew = () => tokens.invalidate();
  return {
    async request(request) {
      const send = async (left: number) => exchange(await outgoing(request, left));
      const answer = await settledAnswer({ request, send, isRepeatable: isIdempotent(request), renew, sleep });
      if (isSuccess(answer)) return answer.body;
      throw refusal(request, answer);
    },
    async stream(request, onLine) {
      const send = async (left: number) => exchangeLines(await outgoing(request, left), onLine);
      const answer = await settledAnswer({ request, send, isRepeatable: false, renew, sleep });
      if (!isSuccess(answer)) throw refusal(request, answer);
    },
  };
}

/** A patch that names the version it was made from would find its own first write in the way, and a POST makes one more object. */
function isIdempotent({ method, body }: KubernetesRequest): boolean {
  if (method === "GET" || method === "DELETE") return true;
  return method === "PATCH" && !hasResourceVersion(body);
}

function hasResourceVersion(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("metadata" in body)) return false;
  return typeof body.metadata === "object" && body.metadata !== null && "resourceVersion" in body.metadata;
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function refusal({ method, path }: KubernetesRequest, { status, body }: Answer): ProviderError {
  return statusError(`${method} ${path}`, status, body);
}
