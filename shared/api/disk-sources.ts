import * as z from "zod";

const disk = z.object({}).exactOptional();

/** Disks that a pod or a PersistentVolume names by a field of its cloud's own, from before CSI drivers. That one is there is enough. */
export const diskSources = {
  awsElasticBlockStore: z.object({ volumeID: z.string() }).exactOptional(),
  gcePersistentDisk: disk,
  azureDisk: disk,
  cinder: disk,
  vsphereVolume: disk,
};

const anyDisk = z.object(diskSources);
export type DiskSources = z.infer<typeof anyDisk>;
