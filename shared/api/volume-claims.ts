import * as z from "zod";
import { objectMeta, resourceList, templateMeta } from "./schema.ts";

/** What a claim asks for. */
const persistentVolumeClaimSpec = z.object({
  /** Absent: the default class. Empty: no class, so that only a volume made by hand is bound. */
  storageClassName: z.string().exactOptional(),
  volumeName: z.string().exactOptional(),
  accessModes: z.array(z.string()).exactOptional(),
  volumeMode: z.string().exactOptional(),
  resources: z.object({ requests: resourceList.exactOptional(), limits: resourceList.exactOptional() }).exactOptional(),
});

/** How an ephemeral volume says which claim to make. */
export const persistentVolumeClaimTemplate = z.object({
  metadata: templateMeta.exactOptional(),
  spec: persistentVolumeClaimSpec,
});
export type PersistentVolumeClaimTemplate = z.infer<typeof persistentVolumeClaimTemplate>;

export const persistentVolumeClaim = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("PersistentVolumeClaim"),
  metadata: objectMeta,
  spec: persistentVolumeClaimSpec,
  status: z.object({ phase: z.string().exactOptional() }).exactOptional(),
});
export type PersistentVolumeClaim = z.infer<typeof persistentVolumeClaim>;
