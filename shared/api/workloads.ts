import * as z from "zod";
import { podTemplate } from "./core.ts";
import { condition, labelSelector, objectMeta, stringMap } from "./schema.ts";
import { persistentVolumeClaim } from "./volume-claims.ts";

const replicas = z.number().int().min(0);

export const deployment = z.object({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata: objectMeta,
  spec: z.object({
    replicas: replicas.exactOptional(),
    selector: labelSelector.exactOptional(),
    template: podTemplate,
  }),
  status: z.object({ readyReplicas: z.number().exactOptional() }).exactOptional(),
});
export type Deployment = z.infer<typeof deployment>;

export const replicaSet = z.object({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("ReplicaSet"),
  metadata: objectMeta,
  spec: z.object({
    replicas: replicas.exactOptional(),
    selector: labelSelector.exactOptional(),
    template: podTemplate,
  }),
});
export type ReplicaSet = z.infer<typeof replicaSet>;

/** The forerunner of the ReplicaSet; it selects by equality alone. */
export const replicationController = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("ReplicationController"),
  metadata: objectMeta,
  spec: z.object({
    replicas: replicas.exactOptional(),
    selector: stringMap.exactOptional(),
    template: podTemplate,
  }),
});
export type ReplicationController = z.infer<typeof replicationController>;

export const statefulSet = z.object({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("StatefulSet"),
  metadata: objectMeta,
  spec: z.object({
    replicas: replicas.exactOptional(),
    selector: labelSelector.exactOptional(),
    template: podTemplate,
    /** Where the numbers of its pods begin; 0 when absent. */
    ordinals: z.object({ start: replicas.exactOptional() }).exactOptional(),
    volumeClaimTemplates: z.array(persistentVolumeClaim.pick({ metadata: true, spec: true })).exactOptional(),
  }),
});
export type StatefulSet = z.infer<typeof statefulSet>;

export const daemonSet = z.object({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("DaemonSet"),
  metadata: objectMeta,
  spec: z.object({ selector: labelSelector.exactOptional(), template: podTemplate }),
});
export type DaemonSet = z.infer<typeof daemonSet>;

const jobSpec = z.object({
  parallelism: replicas.exactOptional(),
  completions: replicas.exactOptional(),
  suspend: z.boolean().exactOptional(),
  template: podTemplate,
});

export const job = z.object({
  apiVersion: z.literal("batch/v1"),
  kind: z.literal("Job"),
  metadata: objectMeta,
  spec: jobSpec,
  status: z
    .object({ conditions: z.array(condition).exactOptional(), succeeded: z.number().exactOptional() })
    .exactOptional(),
});
export type Job = z.infer<typeof job>;

export const cronJob = z.object({
  apiVersion: z.literal("batch/v1"),
  kind: z.literal("CronJob"),
  metadata: objectMeta,
  spec: z.object({ schedule: z.string(), jobTemplate: z.object({ spec: jobSpec }) }),
});
export type CronJob = z.infer<typeof cronJob>;
