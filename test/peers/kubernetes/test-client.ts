import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { CertificateWithKey } from "./certificates.ts";
import type { ApiServerAddress } from "./kubeconfig.ts";

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Any object of the API; a test says what it expects of it. */
export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface BearerToken {
  readonly token: string;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How a test speaks to a real API server, as the holder of a client certificate or a token. It knows nothing of the project's own client. */
export class TestClient {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #authorization: Readonly<Record<string, string>>;

  constructor({ url, certificateAuthority }: ApiServerAddress, credentials: CertificateWithKey | BearerToken) {
    this.#url = url;
    const isBearer = "token" in credentials;
    this.#authorization = isBearer ? { authorization: `Bearer ${credentials.token}` } : {};
    const identity = isBearer ? {} : { cert: credentials.certificate, key: credentials.privateKey };
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, ca: certificateAuthority, ...identity });
  }

  /** The answer, whatever its status. Rejects when there is none. */
  async request<Body = KubernetesObject>(method: Method, path: string, body?: object): Promise<Answer<Body>> {
    const response = await this.#open(method, path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    return { status: response.statusCode ?? 0, body: parsed(text) as Body };
  }

  get<Body = KubernetesObject>(path: string): Promise<Body> {
    return this.#expect<Body>("GET", path);
  }

  create<Body = KubernetesObject>(path: string, object: object): Promise<Body> {
    return this.#expect<Body>("POST", path, object);
  }

  /** A JSON merge patch; of `PATH/status` for the status. */
  patch<Body = KubernetesObject>(path: string, change: object): Promise<Body> {
    return this.#expect<Body>("PATCH", path, change);
  }

  delete<Body = KubernetesObject>(path: string): Promise<Body> {
    return this.#expect<Body>("DELETE", path);
  }

  async list<Item = KubernetesObject>(path: string): Promise<readonly Item[]> {
    return (await this.get<{ readonly items: readonly Item[] }>(path)).items;
  }

  /**
   * Lists a collection, then watches it until its objects are as wanted, and answers with them. The path may hold selectors. Throws an
   * Error with the last objects when that takes too long.
   */
  async until<Item extends KubernetesObject = KubernetesObject>(
    path: string,
    isWanted: (items: readonly Item[]) => boolean,
    seconds = 30,
  ): Promise<readonly Item[]> {
    const deadline = AbortSignal.timeout(seconds * 1_000);
    const list = await this.get<{ metadata: { resourceVersion: string }; items: readonly Item[] }>(path);
    const items = new Map(list.items.map((item) => [keyOf(item), item]));
    if (isWanted([...items.values()])) return [...items.values()];
    const watch = new URL(path, this.#url);
    watch.searchParams.set("watch", "true");
    watch.searchParams.set("resourceVersion", list.metadata.resourceVersion);
    try {
      const response = await this.#open("GET", `${watch.pathname}${watch.search}`, undefined, deadline);
      for await (const line of linesOf(response)) {
        const event = JSON.parse(line) as { readonly type: string; readonly object: Item };
        if (event.type === "ERROR") throw new Error(`a watch of ${path} ended: ${line}`);
        if (event.type === "DELETED") items.delete(keyOf(event.object));
        else items.set(keyOf(event.object), event.object);
        if (isWanted([...items.values()])) return [...items.values()];
      }
    } catch (error) {
      if (!deadline.aborted) throw error;
    }
    const found = JSON.stringify([...items.values()], undefined, 1).slice(0, 4_000);
    throw new Error(`${path} is not as wanted after ${seconds} s, or its watch ended; last seen: ${found}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #expect<Body>(method: Method, path: string, body?: object): Promise<Body> {
    const answer = await this.request<Body>(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  #open(method: Method, path: string, body?: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    return new Promise((resolve, reject) => {
      const headers = {
        accept: "application/json",
        ...this.#authorization,
        ...(payload !== undefined && { "content-type": contentType }),
      };
      const options = { method, agent: this.#agent, headers, ...(signal !== undefined && { signal }) };
      httpsRequest(new URL(path, this.#url), options, resolve).on("error", reject).end(payload);
    });
  }
}

/** Reads no further, and lets the connection go, when its reader stops. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
