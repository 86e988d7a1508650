import * as z from "zod";
import { nodeSelector } from "./core.ts";
import { diskSources } from "./disk-sources.ts";
import { objectMeta } from "./schema.ts";

export const persistentVolume = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("PersistentVolume"),
  metadata: objectMeta,
  spec: z.object({
    storageClassName: z.string().exactOptional(),
    csi: z.object({ driver: z.string(), volumeHandle: z.string() }).exactOptional(),
    ...diskSources,
    hostPath: z.object({ path: z.string() }).exactOptional(),
    local: z.object({ path: z.string() }).exactOptional(),
    nfs: z.object({ server: z.string(), path: z.string() }).exactOptional(),
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

/** What the CSI drivers of a node have told the kubelet. Named like its Node. */
export const csiNode = z.object({
  apiVersion: z.literal("storage.k8s.io/v1"),
  kind: z.literal("CSINode"),
  metadata: objectMeta,
  spec: z.object({
    drivers: z.array(
      z.object({
        name: z.string(),
        nodeID: z.string(),
        /** Keys of the node's labels that say where the driver's volumes can be reached. */
        topologyKeys: z.array(z.string()).nullish(),
        /** Without a count the driver has no limit. */
        allocatable: z.object({ count: z.number().int().min(0).exactOptional() }).exactOptional(),
      }),
    ),
  }),
});
export type CSINode = z.infer<typeof csiNode>;
