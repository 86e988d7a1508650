import { describe, expect, it } from "vitest";
import { kubernetesClient } from "../../shared/adapters/kubernetes/client.ts";
import { webhookStore } from "../../shared/adapters/kubernetes/webhook-store.ts";
import { httpsLoopback, loopbackCertificates, type ScriptedAnswer } from "../support/loopback.ts";

const certificates = loopbackCertificates();

/** The store in front of an API server that answers as told. */
async function storeAgainst(answer: ScriptedAnswer) {
  const server = await httpsLoopback(() => answer, certificates);
  const client = kubernetesClient({
    endpoint: { url: server.url, certificateAuthority: certificates.certificateAuthority },
    tokens: { token: async () => "token", invalidate: () => undefined },
    sleep: async () => undefined,
  });
  const options = { client, namespace: "ns", secretName: "hook", configurationName: "journeyman" };
  return { server, store: webhookStore(options), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const metadata = { resourceVersion: "7" };
const trusting = { resourceVersion: "7", entries: [{ name: "pods", caBundle: "" }] };

describe("the objects of the webhook over HTTPS", () => {
  it("reads its Secret as text, one without data too, and none where there is none", async () => {
    await using full = await storeAgainst({ body: { metadata, data: { "tls.crt": base64("PEM") } } });
    expect(await full.store.readSecret()).toEqual({ resourceVersion: "7", data: { "tls.crt": "PEM" } });
    await using empty = await storeAgainst({ body: { metadata } });
    expect(await empty.store.readSecret()).toEqual({ resourceVersion: "7", data: {} });
    await using absent = await storeAgainst({ status: 404, body: { reason: "NotFound" } });
    expect(await absent.store.readSecret()).toBeUndefined();
  });

  it("changes a Secret against the version that it read, and takes entries away", async () => {
    await using given = await storeAgainst({ body: {} });
    expect(await given.store.writeSecret({ "tls.crt": "PEM", "next.crt": null }, "7")).toBe("written");
    const [{ method, url, headers, body } = { headers: {}, body: "" }] = given.server.requests;
    expect([method, url?.pathname]).toEqual(["PATCH", "/api/v1/namespaces/ns/secrets/hook"]);
    expect(headers["content-type"]).toBe("application/merge-patch+json");
    expect(JSON.parse(body)).toEqual({ metadata, data: { "tls.crt": base64("PEM"), "next.crt": null } });
  });

  it("makes a Secret that does not exist, without entries that were to be taken away", async () => {
    await using given = await storeAgainst({ status: 201, body: {} });
    await given.store.writeSecret({ "tls.crt": "PEM", "next.crt": null }, undefined);
    const [{ method, body } = { body: "" }] = given.server.requests;
    expect(method).toBe("POST");
    expect(JSON.parse(body)).toMatchObject({ metadata: { name: "hook" }, data: { "tls.crt": base64("PEM") } });
    expect(body).not.toContain("next.crt");
  });

  it("changes nothing of its configuration but the bundles, each found by its entry's name", async () => {
    await using given = await storeAgainst({ body: {} });
    await given.store.writeCaBundle("PEM", trusting);
    const [{ headers, body } = { headers: {}, body: "" }] = given.server.requests;
    expect(headers["content-type"]).toBe("application/strategic-merge-patch+json");
    expect(JSON.parse(body)).toEqual({
      metadata,
      webhooks: [{ name: "pods", clientConfig: { caBundle: base64("PEM") } }],
    });
  });

  it("tells a conflict as one: somebody else wrote, made or deleted it first", async () => {
    await using changed = await storeAgainst({ status: 409, body: { reason: "Conflict" } });
    expect(await changed.store.writeSecret({}, "7")).toBe("conflict");
    expect(await changed.store.writeSecret({}, undefined)).toBe("conflict");
    expect(await changed.store.writeCaBundle("PEM", trusting)).toBe("conflict");
    await using deleted = await storeAgainst({ status: 404, body: { reason: "NotFound" } });
    expect(await deleted.store.writeSecret({}, "7")).toBe("conflict");
  });

  it("fails where a right is missing or the namespace does not exist", async () => {
    await using denied = await storeAgainst({ status: 403, body: { reason: "Forbidden" } });
    await expect(denied.store.readConfiguration()).rejects.toMatchObject({ kind: "Denied" });
    await expect(denied.store.writeSecret({}, "7")).rejects.toMatchObject({ kind: "Denied" });
    await using nowhere = await storeAgainst({ status: 404, body: { reason: "NotFound" } });
    await expect(nowhere.store.writeSecret({}, undefined)).rejects.toMatchObject({ kind: "NotFound" });
  });
});
