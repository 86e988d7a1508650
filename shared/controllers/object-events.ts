import type { Event } from "../api/core.ts";
import type { KubernetesObject } from "../api/kinds.ts";
import { shortHash } from "../api/short-hash.ts";
import { formatTime } from "../api/time.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import { cutText } from "./cut-text.ts";

/** Where Kubernetes keeps the events of objects that have no namespace. */
const clusterNamespace = "default";
const mostMessageBytes = 1_024;

/**
 * A warning on a NodeClaim or NodePool, as `kubectl describe` shows it. Its name follows from object and message, so that a repeated one
 * is not written again. Telling is no part of the work: what cannot be told is counted, and the work goes on.
 */
export async function writeWarning(
  ports: Ports,
  { apiVersion, kind, metadata }: Pick<KubernetesObject, "apiVersion" | "kind" | "metadata">,
  { reason, message }: { readonly reason: string; readonly message: string },
): Promise<void> {
  const { name, uid } = metadata;
  const at = formatTime(ports.clock.now());
  const event: Event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name.slice(0, 200)}.${shortHash(`${kind} ${uid} ${reason} ${message}`, 16)}`,
      namespace: clusterNamespace,
    },
    involvedObject: { apiVersion, kind, name, ...(uid !== undefined && { uid }) },
    type: "Warning",
    reason,
    message: cutText(message, mostMessageBytes),
    source: { component: "journeyman" },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
  try {
    await ports.kubernetes.create("Event", event);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind !== "Conflict") ports.telemetry.count(metric.eventFailures, 1, { code: error.code });
  }
}
