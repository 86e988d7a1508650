import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pendingPod, reviewBody } from "../support/admission.ts";
import { httpLoopback, loopbackCertificates } from "../support/loopback.ts";
import { webhookApiServer } from "../support/webhook-api-server.ts";

const certificates = loopbackCertificates();
const entry = fileURLToPath(new URL("../../functions/webhook/main.ts", import.meta.url));

/** The process as a pod runs it, until it serves its shared certificate. */
async function startProcess(apiServerUrl: string, eventBridgeUrl: string) {
  const directory = await mkdtemp(join(tmpdir(), "journeyman-webhook-"));
  await writeFile(join(directory, "token"), "from-the-kubelet\n");
  await writeFile(join(directory, "ca.crt"), certificates.certificateAuthority);
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL_EVENTBRIDGE: eventBridgeUrl,
      JOURNEYMAN_EVENT_BUS: "journeyman-shop",
      JOURNEYMAN_PORT: "0",
      JOURNEYMAN_DRAIN_MILLISECONDS: "0",
      JOURNEYMAN_WEBHOOK_NAMES: "localhost",
      JOURNEYMAN_SERVICE_ACCOUNT_DIRECTORY: directory,
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: new URL(apiServerUrl).port,
    },
  });
  let port = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const { message, address } = JSON.parse(line);
    if (message === "listening") port = address.port;
    if (message === "serving") break;
  }
  const stop = async () => {
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect((await exited)[0]).toBe(0);
    await rm(directory, { recursive: true });
  };
  return { port, [Symbol.asyncDispose]: stop };
}

/** As the API server calls it: by the name in its configuration, trusting what stands there. */
function call(port: number, ca: string, method: string, path: string, body?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "localhost", family: 4, port, method, path, ca, agent: false };
    request(options, (response) => resolve(response.resume().statusCode ?? 0))
      .on("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const pending = reviewBody({
  subResource: "status",
  object: pendingPod("no node"),
  oldObject: pendingPod(undefined),
});

describe("the webhook's process", () => {
  it("makes its certificate, is trusted by every entry, puts a hint on the bus, and ends cleanly when told to", async () => {
    const { promise: received, resolve } = Promise.withResolvers<string>();
    await using bus = await httpLoopback(({ body }) => {
      resolve(body);
      return { body: { FailedEntryCount: 0, Entries: [{ EventId: "1" }] } };
    });
    await using apiServer = await webhookApiServer(certificates);
    await using webhook = await startProcess(apiServer.url, bus.url);
    const bundles = apiServer.configuration.webhooks?.map(({ clientConfig }) => clientConfig.caBundle ?? "");
    expect(new Set(bundles).size).toBe(1);
    const authority = Buffer.from(bundles?.[0] ?? "", "base64").toString();
    expect(Buffer.from(apiServer.secret()?.data?.["ca.crt"] ?? "", "base64").toString()).toBe(authority);
    await expect.poll(() => call(webhook.port, authority, "GET", "/readyz")).toBe(200);
    expect(await call(webhook.port, authority, "POST", "/admit", pending)).toBe(200);
    const [event] = JSON.parse(await received).Entries;
    expect(event).toMatchObject({
      EventBusName: "journeyman-shop",
      Source: "journeyman.webhook",
      DetailType: "provision",
    });
    expect(JSON.parse(event.Detail)).toMatchObject({ kind: "provision", reason: "pods-pending" });
  });

  it("sends what waits before it ends", async () => {
    const bodies: string[] = [];
    await using bus = await httpLoopback(({ body }) => {
      bodies.push(body);
      // The first answer sends the hint back into the queue.
      const entry = bodies.length === 1 ? { ErrorCode: "ThrottlingException" } : { EventId: "1" };
      return { body: { FailedEntryCount: bodies.length === 1 ? 1 : 0, Entries: [entry] } };
    });
    await using apiServer = await webhookApiServer(certificates);
    {
      await using webhook = await startProcess(apiServer.url, bus.url);
      const caBundle = apiServer.configuration.webhooks?.[0]?.clientConfig.caBundle ?? "";
      await call(webhook.port, Buffer.from(caBundle, "base64").toString(), "POST", "/admit", pending);
      await expect.poll(() => bodies.length).toBe(1);
    }
    expect(bodies).toHaveLength(2);
  });
});
