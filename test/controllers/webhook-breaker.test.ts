import { describe, expect, it } from "vitest";
import type { ValidatingWebhookConfiguration } from "../../shared/api/webhook-configuration.ts";
import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { metric } from "../../shared/metrics.ts";
import { type ControllerWorld, controllerWorld } from "../support/controller-world.ts";

const reference = { name: "journeyman" };

/** A cluster with our configuration; `answers` says whether the webhook hears its probes. */
function worldWithWebhook({ isPodPending = true } = {}) {
  const world = controllerWorld();
  const webhook = { answers: false };
  const configuration: ValidatingWebhookConfiguration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: reference,
    webhooks: [
      { name: "pods.journeyman.sh", timeoutSeconds: 1, clientConfig: { caBundle: "UEVN" } },
      { name: "nodes.journeyman.sh", objectSelector: {} },
      { name: "probe.journeyman.sh" },
    ],
  };
  world.server.create("ValidatingWebhookConfiguration", configuration);
  world.server.addWebhook({
    name: "probe.journeyman.sh",
    kind: "ConfigMap",
    operations: ["CREATE"],
    refuses: ({ request }) => (webhook.answers && request.dryRun ? "it is listening" : undefined),
    call: () => undefined,
  });
  if (isPodPending) addPendingPod(world);
  return { world, webhook, tick: () => collectGarbage(world.ports, world.settings) };
}

function addPendingPod(world: ControllerWorld): void {
  const metadata = { name: "waits", namespace: "default" };
  world.server.create("Pod", { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "main" }] } });
  const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "Unschedulable" }];
  world.server.patch("Pod", metadata, { status: { phase: "Pending", conditions } }, { subresource: "status" });
}

/** Names of the entries that the API server sends requests for. */
function sent(world: ControllerWorld): string[] {
  const { webhooks = [] } = world.server.get("ValidatingWebhookConfiguration", reference) ?? {};
  const isOpen = (selector: unknown) => selector === undefined || JSON.stringify(selector) === "{}";
  return webhooks.filter(({ objectSelector }) => isOpen(objectSelector)).map(({ name }) => name);
}

const all = ["pods.journeyman.sh", "nodes.journeyman.sh", "probe.journeyman.sh"];

async function minutes(count: number, { world, tick }: ReturnType<typeof worldWithWebhook>): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await tick();
    await world.advance(60);
  }
}

describe("the webhook's breaker", () => {
  it("sends nothing but probes to a webhook that was silent for three minutes while pods are pending, and rings", async () => {
    const given = worldWithWebhook();
    await minutes(3, given);
    expect(sent(given.world)).toEqual(all);
    expect(given.world.telemetry.total(metric.webhookPaused)).toBe(0);
    await given.tick();
    expect(sent(given.world)).toEqual(["probe.journeyman.sh"]);
    expect(given.world.telemetry.total(metric.webhookPaused)).toBe(1);
  });

  it("keeps ringing while it lasts, and changes nothing more", async () => {
    const given = worldWithWebhook();
    await minutes(4, given);
    const { resourceVersion } = given.world.server.get("ValidatingWebhookConfiguration", reference)?.metadata ?? {};
    await minutes(3, given);
    expect(given.world.telemetry.total(metric.webhookPaused)).toBe(4);
    const later = given.world.server.get("ValidatingWebhookConfiguration", reference);
    expect(later?.metadata.resourceVersion).toBe(resourceVersion);
  });

  it("brings everything back at the first probe that is answered, with what the entries had", async () => {
    const given = worldWithWebhook();
    await minutes(5, given);
    given.webhook.answers = true;
    await given.tick();
    expect(sent(given.world)).toEqual(all);
    const { metadata, webhooks } = given.world.server.get("ValidatingWebhookConfiguration", reference) ?? {};
    expect(metadata?.annotations ?? {}).toEqual({});
    expect(webhooks?.[0]).toMatchObject({ timeoutSeconds: 1, clientConfig: { caBundle: "UEVN" } });
  });

  it("begins its three minutes anew after an answer", async () => {
    const given = worldWithWebhook();
    await minutes(3, given);
    given.webhook.answers = true;
    await minutes(1, given);
    given.webhook.answers = false;
    await minutes(3, given);
    expect(sent(given.world)).toEqual(all);
    await given.tick();
    expect(sent(given.world)).toEqual(["probe.journeyman.sh"]);
  });

  it("leaves a silent webhook alone while no pod waits", async () => {
    const given = worldWithWebhook({ isPodPending: false });
    await minutes(10, given);
    expect(sent(given.world)).toEqual(all);
    addPendingPod(given.world);
    await given.tick();
    expect(sent(given.world)).toEqual(["probe.journeyman.sh"]);
  });

  it("narrows again what a deployment brought back while the webhook was silent", async () => {
    const given = worldWithWebhook();
    await minutes(4, given);
    const { webhooks = [] } = given.world.server.get("ValidatingWebhookConfiguration", reference) ?? {};
    const widened = webhooks.map((webhook) => ({ ...webhook, objectSelector: {} }));
    given.world.server.patch("ValidatingWebhookConfiguration", reference, { webhooks: widened });
    await given.tick();
    expect(sent(given.world)).toEqual(["probe.journeyman.sh"]);
  });

  it("writes nothing while the webhook answers, and never keeps the probe", async () => {
    const given = worldWithWebhook();
    given.webhook.answers = true;
    const before = given.world.server.get("ValidatingWebhookConfiguration", reference);
    await minutes(3, given);
    expect(given.world.server.get("ValidatingWebhookConfiguration", reference)).toEqual(before);
    given.webhook.answers = false;
    await given.tick();
    const { namespace } = given.world.settings;
    expect(given.world.server.get("ConfigMap", { name: "journeyman-webhook-probe", namespace })).toBeUndefined();
  });

  it("does nothing where the webhook is not installed", async () => {
    const world = controllerWorld();
    await collectGarbage(world.ports, world.settings);
    expect(world.telemetry.total(metric.webhookSilent)).toBe(0);
  });
});
