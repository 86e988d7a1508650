import { activeCapacityStrategy, type CapacityBuffer, type PodTemplateObject } from "../api/capacity-buffer.ts";
import type { PodTemplate } from "../api/core.ts";
import { type LimitRange, limitRangesOf, withLimitRanges } from "../api/limit-range.ts";
import { uidOf } from "../api/workload-pods.ts";
import type { Deployment, ReplicaSet, StatefulSet } from "../api/workloads.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { parseResources } from "../scheduling/resources.ts";

/** A CapacityBuffer that is ready: so many pods of this shape are to find room at any time. */
export interface ResolvedBuffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
  readonly template: PodTemplate;
}

/** What came of a buffer's references (condition ReadyForProvisioning, karpenter-core §1.4). */
export type BufferResolution = { readonly buffer: CapacityBuffer } & (
  | { readonly kind: "resolved"; readonly resolved: ResolvedBuffer; readonly podTemplate?: PodTemplateObject }
  | { readonly kind: "unresolved"; readonly reason: UnresolvedReason; readonly message: string }
);
type UnresolvedReason = "ScalableRefNotFound" | "PodTemplateNotFound" | "ResolutionFailed";

/** Workloads whose pods a buffer may be made of. */
export type ScalableWorkload = Deployment | StatefulSet | ReplicaSet;

/** What a buffer's reference leads to. */
export type BufferSource = PodTemplateObject | ScalableWorkload;

/** Where a buffer's shape is to be looked up, in its own namespace; or why nowhere. */
export type BufferReference =
  | { readonly kind: BufferSource["kind"]; readonly name: string }
  | { readonly kind: "none"; readonly message: string };

const scalableKinds = ["Deployment", "StatefulSet", "ReplicaSet"] as const;

/** Buffers of other strategies are served by others. */
export function isServedBuffer({ spec, metadata }: CapacityBuffer): boolean {
  return spec.provisioningStrategy === activeCapacityStrategy && metadata.deletionTimestamp === undefined;
}

export function bufferReference({ spec: { podTemplateRef, scalableRef } }: CapacityBuffer): BufferReference {
  if (podTemplateRef !== undefined) return { kind: "PodTemplate", name: podTemplateRef.name };
  if (scalableRef === undefined) return { kind: "none", message: "neither podTemplateRef nor scalableRef is set" };
  const { apiGroup = "", name } = scalableRef;
  const kind = scalableKinds.find((one) => one === scalableRef.kind);
  const accepted = `accepted are ${scalableKinds.join(", ")} of apps`;
  if (kind === undefined) return { kind: "none", message: `scalableRef.kind is ${scalableRef.kind}; ${accepted}` };
  if (apiGroup !== "" && apiGroup !== "apps") {
    return { kind: "none", message: `scalableRef.apiGroup is ${apiGroup}; ${accepted}` };
  }
  return { kind, name };
}

/** A buffer with what its reference was found to be, if anything. LimitRanges are those of all namespaces. */
export function resolveBuffer(
  buffer: CapacityBuffer,
  source: BufferSource | undefined,
  limitRanges: readonly LimitRange[],
): BufferResolution {
  const reference = bufferReference(buffer);
  const { name, namespace = "default" } = buffer.metadata;
  if (reference.kind === "none") {
    return { buffer, kind: "unresolved", reason: "ResolutionFailed", message: reference.message };
  }
  if (source === undefined) {
    const reason = reference.kind === "PodTemplate" ? "PodTemplateNotFound" : "ScalableRefNotFound";
    return {
      buffer,
      kind: "unresolved",
      reason,
      message: `${reference.kind} ${namespace}/${reference.name} does not exist`,
    };
  }
  const stated = source.kind === "PodTemplate" ? source.template : source.spec.template;
  const template = { ...stated, spec: withLimitRanges(stated.spec, limitRangesOf(namespace, limitRanges)) };
  const scale = source.kind === "PodTemplate" ? undefined : (source.spec.replicas ?? 1);
  const replicas = bufferReplicas(buffer, template, scale);
  return {
    buffer,
    kind: "resolved",
    resolved: { namespace, name, uid: uidOf(buffer), replicas, template },
    ...(source.kind === "PodTemplate" && { podTemplate: source }),
  };
}

/** The larger of the two sizes, at most what the limits hold; the limits alone when there is no size (karpenter-core §1.4). */
function bufferReplicas({ spec }: CapacityBuffer, template: PodTemplate, scale: number | undefined): number {
  const { replicas, percentage } = spec;
  const sizes = [
    ...(replicas === undefined ? [] : [replicas]),
    ...(scale === undefined || percentage === undefined ? [] : [percentageReplicas(scale, percentage)]),
  ];
  const held = spec.limits === undefined ? undefined : limitReplicas(spec.limits, template);
  const wanted = sizes.length === 0 ? held : Math.max(...sizes);
  return Math.min(wanted ?? 0, held ?? Number.POSITIVE_INFINITY);
}

/** A status holds no more (int32). */
const mostReplicas = 2 ** 31 - 1;

/** Rounded up, so that any share of a running workload is at least one pod. */
export function percentageReplicas(scale: number, percentage: number): number {
  return Math.min(mostReplicas, Math.ceil((scale * percentage) / 100));
}

/** How many pods the limits hold together; undefined when they limit nothing that the pods request. */
export function limitReplicas(limits: Readonly<Record<string, string>>, template: PodTemplate): number | undefined {
  const requests = podRequests(template.spec);
  const held = Object.entries(limits).flatMap(([resource, limit]) => {
    const request = resource === "pods" ? 0 : (requests[resource] ?? 0);
    return request > 0 ? [Math.floor((parseResources({ [resource]: limit })[resource] ?? 0) / request)] : [];
  });
  return held.length === 0 ? undefined : Math.min(mostReplicas, ...held);
}
