import type { Pod } from "../api/core.ts";
import type { PersistentVolume, StorageClass } from "../api/storage.ts";
import type { PersistentVolumeClaim } from "../api/volume-claims.ts";
import type { ApiServer } from "./api-server.ts";

export const ebsDriver = "ebs.csi.aws.com";
const inTreeEbs = "kubernetes.io/aws-ebs";
export const bindCompleted = "pv.kubernetes.io/bind-completed";
const isDefaultClass = "storageclass.kubernetes.io/is-default-class";

interface PodClaim {
  readonly name: string;
  /** Made for this pod alone by the ephemeral volume controller. */
  readonly ephemeral: boolean;
}

/** The claims that a pod mounts, in the order of its volumes. */
export function claimsOf({ metadata, spec }: Pick<Pod, "metadata" | "spec">): readonly PodClaim[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly PodClaim[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
    return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, ephemeral: true }];
  });
}

/** The volume of a claim whose binding is done. */
export function isBound({ spec, metadata }: PersistentVolumeClaim): boolean {
  return Boolean(spec.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;
}

/** The class by its name; of a claim that names none, the newest that is marked as the default. */
export function classOf({ spec }: PersistentVolumeClaim, server: ApiServer): StorageClass | undefined {
  const { storageClassName } = spec;
  if (storageClassName !== undefined) return server.get("StorageClass", { name: storageClassName });
  const createdAt = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? "");
  const marked = server
    .list("StorageClass")
    .filter(({ metadata }) => metadata.annotations?.[isDefaultClass] === "true");
  return marked.sort((a, b) => createdAt(b) - createdAt(a))[0];
}

/** The CSI driver that attaches a claim's volume, once there is one. */
export function driverOf(claim: PersistentVolumeClaim, server: ApiServer): string | undefined {
  const { volumeName } = claim.spec;
  const volume = volumeName === undefined ? undefined : server.get("PersistentVolume", { name: volumeName });
  if (volume !== undefined) return driverOfVolume(volume);
  const provisioner = classOf(claim, server)?.provisioner;
  return provisioner === inTreeEbs ? ebsDriver : provisioner;
}

function driverOfVolume({ spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver ?? (spec.awsElasticBlockStore === undefined ? undefined : ebsDriver);
}
