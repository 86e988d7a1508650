import type { Pod, PodSpec } from "../api/core.ts";
import type { ResolvedBuffer } from "./capacity-buffers.ts";
import { PodDecoder } from "./pod-decoding.ts";
import type { PodRecord } from "./pod-record.ts";
import type { Snapshot } from "./snapshot.ts";

const ownerKind = "CapacityBuffer";

/** Below every pod that there is: the smallest int32. */
const bufferPriority = -(2 ** 31);

/**
 * The pods that stand for a cluster's buffers in a plan. They are in no cluster: their UIDs `<buffer UID>-<n>` are the same in every
 * pass, so that a claim's nominations hold places for them as for real ones (karpenter-core §1.4).
 */
export function bufferPods(buffers: readonly ResolvedBuffer[]): readonly PodRecord[] {
  const decoder = new PodDecoder();
  return buffers.flatMap((buffer) =>
    Array.from({ length: buffer.replicas }, (_, index) => decoder.decode(bufferPod(buffer, index))),
  );
}

/** The snapshot with the pods of its buffers among its own, and no buffers any more: expanding it again changes nothing. */
export function withBufferPods(snapshot: Snapshot): Snapshot {
  const { pods, capacityBuffers } = snapshot;
  if (capacityBuffers.length === 0) return snapshot;
  return { ...snapshot, pods: [...pods, ...bufferPods(capacityBuffers)], capacityBuffers: [] };
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
