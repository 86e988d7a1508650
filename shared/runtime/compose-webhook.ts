import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { eventBus } from "../adapters/aws/event-bus.ts";
import { kubernetesClient } from "../adapters/kubernetes/client.ts";
import { kubernetesPort } from "../adapters/kubernetes/kubernetes-port.ts";
import { serviceAccountTokens } from "../adapters/kubernetes/service-account-token.ts";
import { webhookStore } from "../adapters/kubernetes/webhook-store.ts";
import { webhookConfigurationName } from "../api/webhook-configuration.ts";
import type { TelemetryPort } from "../ports.ts";
import { readWebhookConfig, webhookEventSource } from "./config.ts";

/** A bus that does not answer must not hold up what comes after: the queue is bounded, and the sweep finds what was lost. */
const busTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** What the in-cluster process needs from outside: its settings, the cluster's bus, and the API server as its ServiceAccount may use it. */
export async function composeWebhook() {
  const config = readWebhookConfig();
  const bridge = new EventBridgeClient({ region: config.region, maxAttempts: 2, requestHandler: busTimeouts });
  const file = (name: string) => join(config.serviceAccountDirectory, name);
  const client = kubernetesClient({
    endpoint: { url: config.apiServerUrl, certificateAuthority: await readFile(file("ca.crt"), "utf8") },
    tokens: serviceAccountTokens(file("token"), Date.now),
    sleep,
  });
  const { namespace, serviceName: secretName } = config;
  return {
    config,
    bus: eventBus({ client: bridge, busName: config.eventBusName, source: webhookEventSource }),
    store: webhookStore({ client, namespace, secretName, configurationName: webhookConfigurationName }),
    kubernetes: kubernetesPort(async () => client, logOnly),
  };
}

const logOnly: TelemetryPort = {
  count: () => undefined,
  log: (level, message, fields) => console.log(JSON.stringify({ level, message, ...fields })),
};
