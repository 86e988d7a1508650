import type { CapacityBuffer } from "../shared/api/capacity-buffer.ts";
import type { KubernetesObject } from "../shared/api/kinds.ts";
import type { LimitRange } from "../shared/api/limit-range.ts";
import type { UnschedulablePod } from "../shared/provisioning/plan.ts";
import { isBufferPod } from "../shared/state/buffer-pods.ts";
import {
  type BufferSource,
  bufferReference,
  isServedBuffer,
  type ResolvedBuffer,
  resolveBuffer,
} from "../shared/state/capacity-buffers.ts";
import type { PodRecord } from "../shared/state/pod-record.ts";
import { counted } from "./wording.ts";

export interface FileBuffers {
  readonly buffers: readonly ResolvedBuffer[];
  /** Buffers that are not planned, and why. */
  readonly notes: readonly string[];
}

/** The CapacityBuffers of some files, resolved among their objects. */
export function fileBuffers(objects: readonly KubernetesObject[], limitRanges: readonly LimitRange[]): FileBuffers {
  const buffers: ResolvedBuffer[] = [];
  const notes: string[] = [];
  for (const buffer of objects.filter((object) => object.kind === "CapacityBuffer")) {
    const title = `CapacityBuffer ${buffer.metadata.namespace ?? "default"}/${buffer.metadata.name}`;
    if (!isServedBuffer(buffer)) {
      notes.push(`${title} is left alone: its strategy is ${buffer.spec.provisioningStrategy}`);
      continue;
    }
    const resolution = resolveBuffer(buffer, sourceOf(buffer, objects), limitRanges);
    if (resolution.kind === "resolved") buffers.push(resolution.resolved);
    else notes.push(`${title} is not planned: ${resolution.message}`);
  }
  return { buffers, notes };
}

/** One note for each buffer that a plan has too little room for: nobody waits for its pods. */
export function unplacedBufferNotes(unschedulable: readonly UnschedulablePod[]): readonly string[] {
  const unplaced = unschedulable.filter(({ pod }) => isBufferPod(pod));
  return [...Map.groupBy(unplaced, ({ pod }) => bufferTitle(pod))].map(([title, pods]) => {
    const reasons = pods.flatMap((one) =>
      one.reasons.map(({ nodePool, reason }) => (nodePool === "" ? reason : `${nodePool}: ${reason}`)),
    );
    return `${title}: no place for ${counted(pods.length, "pod")} of it: ${[...new Set(reasons)].join("; ")}`;
  });
}

function bufferTitle({ namespace, owner }: PodRecord): string {
  return `CapacityBuffer ${namespace}/${owner?.name ?? ""}`;
}

function sourceOf(buffer: CapacityBuffer, objects: readonly KubernetesObject[]): BufferSource | undefined {
  const reference = bufferReference(buffer);
  if (reference.kind === "none") return undefined;
  return objects
    .filter(isSource)
    .find(
      ({ kind, metadata }) =>
        kind === reference.kind &&
        metadata.name === reference.name &&
        (metadata.namespace ?? "default") === (buffer.metadata.namespace ?? "default"),
    );
}

function isSource(object: KubernetesObject): object is BufferSource {
  return ["PodTemplate", "Deployment", "StatefulSet", "ReplicaSet"].includes(object.kind);
}
