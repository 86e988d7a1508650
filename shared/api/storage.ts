import * as z from "zod";
import { nodeSelector } from "./core.ts";
import { objectMeta } from "./schema.ts";

export const persistentVolumeClaim = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("PersistentVolumeClaim"),
  metadata: objectMeta,
  spec: z.object({ storageClassName: z.string().exactOptional(), volumeName: z.string().exactOptional() }),
  status: z.object({ phase: z.string().exactOptional() }).exactOptional(),
});
export type PersistentVolumeClaim = z.infer<typeof persistentVolumeClaim>;

export const persistentVolume = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("PersistentVolume"),
  metadata: objectMeta,
  spec: z.object({
    storageClassName: z.string().exactOptional(),
    csi: z.object({ driver: z.string(), volumeHandle: z.string() }).exactOptional(),
    nodeAffinity: z.object({ required: nodeSelector.exactOptional() }).exactOptional(),
  }),
});
export type PersistentVolume = z.infer<typeof persistentVolume>;

export const storageClass = z.object({
  apiVersion: z.literal("storage.k8s.io/v1"),
  kind: z.literal("StorageClass"),
  metadata: objectMeta,
  provisioner: z.string(),
  volumeBindingMode: z.enum(["Immediate", "WaitForFirstConsumer"]).exactOptional(),
  allowedTopologies: z
    .array(
      z.object({
        matchLabelExpressions: z.array(z.object({ key: z.string(), values: z.array(z.string()) })).exactOptional(),
      }),
    )
    .exactOptional(),
});
export type StorageClass = z.infer<typeof storageClass>;

export const volumeAttachment = z.object({
  apiVersion: z.literal("storage.k8s.io/v1"),
  kind: z.literal("VolumeAttachment"),
  metadata: objectMeta,
  spec: z.object({
    nodeName: z.string(),
    source: z.object({ persistentVolumeName: z.string().exactOptional() }),
  }),
});
export type VolumeAttachment = z.infer<typeof volumeAttachment>;
