import { ProviderError } from "../../ports.ts";
import type { KubernetesClient, KubernetesRequest, WatchingClient } from "./client.ts";

/** What an invocation keeps for itself, to say what went wrong before it is killed. */
const keptMilliseconds = 1_000;
const longestMilliseconds = 30_000;

/** The client, but no call takes longer than the invocation that makes it has left. */
export function withinInvocation<C extends KubernetesClient>(client: C, remaining: (() => number) | undefined): C;
export function withinInvocation(
  client: WatchingClient,
  remaining: (() => number) | undefined,
): KubernetesClient | WatchingClient {
  if (remaining === undefined) return client;
  const bounded = (request: KubernetesRequest): KubernetesRequest => {
    const left = remaining() - keptMilliseconds;
    if (left <= 0) {
      const what = `${request.method} ${request.path}: not sent, the invocation has ${remaining()} ms left`;
      throw new ProviderError("Unknown", "DeadlineExceeded", what);
    }
    return { ...request, withinMilliseconds: Math.min(left, request.withinMilliseconds ?? longestMilliseconds) };
  };
  return {
    request: async (request) => client.request(bounded(request)),
    stream: async (request, onLine) => client.stream(bounded(request), onLine),
  };
}
