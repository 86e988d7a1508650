import { describe, expect, it } from "vitest";
import { kubernetesClient } from "../../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../../shared/adapters/kubernetes/kubernetes-port.ts";
import type { KubernetesPort } from "../../shared/ports.ts";
import { httpsLoopback, loopbackCertificates, type ReceivedRequest, type ScriptedAnswer } from "../support/loopback.ts";

const certificates = loopbackCertificates();

interface ApiServer extends AsyncDisposable {
  readonly port: KubernetesPort;
  readonly requests: readonly ReceivedRequest[];
  readonly waits: readonly number[];
  readonly counted: readonly string[];
}

/** The real client against a server that gives these answers, one after the other, and the last one for ever. */
async function apiServer(...answers: readonly ScriptedAnswer[]): Promise<ApiServer> {
  let calls = 0;
  const server = await httpsLoopback(() => answers[Math.min(calls++, answers.length - 1)] ?? {}, certificates);
  const waits: number[] = [];
  const counted: string[] = [];
  let tokens = 1;
  const client = kubernetesClient({
    endpoint: { url: server.url, certificateAuthority: certificates.certificateAuthority },
    tokens: {
      token: async () => `token-${tokens}`,
      invalidate: () => {
        tokens += 1;
      },
    },
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  });
  const telemetry = { count: (metric: string) => counted.push(metric), log: () => {} };
  const port = kubernetesPort(async () => client, telemetry);
  return { port, requests: server.requests, waits, counted, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

function page(names: readonly string[], token = ""): ScriptedAnswer {
  return {
    body: { kind: "NodeList", metadata: { continue: token }, items: names.map((name) => ({ metadata: { name } })) },
  };
}

function failure(status: number, reason: string, more: object = {}): ScriptedAnswer {
  return {
    status,
    body: { kind: "Status", status: "Failure", code: status, reason, message: `it is ${reason}`, ...more },
  };
}

const expired = failure(410, "Expired");
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } } as const;

describe("lists", () => {
  it("follow the continue token and give items their apiVersion and kind", async () => {
    await using server = await apiServer(page(["a", "b"], "next"), page(["c"]));
    const nodes = await server.port.list("Node", { labelSelector: "x=y" });
    expect(nodes.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(["Node/a", "Node/b", "Node/c"]);
    expect(server.requests.map(({ url }) => url.pathname + url.search)).toEqual([
      "/api/v1/nodes?limit=500&labelSelector=x%3Dy",
      "/api/v1/nodes?limit=500&labelSelector=x%3Dy&continue=next",
    ]);
  });

  it("start again when the token has expired, without the pages they had", async () => {
    await using server = await apiServer(page(["old"], "next"), expired, page(["new"]));
    expect((await server.port.list("Node")).map(({ metadata }) => metadata.name)).toEqual(["new"]);
  });

  it("give up when the token expires again and again", async () => {
    await using server = await apiServer(expired);
    await expect(server.port.list("Node")).rejects.toMatchObject({ code: "Expired" });
    expect(server.requests).toHaveLength(4);
  });

  it("leave out and count an item that cannot be decoded", async () => {
    const broken = { metadata: { name: "broken" }, spec: { taints: "none" } };
    await using server = await apiServer({ body: { metadata: {}, items: [broken, { metadata: { name: "good" } }] } });
    expect((await server.port.list("Node")).map(({ metadata }) => metadata.name)).toEqual(["good"]);
    expect(server.counted).toEqual(["journeyman_undecodable_objects_total"]);
  });

  it("of a namespace and of an API group have their own paths", async () => {
    await using server = await apiServer(page([]));
    await server.port.list("Pod", { namespace: "shop" });
    await server.port.list("NodeClaim");
    expect(server.requests.map(({ url }) => url.pathname)).toEqual([
      "/api/v1/namespaces/shop/pods",
      "/apis/karpenter.sh/v1/nodeclaims",
    ]);
  });
});

describe("single objects", () => {
  it("are undefined when absent", async () => {
    await using server = await apiServer(failure(404, "NotFound"));
    expect(await server.port.get("Node", { name: "a" })).toBeUndefined();
    expect(await server.port.delete("Node", { name: "a" })).toBe("absent");
  });

  it("that exist already are a Conflict", async () => {
    await using server = await apiServer(failure(409, "AlreadyExists"));
    await expect(server.port.create("Node", node)).rejects.toMatchObject({ kind: "Conflict", code: "AlreadyExists" });
  });

  it("are patched by a merge patch, of the status if so asked", async () => {
    await using server = await apiServer({ body: node });
    await server.port.patch("Node", { name: "a" }, { metadata: { labels: { x: "y" } } }, { subresource: "status" });
    const [request] = server.requests;
    expect(request?.url.pathname).toBe("/api/v1/nodes/a/status");
    expect(request?.headers["content-type"]).toBe("application/merge-patch+json");
    expect(JSON.parse(request?.body ?? "")).toEqual({ metadata: { labels: { x: "y" } } });
  });

  it("are deleted only if the uid is the expected one", async () => {
    await using server = await apiServer({ body: {} }, failure(409, "Conflict"));
    const remove = () => server.port.delete("Pod", { name: "a", namespace: "n" }, { uid: "u", gracePeriodSeconds: 0 });
    expect(await remove()).toBe("deleted");
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      preconditions: { uid: "u" },
      gracePeriodSeconds: 0,
    });
    await expect(remove()).rejects.toMatchObject({ kind: "Conflict" });
  });

  it("of a namespaced kind need a namespace", async () => {
    await using server = await apiServer({});
    await expect(server.port.get("Pod", { name: "a" })).rejects.toMatchObject({ kind: "Invalid" });
    expect(server.requests).toHaveLength(0);
  });
});

describe("evictions", () => {
  const pod = { name: "web-1", namespace: "shop" };
  const budget = { causes: [{ reason: "DisruptionBudget", message: "needs 2 healthy pods and has 2 currently" }] };

  it("are blocked by a budget, which is an answer and not repeated", async () => {
    await using server = await apiServer(failure(429, "TooManyRequests", { details: budget }));
    const outcome = await server.port.evict(pod, { uid: "u" });
    expect(outcome).toEqual({ kind: "blocked", reason: "needs 2 healthy pods and has 2 currently" });
    expect(server.requests).toHaveLength(1);
  });

  it("are blocked by two budgets over one pod", async () => {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    await using server = await apiServer(failure(500, "", { message }));
    expect(await server.port.evict(pod)).toEqual({ kind: "blocked", reason: message });
  });

  it("fail when it is the server that is overloaded", async () => {
    await using server = await apiServer({ status: 429, body: "Too many requests, please try again later." });
    await expect(server.port.evict(pod)).rejects.toMatchObject({ kind: "Throttled" });
  });

  it("find the pod evicted or absent", async () => {
    await using server = await apiServer({ status: 201, body: {} }, failure(404, "NotFound"));
    expect(await server.port.evict(pod)).toEqual({ kind: "evicted" });
    expect(await server.port.evict(pod)).toEqual({ kind: "absent" });
    expect(server.requests[0]?.url.pathname).toBe("/api/v1/namespaces/shop/pods/web-1/eviction");
  });
});

describe("the client", () => {
  it("takes a new token after a 401, once", async () => {
    await using server = await apiServer(failure(401, "Unauthorized"), { body: node });
    expect((await server.port.get("Node", { name: "a" }))?.metadata.name).toBe("a");
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
  });

  it("is denied when the new token is refused too", async () => {
    await using server = await apiServer(failure(401, "Unauthorized"));
    await expect(server.port.get("Node", { name: "a" })).rejects.toMatchObject({ kind: "Denied" });
    expect(server.requests).toHaveLength(2);
  });

  it("waits as long as the server asks, at most two seconds, and twice at most", async () => {
    await using server = await apiServer({ status: 429, headers: { "retry-after": "30" }, body: "busy" });
    await expect(server.port.get("Node", { name: "a" })).rejects.toMatchObject({ kind: "Throttled" });
    expect(server.waits).toEqual([2_000, 2_000]);
  });

  it("trusts the cluster's own CA and no other", async () => {
    await using server = await httpsLoopback(() => ({ body: node }), loopbackCertificates());
    const client = kubernetesClient({
      endpoint: { url: server.url, certificateAuthority: certificates.certificateAuthority },
      tokens: { token: async () => "secret", invalidate: () => {} },
      sleep: async () => {},
    });
    await expect(client.request({ method: "GET", path: "/" })).rejects.toMatchObject({ name: "ProviderError" });
    expect(server.requests).toHaveLength(0);
  });

  it("reports a server that is not there, without the token", async () => {
    const server = await apiServer({ body: node });
    await server[Symbol.asyncDispose]();
    const failed = await server.port.get("Node", { name: "a" }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ kind: "Unknown", code: "ECONNREFUSED" });
    expect(String(failed)).not.toContain("token-");
  });
});
