import type { CapacityBuffer } from "../shared/api/capacity-buffer.ts";
import type { LoadedObject } from "../shared/api/documents.ts";
import type { KubernetesObject } from "../shared/api/kinds.ts";
import type { LimitRange } from "../shared/api/limit-range.ts";
import { type Problem, problemAt } from "../shared/api/problems.ts";
import { bufferPlaces } from "../shared/provisioning/buffer-plan.ts";
import type { ProvisioningPlan, UnschedulablePod } from "../shared/provisioning/plan.ts";
import { mostPods } from "../shared/simulator/scenario.ts";
import { isBufferPod, mostNewBufferPods } from "../shared/state/buffer-pods.ts";
import {
  type BufferSource,
  bufferReference,
  isServedBuffer,
  type ResolvedBuffer,
  resolveBuffer,
} from "../shared/state/capacity-buffers.ts";
import type { PodRecord } from "../shared/state/pod-record.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { counted } from "./wording.ts";

export interface FileBuffers {
  readonly buffers: readonly ResolvedBuffer[];
  /** Buffers that are not planned, and why. */
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** The CapacityBuffers of some files, resolved among their objects. Their pods count with `otherPods` against what a plan may hold. */
export function fileBuffers(
  loaded: readonly LoadedObject[],
  limitRanges: readonly LimitRange[],
  otherPods: number,
): FileBuffers {
  const objects = loaded.map(({ object }) => object);
  const buffers: ResolvedBuffer[] = [];
  const notes: string[] = [];
  const problems: Problem[] = [];
  let pods = otherPods;
  for (const { object: buffer, source } of loaded) {
    if (buffer.kind !== "CapacityBuffer") continue;
    const title = `CapacityBuffer ${buffer.metadata.namespace ?? "default"}/${buffer.metadata.name}`;
    if (!isServedBuffer(buffer)) {
      notes.push(`${title} is left alone: its strategy is ${buffer.spec.provisioningStrategy}`);
      continue;
    }
    const resolution = resolveBuffer(buffer, sourceOf(buffer, objects), limitRanges);
    if (resolution.kind === "unresolved") {
      notes.push(`${title} is not planned: ${resolution.message}`);
      continue;
    }
    pods += resolution.resolved.replicas;
    if (pods > mostPods && problems.length === 0) {
      problems.push(problemAt(source, ["spec"], `${pods} pods up to here`, `at most ${mostPods} pods in all`));
    }
    buffers.push(resolution.resolved);
  }
  return { buffers, notes, problems };
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

/** One note for each buffer that is too large for one pass. */
export function deferredBufferNotes(plan: ProvisioningPlan, snapshot: Snapshot): readonly string[] {
  const places = bufferPlaces(plan, snapshot);
  return snapshot.capacityBuffers.flatMap(({ namespace, name, uid, replicas }) => {
    const { deferred = 0 } = places.get(uid) ?? {};
    if (deferred === 0) return [];
    const why = `one pass plans at most ${mostNewBufferPods} pods of buffers, and later ones the rest`;
    return [
      `CapacityBuffer ${namespace}/${name}: ${deferred} of its ${counted(replicas, "pod")} are not planned: ${why}`,
    ];
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
