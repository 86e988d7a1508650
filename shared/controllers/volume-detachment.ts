import type { VolumeAttachment } from "../api/storage.ts";
import { drainablePods } from "../disruption/drain.ts";
import type { Ports } from "../ports.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { claimVolumes } from "../state/pod-volumes.ts";

/**
 * Names of the persistent volumes that a drained node must still give back: a volume whose machine ends while attached is blocked for
 * six minutes. Volumes of pods that stay to the end do not count (karpenter-core §7.5).
 */
export async function volumesInTheWay(
  ports: Ports,
  nodeName: string,
  attachments: readonly VolumeAttachment[],
  pods: readonly PodRecord[],
): Promise<readonly string[]> {
  const attached = attachedVolumes(nodeName, attachments);
  if (attached.length === 0) return [];
  const leaving = new Set(drainablePods(pods, ports.clock.now()).map((pod) => pod.uid));
  const kept = new Set<string | undefined>();
  for (const pod of pods.filter(({ uid }) => !leaving.has(uid))) {
    for (const { claim: name } of claimVolumes(pod)) {
      const claim = await ports.kubernetes.get("PersistentVolumeClaim", { name, namespace: pod.namespace });
      kept.add(claim?.spec.volumeName);
    }
  }
  return attached.filter((volume) => !kept.has(volume));
}

export function attachedVolumes(nodeName: string, attachments: readonly VolumeAttachment[]): readonly string[] {
  return attachments
    .filter((attachment) => attachment.spec.nodeName === nodeName)
    .flatMap((attachment) => attachment.spec.source.persistentVolumeName ?? [])
    .sort();
}
