import { once } from "node:events";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  type KubernetesEndpoint,
  type KubernetesRequest,
  kubernetesClient,
} from "../../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../../shared/adapters/kubernetes/kubernetes-port.ts";
import { reconnectingClient } from "../../shared/adapters/kubernetes/reconnecting.ts";
import { httpsLoopback, loopbackCertificates, type Outcome } from "../support/loopback.ts";

const certificates = loopbackCertificates();
const { certificateAuthority } = certificates;
const silent = { count: () => {}, log: () => {} };
const ok = { body: { kind: "Node", apiVersion: "v1", metadata: { name: "a" } } };
const get: KubernetesRequest = { method: "GET", path: "/api/v1/nodes/a" };
const create: KubernetesRequest = { method: "POST", path: "/api/v1/nodes", body: {} };
const patch: KubernetesRequest = { method: "PATCH", path: "/api/v1/nodes/a", body: { metadata: { labels: {} } } };
const conditional: KubernetesRequest = { ...patch, body: { metadata: { resourceVersion: "1" } } };

function clientOf(endpoint: KubernetesEndpoint, waits: number[] = []) {
  const tokens = { token: async () => "token", invalidate: () => {} };
  return kubernetesClient({ endpoint, tokens, sleep: async (milliseconds) => void waits.push(milliseconds) });
}

/** The client against a server that gives these answers, one after the other, and the last one for ever. */
async function apiServer(...answers: readonly Outcome[]) {
  let calls = 0;
  const server = await httpsLoopback(() => answers[Math.min(calls++, answers.length - 1)] ?? {}, certificates);
  const waits: number[] = [];
  const client = clientOf({ url: server.url, certificateAuthority }, waits);
  return { client, waits, requests: server.requests, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

describe("a request that may be made twice", () => {
  it.each([
    ["a read", get],
    ["a deletion", { method: "DELETE", path: "/api/v1/nodes/a" }],
    ["a patch", patch],
  ] as const)("is repeated after a 5xx and after a lost connection: %s", async (_what, request) => {
    await using server = await apiServer({ status: 503 }, "cut", ok);
    expect(await server.client.request(request)).toMatchObject({ metadata: { name: "a" } });
    expect(server.waits).toEqual([250, 500]);
  });

  it("fails after two repetitions", async () => {
    await using server = await apiServer({ status: 500, body: "etcdserver: leader changed" });
    await expect(server.client.request(get)).rejects.toThrow(/500 etcdserver: leader changed/);
    expect(server.requests).toHaveLength(3);
  });
});

describe("a request that must not be made twice", () => {
  it.each([
    ["a creation", create],
    ["a patch of one version", conditional],
  ])("fails with the first 5xx and the first lost connection: %s", async (_what, request) => {
    await using server = await apiServer({ status: 503 }, "cut", ok);
    await expect(server.client.request(request)).rejects.toMatchObject({ kind: "Unknown", code: "HTTP503" });
    await expect(server.client.request(request)).rejects.toMatchObject({ kind: "Unknown", code: "ECONNRESET" });
    expect(server.requests).toHaveLength(2);
  });

  it("is repeated after a 429, which the server answers before it does anything", async () => {
    await using server = await apiServer({ status: 429, headers: { "retry-after": "1" } }, ok);
    await server.client.request(create);
    expect(server.waits).toEqual([1_000]);
  });
});

describe("an answer", () => {
  it("may be gzipped, and is asked for so", async () => {
    const body = gzipSync(JSON.stringify(ok.body));
    await using server = await apiServer({ headers: { "content-encoding": "gzip" }, body });
    expect(await server.client.request(get)).toEqual(ok.body);
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("gzip");
  });

  it("that breaks off is a lost connection", async () => {
    const body = gzipSync(JSON.stringify(ok.body));
    const broken = { headers: { "content-encoding": "gzip", "content-length": "9999" }, body };
    await using server = await httpsLoopback(() => broken, certificates);
    const client = clientOf({ url: server.url, certificateAuthority });
    const failed = client.request({ ...create, withinMilliseconds: 200 });
    await expect(failed).rejects.toMatchObject({ kind: "Unknown" });
  });
});

describe("a call", () => {
  it("ends with its deadline when the server does not answer", async () => {
    await using server = await httpsLoopback(() => new Promise<Outcome>(() => {}), certificates);
    const client = clientOf({ url: server.url, certificateAuthority });
    const failed = client.request({ ...get, withinMilliseconds: 100 });
    await expect(failed).rejects.toThrow(/GET \/api\/v1\/nodes\/a at 127.0.0.1:\d+: no whole answer within \d+ ms/);
  });

  it("does not wait past its deadline for a busy server", async () => {
    await using server = await apiServer({ status: 429, headers: { "retry-after": "2" } }, ok);
    await expect(server.client.request({ ...get, withinMilliseconds: 1_500 })).rejects.toMatchObject({
      kind: "Throttled",
    });
    expect(server.waits).toEqual([]);
  });

  it("is not made when its invocation is about to end", async () => {
    await using server = await apiServer(ok);
    const port = kubernetesPort(async () => server.client, silent, { remainingMilliseconds: () => 900 });
    await expect(port.get("Node", { name: "a" })).rejects.toMatchObject({ code: "DeadlineExceeded" });
    expect(server.requests).toHaveLength(0);
  });
});

describe("an endpoint that cannot be reached", () => {
  it.each([
    ["https://cluster.invalid", /ENOTFOUND|EAI_AGAIN/, /DNS resolution and DNS hostnames.*VPC|VPC.*DNS/],
    ["https://127.0.0.1:1", /ECONNREFUSED/, /cluster exists and is ACTIVE/],
  ])("says what to check: %s", async (url, code, advice) => {
    const failed = clientOf({ url, certificateAuthority }).request(get);
    await expect(failed).rejects.toMatchObject({
      code: expect.stringMatching(code),
      message: expect.stringMatching(advice),
    });
  });

  it("that leaves a connection hanging says which network settings to check", async () => {
    const mute = createServer(() => {}).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const address = mute.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const client = clientOf({ url: `https://127.0.0.1:${port}`, certificateAuthority });
    const failed = client.request({ ...create, withinMilliseconds: 100 });
    await expect(failed).rejects.toThrow(/no connection.*VPC configuration.*security group.*public access CIDRs/s);
    mute.close();
  });

  it("with another certificate authority says so", async () => {
    await using server = await httpsLoopback(() => ok, loopbackCertificates());
    await expect(clientOf({ url: server.url, certificateAuthority }).request(get)).rejects.toThrow(
      /certificate authority/,
    );
  });
});

describe("an endpoint that has moved", () => {
  it.each([
    ["to another address", { url: "https://127.0.0.1:1", certificateAuthority }],
    ["to another certificate authority", { certificateAuthority: loopbackCertificates().certificateAuthority }],
  ])("is looked up again, once for all calls: %s", async (_what, old) => {
    await using server = await httpsLoopback(() => ok, certificates);
    const fresh = { url: server.url, certificateAuthority };
    let lookUps = 0;
    const client = reconnectingClient({
      endpoint: async () => ({ ...fresh, ...old }),
      freshEndpoint: async () => {
        lookUps += 1;
        return fresh;
      },
      connect: clientOf,
    });
    const answers = await Promise.all([client.request(get), client.request(create), client.request(get)]);
    expect(answers).toEqual([ok.body, ok.body, ok.body]);
    expect(lookUps).toBe(1);
  });

  it("fails as it did when it has not moved", async () => {
    const endpoint = async () => ({ url: "https://127.0.0.1:1", certificateAuthority });
    const client = reconnectingClient({ endpoint, freshEndpoint: endpoint, connect: clientOf });
    await expect(client.request(get)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
