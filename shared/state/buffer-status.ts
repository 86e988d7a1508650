import type { CapacityBuffer } from "../api/capacity-buffer.ts";
import { mostNewBufferPods } from "./buffer-pods.ts";
import type { BufferResolution } from "./capacity-buffers.ts";
import { type ConditionChange, changedConditions } from "./condition-changes.ts";

/** Where the pods of one buffer have their places after a pass. */
export interface BufferPlaces {
  /** On nodes that are there. */
  readonly existing: number;
  /** On nodes that are being launched. */
  readonly launching: number;
  /** Why the others have none. */
  readonly refusals: readonly string[];
  /** Left to a later pass, as one plans only so many; 0 when absent. */
  readonly deferred?: number;
}

/** What a buffer's status should say, as the body of a merge patch; undefined when it says so (karpenter-core §1.4). */
export function bufferStatusChange(
  current: CapacityBuffer,
  resolution: BufferResolution,
  places: BufferPlaces | undefined,
  now: number,
): Readonly<Record<string, unknown>> | undefined {
  const changes = [readyForProvisioning(resolution), provisioning(resolution, places)].filter(
    (change) => change !== undefined,
  );
  const conditions = changedConditions(current, changes, now);
  const references = resolution.kind === "resolved" ? referencesOf(current, resolution) : {};
  if (conditions === undefined && Object.keys(references).length === 0) return undefined;
  return { ...references, ...(conditions === undefined ? {} : { conditions }) };
}

/** The fields that differ; null takes one away. */
function referencesOf(
  { status = {} }: CapacityBuffer,
  { resolved, podTemplate }: Extract<BufferResolution, { kind: "resolved" }>,
): Readonly<Record<string, unknown>> {
  const name = podTemplate?.metadata.name;
  const generation = podTemplate?.metadata.generation;
  return {
    ...(status.replicas === resolved.replicas ? {} : { replicas: resolved.replicas }),
    ...(status.podTemplateRef?.name === name ? {} : { podTemplateRef: name === undefined ? null : { name } }),
    ...((status.podTemplateGeneration ?? undefined) === generation
      ? {}
      : { podTemplateGeneration: generation ?? null }),
  };
}

function readyForProvisioning(resolution: BufferResolution): ConditionChange {
  const type = "ReadyForProvisioning";
  if (resolution.kind === "resolved") return { type, status: "True", reason: "Resolved" };
  return { type, status: "False", reason: resolution.reason, message: resolution.message };
}

/** Undefined leaves the condition alone: no plan has looked at the buffer. */
function provisioning(resolution: BufferResolution, places: BufferPlaces | undefined): ConditionChange | undefined {
  const type = "Provisioning";
  if (resolution.kind === "unresolved") return { type, status: "False", reason: "NotReadyForProvisioning" };
  const { replicas } = resolution.resolved;
  if (replicas === 0) return { type, status: "False", reason: "BufferEmpty" };
  if (places === undefined) return undefined;
  const { existing, launching, refusals, deferred = 0 } = places;
  if (existing === replicas) return { type, status: "True", reason: "FitsExistingCapacity" };
  const reasons = [...new Set(refusals)].sort().join("; ");
  const later = deferred === 0 ? "" : `, ${deferred} are left to later passes (one plans ${mostNewBufferPods} at most)`;
  const message = `${existing} of ${replicas} fit, ${launching} wait for new nodes, ${refusals.length} have no place${later}`;
  const text = reasons === "" ? message : `${message}: ${reasons}`;
  return { type, status: "False", reason: "RequiresNewCapacity", message: text.slice(0, longestMessage) };
}

/** metav1.Condition takes no more. */
const longestMessage = 32_768;
