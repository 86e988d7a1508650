import { type CapacityBuffer, capacityBuffer, type PodTemplateObject } from "../../shared/api/capacity-buffer.ts";
import type { PodTemplate } from "../../shared/api/core.ts";
import type { ResolvedBuffer } from "../../shared/state/capacity-buffers.ts";
import { type PodInput, podNamed } from "./cluster-objects.ts";

/** A CapacityBuffer of the PodTemplate `spare`, unless its spec says otherwise. */
export function bufferNamed(name: string, spec: Partial<CapacityBuffer["spec"]> = {}): CapacityBuffer {
  const shape = spec.scalableRef === undefined ? { podTemplateRef: { name: "spare" } } : {};
  return capacityBuffer.parse({
    apiVersion: "autoscaling.x-k8s.io/v1beta1",
    kind: "CapacityBuffer",
    metadata: { name, namespace: "default", uid: `buffer-${name}` },
    spec: { ...shape, ...spec },
  });
}

export function podTemplateNamed(name: string, input: PodInput = {}): PodTemplateObject {
  return { apiVersion: "v1", kind: "PodTemplate", metadata: { name, namespace: "default" }, template: shapeOf(input) };
}

/** A pod's shape; of 1 cpu unless stated otherwise. */
function shapeOf(input: PodInput = {}): PodTemplate {
  const { metadata, spec } = podNamed("shape", { cpu: "1", ...input });
  return { metadata: { labels: metadata.labels ?? {} }, spec };
}

/** A buffer as a snapshot has it. */
export function resolvedBuffer(name: string, replicas: number, input: PodInput = {}): ResolvedBuffer {
  return { namespace: "default", name, uid: `buffer-${name}`, replicas, template: shapeOf(input) };
}
