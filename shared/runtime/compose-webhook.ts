import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { eventBus } from "../adapters/aws/event-bus.ts";
import { readWebhookConfig, webhookEventSource } from "./config.ts";

/** What the in-cluster process needs from outside: its settings and the cluster's bus. */
export function composeWebhook() {
  const config = readWebhookConfig();
  const client = new EventBridgeClient({ region: config.region, maxAttempts: 2 });
  return { config, bus: eventBus({ client, busName: config.eventBusName, source: webhookEventSource }) };
}
