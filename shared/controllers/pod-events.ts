import type { Event } from "../api/core.ts";
import { shortHash } from "../api/short-hash.ts";
import { formatTime } from "../api/time.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import { nearestRefusal } from "../provisioning/nearest-refusal.ts";
import type { PlannedNodeClaim, ProvisioningPlan, UnschedulablePod } from "../provisioning/plan.ts";
import { isBufferPod } from "../state/buffer-pods.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { cutText } from "./cut-text.ts";
import { limitedParallel } from "./limited-parallel.ts";

/** Events written in one pass, at most. */
const mostEvents = 50;
const writesAtOnce = 10;
const mostMessageBytes = 1_024;
/** So often the turn goes to the next pods. */
const turnMilliseconds = 60_000;
const goldenRatio = (Math.sqrt(5) - 1) / 2;

interface PodEvent {
  readonly pod: PodRecord;
  readonly type: Event["type"];
  readonly reason: "FailedScheduling" | "Nominated";
  readonly message: string;
}

/**
 * Tells on the pods of a plan what became of them: where no node is launched for one, why; else which node it will have (Karpenter's
 * FailedScheduling and Nominated, karpenter-core §8). An event's name follows from pod and message, so that a repeated one is not
 * written again. Of many pods each pass tells some, each minute others. `names` are those that the claims were written under.
 */
export async function writePodEvents(
  ports: Ports,
  plan: ProvisioningPlan,
  names: ReadonlyMap<PlannedNodeClaim, string>,
): Promise<void> {
  const now = ports.clock.now();
  const refused = plan.unschedulable.map(refusedEvent).filter(isOfRealPod);
  const nominated = nominatedEvents(plan, names).filter(isOfRealPod);
  const half = mostEvents / 2;
  const told = [
    ...inTurn(refused, Math.max(half, mostEvents - nominated.length), now),
    ...inTurn(nominated, Math.max(half, mostEvents - refused.length), now),
  ];
  await limitedParallel(told, writesAtOnce, (event) => write(ports, event, now));
}

function isOfRealPod({ pod }: PodEvent): boolean {
  return !isBufferPod(pod);
}

function refusedEvent({ pod, reasons }: UnschedulablePod): PodEvent {
  const nearest = nearestRefusal(reasons, pod.constraints);
  const { nodePool = "", reason = "no NodePool takes it", accepted } = nearest ?? {};
  const others = new Set(reasons.map((refusal) => refusal.nodePool)).size - 1;
  const message = [
    `${nodePool === "" ? "" : `NodePool ${nodePool}: `}${reason}`,
    ...(accepted === undefined ? [] : [`accepted: ${accepted}`]),
    ...(others > 0 ? [`${others} other NodePool${others === 1 ? "" : "s"} cannot take it either`] : []),
  ].join("; ");
  return { pod, type: "Warning", reason: "FailedScheduling", message };
}

function nominatedEvents(plan: ProvisioningPlan, names: ReadonlyMap<PlannedNodeClaim, string>): readonly PodEvent[] {
  const onNew = plan.nodeClaims.flatMap((claim) => {
    const [{ instanceType, capacityType, zone }] = claim.offerings;
    const name = names.get(claim);
    if (name === undefined) return [];
    const message = `NodeClaim ${name} is made for it: ${instanceType} ${capacityType} in ${zone}, or the next that can be had`;
    return claim.pods.map((pod) => ({ pod, message }));
  });
  const onExisting = plan.existing.flatMap(({ name, pods }) =>
    pods.map((pod) => ({ pod, message: `${name} has room for it` })),
  );
  return [...onNew, ...onExisting].map((event) => ({ ...event, type: "Normal", reason: "Nominated" }));
}

/**
 * So many of them, from another one on each minute. The golden ratio leaves no gap whatever the minutes are in which passes fall, so
 * that after some of them all have had their turn.
 */
function inTurn(events: readonly PodEvent[], most: number, now: number): readonly PodEvent[] {
  if (events.length <= most) return events;
  const sorted = events.toSorted((a, b) => (a.pod.uid < b.pod.uid ? -1 : 1));
  const first = Math.floor(((Math.floor(now / turnMilliseconds) * goldenRatio) % 1) * sorted.length);
  return [...sorted.slice(first), ...sorted.slice(0, first)].slice(0, most);
}

/** Telling is no part of the work: what cannot be told (the namespace is going, a quota is full) is counted, and the pass goes on. */
async function write(ports: Ports, event: PodEvent, now: number): Promise<void> {
  try {
    await ports.kubernetes.create("Event", toObject(event, now));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind !== "Conflict") ports.telemetry.count(metric.eventFailures, 1, { code: error.code });
  }
}

function toObject({ pod, type, reason, message }: PodEvent, now: number): Event {
  const { namespace, name, uid } = pod;
  const at = formatTime(now);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, "")}.${shortHash(`${uid} ${reason} ${message}`, 16)}`,
      namespace,
    },
    involvedObject: { apiVersion: "v1", kind: "Pod", name, namespace, uid },
    type,
    reason,
    message: cutText(message, mostMessageBytes),
    source: { component: "journeyman" },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}
