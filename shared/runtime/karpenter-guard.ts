import type { Lease } from "../api/core.ts";
import { isTime, parseTime } from "../api/time.ts";
import type { Deployment } from "../api/workloads.ts";
import { metric } from "../metrics.ts";
import type { ClockPort, KubernetesPort, TelemetryPort } from "../ports.ts";

/** What Karpenter's replicas elect their leader with; the name is Karpenter's default, the namespace anyone's. */
const karpenterLease = "karpenter-leader-election";
/** On the Deployment that Karpenter's Helm chart makes. */
const karpenterSelector = "app.kubernetes.io/name=karpenter";

/** A clock that is wrong by as much as this does not make a live Karpenter look dead. */
const clockSkewMilliseconds = 15_000;

interface GuardPorts {
  readonly kubernetes: Pick<KubernetesPort, "list">;
  readonly clock: Pick<ClockPort, "now">;
  readonly telemetry: TelemetryPort;
}

/**
 * Whether a Karpenter runs in the cluster, which would answer the same pods and end the same nodes: one that holds its Lease, or has a
 * ready Deployment, in any namespace. Two short lists, side by side. Says so in the log and by a metric. A list that fails is thrown:
 * nobody acts who does not know.
 */
export async function karpenterRuns({ kubernetes, clock, telemetry }: GuardPorts): Promise<boolean> {
  const [leases, deployments] = await Promise.all([
    kubernetes.list("Lease", { fieldSelector: `metadata.name=${karpenterLease}` }),
    kubernetes.list("Deployment", { labelSelector: karpenterSelector }),
  ]);
  const why = [...leases.flatMap((lease) => heldBy(lease, clock.now())), ...deployments.flatMap(readiness)];
  if (why.length === 0) return false;
  telemetry.count(metric.karpenterRuns, 1);
  telemetry.log("warn", "nothing is done while Karpenter runs in this cluster", { why: why.join("; ") });
  return true;
}

function heldBy({ metadata, spec }: Lease, now: number): readonly string[] {
  const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = spec;
  const renewedAt = isTime(renewTime ?? "") ? parseTime(renewTime ?? "") : 0;
  const isFresh = now < renewedAt + leaseDurationSeconds * 1_000 + clockSkewMilliseconds;
  return holderIdentity && isFresh ? [`${holderIdentity} holds Lease ${metadata.namespace}/${metadata.name}`] : [];
}

function readiness({ metadata, status }: Deployment): readonly string[] {
  const ready = status?.readyReplicas ?? 0;
  return ready > 0 ? [`Deployment ${metadata.namespace}/${metadata.name} has ${ready} ready replicas`] : [];
}
