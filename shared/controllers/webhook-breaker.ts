import type { ConfigMap } from "../api/core.ts";
import { type ValidatingWebhookConfiguration, webhookConfigurationName } from "../api/webhook-configuration.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";

/** The ConfigMap that is only ever tried to be made, and the entry of our ValidatingWebhookConfiguration that refuses it. */
export const webhookProbe = {
  configuration: webhookConfigurationName,
  webhook: "probe.journeyman.sh",
  name: "journeyman-webhook-probe",
} as const;

/** When the webhook first gave no answer, and since when nothing is sent to it. RFC 3339, on the configuration. */
const silentSinceAnnotation = "journeyman.sh/webhook-silent-since";
const pausedSinceAnnotation = "journeyman.sh/webhook-paused-since";

const patienceMilliseconds = 3 * 60_000;

/** Selects no object at all: no label is there and absent. */
const nothing = {
  matchExpressions: [
    { key: "journeyman.sh/webhook-paused", operator: "Exists" },
    { key: "journeyman.sh/webhook-paused", operator: "DoesNotExist" },
  ],
};

/**
 * The webhook's breaker (design §4.7). A webhook that gives no answer costs kube-scheduler a second for each pending pod. While pods
 * are pending and it has been silent for three minutes, the API server is told to send it nothing but probes; one that is answered
 * brings everything back. The minute's sweep finds the pods meanwhile. Without our configuration there is nothing to do.
 */
export async function watchWebhook(ports: Ports, namespace: string): Promise<void> {
  const configuration = await ports.kubernetes.get("ValidatingWebhookConfiguration", {
    name: webhookConfigurationName,
  });
  if (configuration === undefined || !hasProbe(configuration)) return;
  const { annotations = {} } = configuration.metadata;
  const isPaused = annotations[pausedSinceAnnotation] !== undefined;
  if (await answersProbe(ports, namespace)) {
    if (isPaused || annotations[silentSinceAnnotation] !== undefined || isNarrowed(configuration)) {
      ports.telemetry.log("info", "the webhook answers", { pausedSince: annotations[pausedSinceAnnotation] });
      await write(ports, configuration, { silentSince: null, pausedSince: null }, "all");
    }
    return;
  }
  const now = ports.clock.now();
  const time = new Date(now).toISOString();
  const silentSince = annotations[silentSinceAnnotation] ?? time;
  ports.telemetry.count(metric.webhookSilent, 1);
  ports.telemetry.log("warn", "the webhook does not answer", { silentSince });
  if (annotations[silentSinceAnnotation] === undefined) {
    await write(ports, configuration, { silentSince }, "as-it-is");
    return;
  }
  // A time that is none counts as long ago.
  if (now - Date.parse(silentSince) < patienceMilliseconds) return;
  if (!isPaused && !(await hasPendingPods(ports))) return;
  // Rings for as long as it lasts.
  ports.telemetry.count(metric.webhookPaused, 1);
  if (isPaused && isNarrowed(configuration)) return;
  ports.telemetry.log("error", "nothing is sent to the webhook any more until it answers a probe", { silentSince });
  await write(ports, configuration, { pausedSince: annotations[pausedSinceAnnotation] ?? time }, "probes");
}

function hasProbe({ webhooks = [] }: ValidatingWebhookConfiguration): boolean {
  return webhooks.some(({ name }) => name === webhookProbe.webhook);
}

/** A newer deployment may have brought the entries back while they were taken away: the configuration itself says how it is. */
function isNarrowed({ webhooks = [] }: ValidatingWebhookConfiguration): boolean {
  const others = webhooks.filter(({ name }) => name !== webhookProbe.webhook);
  return (
    others.length > 0 &&
    others.every(({ objectSelector }) => JSON.stringify(objectSelector) === JSON.stringify(nothing))
  );
}

/** Refused by the webhook: it hears us. Made, as a dry run: nobody was there to refuse. */
async function answersProbe({ kubernetes }: Ports, namespace: string): Promise<boolean> {
  const metadata = { name: webhookProbe.name, namespace };
  const probe: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata };
  try {
    await kubernetes.create("ConfigMap", probe, { dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof ProviderError && error.kind === "Denied" && error.message.includes(webhookProbe.webhook))
      return true;
    throw error;
  }
}

async function hasPendingPods({ kubernetes }: Ports): Promise<boolean> {
  const pods = await kubernetes.list("Pod", { fieldSelector: "spec.nodeName=,status.phase=Pending" });
  return pods.some(({ status }) =>
    status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable"),
  );
}

async function write(
  { kubernetes }: Ports,
  { metadata, webhooks = [] }: ValidatingWebhookConfiguration,
  marks: { readonly silentSince?: string | null; readonly pausedSince?: string | null },
  sent: "all" | "probes" | "as-it-is",
): Promise<void> {
  const annotations = {
    ...(marks.silentSince !== undefined && { [silentSinceAnnotation]: marks.silentSince }),
    ...(marks.pausedSince !== undefined && { [pausedSinceAnnotation]: marks.pausedSince }),
  };
  const selecting = webhooks.map((webhook) =>
    webhook.name === webhookProbe.webhook ? webhook : { ...webhook, objectSelector: sent === "all" ? {} : nothing },
  );
  await kubernetes.patch(
    "ValidatingWebhookConfiguration",
    { name: webhookConfigurationName },
    {
      metadata: { annotations, ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }) },
      ...(sent !== "as-it-is" && { webhooks: selecting }),
    },
  );
}
