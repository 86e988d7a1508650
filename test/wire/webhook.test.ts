import { request } from "node:https";
import { describe, expect, it } from "vitest";
import type { ClusterEvent } from "../../functions/webhook/admission.ts";
import type { CertificateSet } from "../../functions/webhook/certificates.ts";
import { forwarder } from "../../functions/webhook/forwarder.ts";
import { webhookRegistry } from "../../functions/webhook/metrics.ts";
import { reloadCertificate, webhookServer } from "../../functions/webhook/server.ts";
import { pendingPod, reviewBody } from "../support/admission.ts";
import { close, listen, loopbackCertificates } from "../support/loopback.ts";

async function startWebhook(certificates: CertificateSet = loopbackCertificates()) {
  const offered: ClusterEvent[] = [];
  const { counters } = forwarder({ send: async () => [], now: () => 0 });
  const registry = webhookRegistry(counters);
  const server = webhookServer({
    certificate: certificates,
    now: () => 5,
    offer: (events) => offered.push(...events),
    metrics: () => registry.metrics(),
  });
  const port = await listen(server);
  const send = (method: string, path: string, body?: string, ca = certificates.certificateAuthority) =>
    new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, method, path, ca, agent: false }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, body: text });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return { server, send, offered, [Symbol.asyncDispose]: () => close(server) };
}

const pending = JSON.stringify(
  reviewBody({ subResource: "status", object: pendingPod("no node"), oldObject: pendingPod(undefined) }),
);

describe("the webhook over TLS", () => {
  it("allows the request and offers its event", async () => {
    await using webhook = await startWebhook();
    const { status, body } = await webhook.send("POST", "/admit", pending);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "review-1", allowed: true },
    });
    expect(webhook.offered.map(({ hint }) => hint)).toEqual([{ kind: "provision", reason: "pods-pending", at: 5 }]);
  });

  it("refuses what is no review", async () => {
    await using webhook = await startWebhook();
    expect((await webhook.send("POST", "/admit", "{}")).status).toBe(400);
    expect((await webhook.send("POST", "/admit", "not json")).status).toBe(400);
    expect(webhook.offered).toEqual([]);
  });

  it("tells its health and its metrics, and nothing else", async () => {
    await using webhook = await startWebhook();
    expect(await webhook.send("GET", "/healthz")).toEqual({ status: 200, body: "ok" });
    expect((await webhook.send("GET", "/metrics")).body).toContain(
      'journeyman_webhook_events_total{outcome="dropped"} 0',
    );
    expect((await webhook.send("GET", "/secrets")).status).toBe(404);
    expect((await webhook.send("GET", "/admit")).status).toBe(404);
  });

  it("serves a renewed certificate without a restart", async () => {
    await using webhook = await startWebhook();
    const renewed = loopbackCertificates();
    reloadCertificate(webhook.server, renewed);
    expect((await webhook.send("GET", "/healthz", undefined, renewed.certificateAuthority)).status).toBe(200);
    await expect(webhook.send("GET", "/healthz")).rejects.toThrow();
  });
});
