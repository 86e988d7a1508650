import * as z from "zod";
import { podTemplate } from "./core.ts";
import { type Fault, fault, withRule } from "./rules.ts";
import { condition, objectMeta, resourceList } from "./schema.ts";

const nonEmpty = z.string().min(1, "expected a name that is not empty");
const count = z.number().int().min(0);

/** The only strategy that there is so far: room on nodes that run. Buffers of others are somebody else's. */
export const activeCapacityStrategy = "buffer.x-k8s.io/active-capacity";

/**
 * Spare room that a cluster keeps for pods to come (KEP-8151 of the Kubernetes autoscalers; karpenter-core §1.4). What it is made
 * of is a PodTemplate or the pods of a workload.
 */
export const capacityBuffer = z.object({
  apiVersion: z.literal("autoscaling.x-k8s.io/v1beta1"),
  kind: z.literal("CapacityBuffer"),
  metadata: objectMeta,
  spec: withRule(
    z.object({
      provisioningStrategy: nonEmpty.default(activeCapacityStrategy),
      podTemplateRef: z.object({ name: nonEmpty }).exactOptional(),
      scalableRef: z.object({ apiGroup: z.string().exactOptional(), kind: nonEmpty, name: nonEmpty }).exactOptional(),
      replicas: count.exactOptional(),
      /** Of the workload's replicas; means nothing for a PodTemplate. */
      percentage: count.exactOptional(),
      /** What all pods of the buffer together may request. */
      limits: resourceList.exactOptional(),
    }),
    bufferFaults,
  ),
  status: z
    .object({
      podTemplateRef: z.object({ name: z.string() }).nullish(),
      podTemplateGeneration: z.number().nullish(),
      replicas: z.number().exactOptional(),
      conditions: z.array(condition).exactOptional(),
    })
    .exactOptional(),
});
export type CapacityBuffer = z.infer<typeof capacityBuffer>;

/** core/v1 PodTemplate: a pod's shape as an object of its own. */
export const podTemplateObject = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("PodTemplate"),
  metadata: objectMeta,
  template: podTemplate,
});
export type PodTemplateObject = z.infer<typeof podTemplateObject>;

/** As the CRD's own rules; that there is a reference at all is only checked where the buffer is resolved. */
function bufferFaults(spec: {
  readonly podTemplateRef?: unknown;
  readonly scalableRef?: unknown;
  readonly replicas?: number;
  readonly limits?: unknown;
}): readonly Fault[] {
  const { podTemplateRef, scalableRef, replicas, limits } = spec;
  const isBoth = podTemplateRef !== undefined && scalableRef !== undefined;
  const isSizeless = podTemplateRef !== undefined && replicas === undefined && limits === undefined;
  return [
    ...fault(["scalableRef"], isBoth ? "podTemplateRef or scalableRef, not both" : undefined),
    ...fault(["replicas"], isSizeless ? "replicas or limits, as podTemplateRef is set" : undefined),
  ];
}
