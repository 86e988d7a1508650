import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { ProviderError } from "../../ports.ts";
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
}

export interface KubernetesClient {
  /** The decoded JSON of a 2xx answer. @throws ProviderError for any other, and when there is none. */
  request(request: KubernetesRequest): Promise<unknown>;
}

export interface KubernetesClientOptions {
  readonly endpoint: KubernetesEndpoint;
  readonly tokens: TokenSource;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const connectMilliseconds = 3_000;
const idleMilliseconds = 20_000;
const throttledRetries = 2;
const longestWaitSeconds = 2;

/**
 * A thin Kubernetes client on node:https: keep-alive, the cluster's own CA, one new token after a 401, a short wait after a 429.
 * (A full client library costs about 120 ms and 2 MB of every cold start.)
 */
export function kubernetesClient({ endpoint, tokens, sleep }: KubernetesClientOptions): KubernetesClient {
  const base = new URL(endpoint.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ca: endpoint.certificateAuthority });

  async function attempt(request: KubernetesRequest): Promise<Answer> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const url = new URL(request.path, base);
    for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, value);
    const options: RequestOptions = {
      method: request.method,
      agent,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${await tokens.token()}`,
        "user-agent": "journeyman",
        ...(body !== undefined && {
          "content-type": request.contentType ?? "application/json",
          "content-length": Buffer.byteLength(body),
        }),
      },
    };
    try {
      return await exchange(url, options, body);
    } catch (error) {
      // The server may close an idle connection at the moment we use it: the request never arrived, so it is sent once more.
      if (error instanceof StaleConnection) return exchange(url, options, body);
      throw error;
    }
  }

  return {
    async request(request) {
      let renewed = false;
      for (let throttled = 0; ; ) {
        const answer = await attempt(request);
        if (answer.status >= 200 && answer.status < 300) return answer.body;
        if (answer.status === 401 && !renewed) {
          renewed = true;
          tokens.invalidate();
          continue;
        }
        if (answer.status === 429 && request.retryThrottled !== false && throttled < throttledRetries) {
          throttled += 1;
          await sleep(1_000 * Math.min(retryAfterSeconds(answer.headers), longestWaitSeconds));
          continue;
        }
        throw statusError(`${request.method} ${request.path}`, answer.status, answer.body);
      }
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** JSON where the server sent JSON, else text. */
  readonly body: unknown;
}

class StaleConnection extends Error {}

function exchange(url: URL, options: RequestOptions, body: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parseBody(text) });
      });
    });
    const connectDeadline = setTimeout(
      () => request.destroy(new Error(`no connection within ${connectMilliseconds} ms`)),
      connectMilliseconds,
    );
    request.on("socket", (socket) => {
      if (!socket.connecting) clearTimeout(connectDeadline);
      else socket.once("secureConnect", () => clearTimeout(connectDeadline));
    });
    request.on("close", () => clearTimeout(connectDeadline));
    request.setTimeout(idleMilliseconds, () => request.destroy(new Error(`no data for ${idleMilliseconds} ms`)));
    request.on("error", fail);
    request.end(body);

    function fail(error: Error & { readonly code?: string }): void {
      if (request.reusedSocket && error.code === "ECONNRESET") {
        reject(new StaleConnection("", { cause: error }));
        return;
      }
      const what = `${options.method} ${url.pathname} at ${url.host}: ${error.message}`;
      reject(new ProviderError("Unknown", error.code ?? "ConnectionFailed", what, { cause: error }));
    }
  });
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function retryAfterSeconds(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) ? seconds : 1;
}
