import * as z from "zod";
import { labelSelector, objectMeta } from "./schema.ts";

const intOrPercent = z.union([
  z.number(),
  z.string().regex(/^\d+%?$/, 'expected a count such as 1 or a share such as "50%"'),
]);

export const podDisruptionBudget = z.object({
  apiVersion: z.literal("policy/v1"),
  kind: z.literal("PodDisruptionBudget"),
  metadata: objectMeta,
  spec: z.object({
    minAvailable: intOrPercent.exactOptional(),
    maxUnavailable: intOrPercent.exactOptional(),
    selector: labelSelector.exactOptional(),
    unhealthyPodEvictionPolicy: z.enum(["IfHealthyBudget", "AlwaysAllow"]).exactOptional(),
  }),
  status: z
    .object({
      disruptionsAllowed: z.number().exactOptional(),
      currentHealthy: z.number().exactOptional(),
      desiredHealthy: z.number().exactOptional(),
      expectedPods: z.number().exactOptional(),
    })
    .exactOptional(),
});
export type PodDisruptionBudget = z.infer<typeof podDisruptionBudget>;

export const priorityClass = z.object({
  apiVersion: z.literal("scheduling.k8s.io/v1"),
  kind: z.literal("PriorityClass"),
  metadata: objectMeta,
  value: z.number(),
  globalDefault: z.boolean().exactOptional(),
  preemptionPolicy: z.string().exactOptional(),
});
export type PriorityClass = z.infer<typeof priorityClass>;
