import type { Pod, PodSpec } from "../api/core.ts";
import type { ResolvedBuffer } from "./capacity-buffers.ts";
import { fairShares } from "./fair-shares.ts";
import { nominationsOf } from "./nominations.ts";
import { PodDecoder } from "./pod-decoding.ts";
import type { PodRecord } from "./pod-record.ts";
import type { Snapshot } from "./snapshot.ts";

const ownerKind = "CapacityBuffer";

/** What one pass looks at, of all buffers together, beside the pods that NodeClaims have places for already. */
export const mostNewBufferPods = 5_000;

/** Below every pod that there is: the smallest int32. */
const bufferPriority = -(2 ** 31);

/**
 * The pods that stand for a cluster's buffers in a plan. They are in no cluster: their UIDs `<buffer UID>-<n>` are the same in every
 * pass, so that a claim's nominations hold places for them as for real ones (karpenter-core §1.4). Of a huge buffer there are only
 * those that claims have places for, given by UID, and its share of what one pass plans (at most {@link mostNewBufferPods} of all buffers).
 */
export function bufferPods(
  buffers: readonly ResolvedBuffer[],
  nominated: ReadonlySet<string> = new Set(),
): readonly PodRecord[] {
  const decoder = new PodDecoder();
  const placed = new Map(buffers.map((buffer) => [buffer.uid, placedIndexes(buffer, nominated)]));
  const lacking = buffers.map(({ uid, replicas }) => [uid, replicas - (placed.get(uid)?.size ?? 0)] as const);
  const shares = fairShares(new Map(lacking), mostNewBufferPods);
  return buffers.flatMap((buffer) => {
    const known = placed.get(buffer.uid) ?? new Set();
    const indexes = firstIndexes(buffer.replicas, shares.get(buffer.uid) ?? 0, known);
    return indexes.map((index) => decoder.decode(bufferPod(buffer, index)));
  });
}

/** The numbers of a buffer's pods that claims have places for. */
function placedIndexes({ uid, replicas }: ResolvedBuffer, nominated: ReadonlySet<string>): ReadonlySet<number> {
  const numbers = [...nominated]
    .filter((pod) => pod.startsWith(`${uid}-`))
    .map((pod) => pod.slice(uid.length + 1))
    .filter((rest) => /^\d{1,10}$/.test(rest))
    .map(Number);
  return new Set(numbers.filter((index) => index < replicas));
}

/** Those that are known and the first others, in order. */
function firstIndexes(replicas: number, others: number, known: ReadonlySet<number>): readonly number[] {
  const indexes = new Set(known);
  for (let index = 0; index < replicas && indexes.size < known.size + others; index++) indexes.add(index);
  return [...indexes].sort((a, b) => a - b);
}

/** The snapshot with the pods of its buffers among its own, and no buffers any more: expanding it again changes nothing. */
export function withBufferPods(snapshot: Snapshot): Snapshot {
  const { pods, capacityBuffers, nodeClaims } = snapshot;
  if (capacityBuffers.length === 0) return snapshot;
  const nominated = new Set(nodeClaims.flatMap((claim) => nominationsOf(claim).map(({ uid }) => uid)));
  return { ...snapshot, pods: [...pods, ...bufferPods(capacityBuffers, nominated)], capacityBuffers: [] };
}

/** A pod that only stands for spare room: it is told of nowhere, and no node waits for it. */
export function isBufferPod(pod: PodRecord): boolean {
  return pod.owner?.kind === ownerKind;
}

function bufferPod({ namespace, name, uid, template }: ResolvedBuffer, index: number): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `capacity-buffer-${name}-${index}`,
      namespace,
      uid: `${uid}-${index}`,
      labels: { ...template.metadata?.labels },
      ownerReferences: [{ apiVersion: "autoscaling.x-k8s.io/v1beta1", kind: ownerKind, name, uid, controller: true }],
    },
    spec: spareSpec(template.spec),
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
    },
  };
}

/** Volumes would be claimed by nobody, and a node, a gate or a priority of the template is not meant for spare room. */
function spareSpec({ nodeName: _node, schedulingGates: _gates, priorityClassName: _class, ...spec }: PodSpec): PodSpec {
  const volumes = (spec.volumes ?? []).filter(
    (volume) => volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined,
  );
  return { ...spec, volumes, priority: bufferPriority };
}
