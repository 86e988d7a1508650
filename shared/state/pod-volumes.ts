import type { PersistentVolumeClaimTemplate } from "../api/volume-claims.ts";
import type { PodRecord } from "./pod-record.ts";

/** A volume of a pod that is a claim. */
export interface ClaimVolume {
  /** The volume's name in the pod. */
  readonly volume: string;
  /** The claim's name in the pod's namespace. */
  readonly claim: string;
  /** Set for an ephemeral volume: what its claim is made of. */
  readonly template?: PersistentVolumeClaimTemplate;
}

/** The volumes of a pod that are claims; a generic ephemeral volume has one named `POD-VOLUME` (KEP-1698). */
export function claimVolumes(pod: PodRecord): readonly ClaimVolume[] {
  return pod.volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [{ volume: name, claim: persistentVolumeClaim.claimName }];
    if (ephemeral === undefined) return [];
    return [{ volume: name, claim: `${pod.name}-${name}`, template: ephemeral.volumeClaimTemplate }];
  });
}
