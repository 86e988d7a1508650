import type { KubernetesEndpoint, KubernetesRequest, WatchingClient } from "./client.ts";
import { ConnectionFailed } from "./exchange.ts";

export interface ReconnectingOptions {
  /** What is known of the cluster's endpoint; may be old. */
  readonly endpoint: () => Promise<KubernetesEndpoint>;
  /** Asks anew. */
  readonly freshEndpoint: () => Promise<KubernetesEndpoint>;
  readonly connect: (endpoint: KubernetesEndpoint) => WatchingClient;
}

/**
 * A client whose endpoint may move. When no connection comes about, by the network or by TLS, the endpoint is looked up again: if it is
 * another one now, the call is sent there, once; nothing of it had arrived. If it is the same, the failure stands.
 */
export function reconnectingClient({ endpoint, freshEndpoint, connect }: ReconnectingOptions): WatchingClient {
  let current: Promise<Connection> | undefined;

  async function first(): Promise<Connection> {
    const known = await endpoint();
    return { endpoint: known, client: connect(known) };
  }

  function connection(): Promise<Connection> {
    current ??= forgetIfFailed(first());
    return current;
  }

  function forgetIfFailed(made: Promise<Connection>): Promise<Connection> {
    made.catch(() => {
      if (current === made) current = undefined;
    });
    return made;
  }

  /** Where the failed one is still in use, asks for another; several failures at once ask together. */
  async function another(failed: Connection, error: ConnectionFailed): Promise<Connection> {
    let found = await connection();
    if (found === failed) {
      const asked = freshEndpoint().then((fresh) =>
        isSame(fresh, failed.endpoint) ? failed : { endpoint: fresh, client: connect(fresh) },
      );
      current = forgetIfFailed(asked);
      found = await current.catch(() => failed);
    }
    if (found === failed) throw error;
    return found;
  }

  async function call<T>(run: (client: WatchingClient) => Promise<T>): Promise<T> {
    const used = await connection();
    try {
      return await run(used.client);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
      return run((await another(used, error)).client);
    }
  }

  return {
    request: (request: KubernetesRequest) => call((client) => client.request(request)),
    stream: (request, onLine) => call((client) => client.stream(request, onLine)),
  };
}

interface Connection {
  readonly endpoint: KubernetesEndpoint;
  readonly client: WatchingClient;
}

function isSame(one: KubernetesEndpoint, other: KubernetesEndpoint): boolean {
  return one.url === other.url && one.certificateAuthority === other.certificateAuthority;
}
