import { type ChildProcess, spawn } from "node:child_process";
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

const certificates = loopbackCertificates();
const entry = fileURLToPath(new URL("../../functions/webhook/main.ts", import.meta.url));

async function startProcess(eventBridgeUrl: string) {
  const directory = await mkdtemp(join(tmpdir(), "journeyman-webhook-"));
  await writeFile(join(directory, "tls.crt"), certificates.certificate);
  await writeFile(join(directory, "tls.key"), certificates.privateKey);
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL_EVENTBRIDGE: eventBridgeUrl,
      JOURNEYMAN_EVENT_BUS: "journeyman-shop",
      JOURNEYMAN_TLS_DIRECTORY: directory,
      JOURNEYMAN_PORT: "0",
    },
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { port } = JSON.parse(line).address;
  return { port, [Symbol.asyncDispose]: () => stop(child, directory) };
}

async function stop(child: ChildProcess, directory: string): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
  await rm(directory, { recursive: true });
}

describe("the webhook's process", () => {
  it("puts a hint on the bus for a pending pod, and ends cleanly when told to", async () => {
    const { promise: received, resolve } = Promise.withResolvers<string>();
    await using bus = await httpLoopback(({ body }) => {
      resolve(body);
      return { body: { FailedEntryCount: 0, Entries: [{ EventId: "1" }] } };
    });
    await using webhook = await startProcess(bus.url);
    const review = reviewBody({
      subResource: "status",
      object: pendingPod("no node"),
      oldObject: pendingPod(undefined),
    });
    const ca = certificates.certificateAuthority;
    request({ host: "127.0.0.1", port: webhook.port, method: "POST", path: "/admit", ca, agent: false })
      .on("response", (response) => response.resume())
      .end(JSON.stringify(review));
    const [event] = JSON.parse(await received).Entries;
    expect(event).toMatchObject({
      EventBusName: "journeyman-shop",
      Source: "journeyman.webhook",
      DetailType: "provision",
    });
    expect(JSON.parse(event.Detail)).toMatchObject({ kind: "provision", reason: "pods-pending" });
  });
});
