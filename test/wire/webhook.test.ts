import { Agent, request } from "node:https";
import { describe, expect, it } from "vitest";
import type { ClusterEvent } from "../../functions/webhook/admission.ts";
import type { CertificateSet } from "../../functions/webhook/certificates.ts";
import { forwarder } from "../../functions/webhook/forwarder.ts";
import { webhookMetrics } from "../../functions/webhook/metrics.ts";
import { reloadCertificate, webhookServer } from "../../functions/webhook/server.ts";
import { pendingPod, reviewBody } from "../support/admission.ts";
import { close, listen, loopbackCertificates } from "../support/loopback.ts";

async function startWebhook(certificates: CertificateSet = loopbackCertificates()) {
  const offered: ClusterEvent[] = [];
  const state: { fault?: string; isLeaving: boolean } = { isLeaving: false };
  const events = forwarder({ send: async () => [], now: () => 0 });
  const metrics = webhookMetrics({
    events,
    isReady: () => state.fault === undefined,
    expiresAt: () => 7_000,
    clusterGauges: async () => [
      { name: "karpenter_nodepools_usage", labels: { nodepool: "general", resource_type: "cpu" }, value: 4 },
    ],
  });
  const server = webhookServer({
    certificate: certificates,
    now: () => 5,
    offer: (found) => offered.push(...found),
    fault: () => state.fault,
    isLeaving: () => state.isLeaving,
    metrics,
  });
  const port = await listen(server);
  const agent = new Agent({ keepAlive: true });
  const send = (method: string, path: string, body?: string, ca = certificates.certificateAuthority) =>
    new Promise<{ readonly status: number; readonly body: string; readonly connection: string | undefined }>(
      (resolve, reject) => {
        const sent = request({ host: "127.0.0.1", port, method, path, ca, agent }, async (response) => {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: text, connection: response.headers.connection });
        });
        sent.on("error", reject);
        sent.end(body);
      },
    );
  const stop = async () => {
    agent.destroy();
    await close(server);
  };
  return { server, send, offered, state, [Symbol.asyncDispose]: stop };
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

  it("refuses what is no review, and a forged one whose name could fill the bus", async () => {
    await using webhook = await startWebhook();
    expect((await webhook.send("POST", "/admit", "{}")).status).toBe(400);
    expect((await webhook.send("POST", "/admit", "not json")).status).toBe(400);
    const long = reviewBody({
      resource: "nodes",
      operation: "CREATE",
      name: "n".repeat(254),
      object: { metadata: {} },
    });
    expect((await webhook.send("POST", "/admit", JSON.stringify(long))).status).toBe(400);
    expect(webhook.offered).toEqual([]);
  });

  it("lives when it is not ready, and tells why", async () => {
    await using webhook = await startWebhook();
    expect(await webhook.send("GET", "/readyz")).toMatchObject({ status: 200, body: "ok" });
    webhook.state.fault = "nodes.journeyman.sh does not trust it";
    expect(await webhook.send("GET", "/healthz")).toMatchObject({ status: 200, body: "ok" });
    expect(await webhook.send("GET", "/readyz")).toMatchObject({
      status: 503,
      body: "nodes.journeyman.sh does not trust it",
    });
  });

  it("tells its metrics and the cluster's, and nothing else", async () => {
    await using webhook = await startWebhook();
    await webhook.send("POST", "/admit", pending);
    const { body } = await webhook.send("GET", "/metrics");
    expect(body).toContain('journeyman_webhook_events_total{outcome="dropped"} 0');
    expect(body).toContain("journeyman_webhook_answer_duration_seconds_count 1");
    expect(body).toContain("journeyman_webhook_certificate_expiry_timestamp_seconds 7");
    expect(body).toContain('karpenter_nodepools_usage{nodepool="general",resource_type="cpu"} 4');
    expect((await webhook.send("GET", "/secrets")).status).toBe(404);
    expect((await webhook.send("GET", "/admit")).status).toBe(404);
  });

  it("keeps connections open, and gives them up when it is about to end", async () => {
    await using webhook = await startWebhook();
    expect((await webhook.send("POST", "/admit", pending)).connection).toBe("keep-alive");
    // Longer than the 90 s after which the API server ends an idle connection.
    expect(webhook.server.keepAliveTimeout).toBeGreaterThan(90_000);
    webhook.state.isLeaving = true;
    expect((await webhook.send("POST", "/admit", pending)).connection).toBe("close");
  });

  it("serves a renewed certificate without a restart", async () => {
    await using webhook = await startWebhook();
    const renewed = loopbackCertificates();
    reloadCertificate(webhook.server, renewed);
    expect((await webhook.send("GET", "/healthz", undefined, renewed.certificateAuthority)).status).toBe(200);
    await expect(webhook.send("GET", "/healthz")).rejects.toThrow();
  });
});
