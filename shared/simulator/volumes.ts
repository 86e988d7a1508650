import { label } from "../api/labels.ts";
import type { PersistentVolumeClaim, StorageClass } from "../api/storage.ts";
import type { ApiServer } from "./api-server.ts";
import { matchesNodeSelectorTerm } from "./node-affinity.ts";
import type { NodeInfo, PodInfo } from "./scheduler-cache.ts";

/** What a pod's volumes ask of a node (plugin VolumeBinding); `refusal` speaks for all nodes. */
export interface VolumeState {
  readonly refusal?: string;
  /** kube-scheduler's words for a node that the volumes exclude. */
  readonly failure: (node: NodeInfo) => string | undefined;
}

export const noVolumes: VolumeState = { failure: () => undefined };

/** Looks the pod's claims up. Ephemeral volumes and limits on attachments are left out. */
export function volumeState(pod: PodInfo, server: ApiServer): VolumeState {
  const failures: ((node: NodeInfo) => string | undefined)[] = [];
  for (const name of claimNames(pod)) {
    const claim = server.get("PersistentVolumeClaim", { namespace: pod.namespace, name });
    if (claim === undefined) return { ...noVolumes, refusal: `persistentvolumeclaim "${name}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { ...noVolumes, refusal: `persistentvolumeclaim "${name}" is being deleted` };
    }
    if (claim.spec.volumeName !== undefined) {
      failures.push(boundFailure(claim.spec.volumeName, server));
      continue;
    }
    const storageClass = storageClassOf(claim, server);
    if (storageClass?.volumeBindingMode !== "WaitForFirstConsumer") {
      return { ...noVolumes, refusal: "pod has unbound immediate PersistentVolumeClaims" };
    }
    failures.push((node) =>
      isAllowed(storageClass, node) ? undefined : "node(s) didn't find available persistent volumes to bind",
    );
  }
  if (failures.length === 0) return noVolumes;
  return {
    failure: (node) => {
      for (const failure of failures) {
        const reason = failure(node);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
  };
}

/** Makes and binds a volume in the node's zone for each claim that waited for its first consumer. */
export function provisionVolumes(pod: PodInfo, node: NodeInfo, server: ApiServer): void {
  for (const name of claimNames(pod)) {
    const reference = { namespace: pod.namespace, name };
    const claim = server.get("PersistentVolumeClaim", reference);
    if (claim === undefined || claim.spec.volumeName !== undefined) continue;
    const volumeName = `pvc-${claim.metadata.uid}`;
    const { storageClassName } = claim.spec;
    const zone = node.labels[label.zone];
    const term = { matchExpressions: [{ key: label.zone, operator: "In" as const, values: [zone ?? ""] }] };
    server.create("PersistentVolume", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: volumeName },
      spec: {
        ...(storageClassName === undefined ? {} : { storageClassName }),
        csi: { driver: storageClassOf(claim, server)?.provisioner ?? "", volumeHandle: volumeName },
        ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
      },
    });
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    server.patch("PersistentVolumeClaim", reference, { metadata: { annotations }, spec: { volumeName } });
    server.patch("PersistentVolumeClaim", reference, { status: { phase: "Bound" } }, { subresource: "status" });
  }
}

function boundFailure(volumeName: string, server: ApiServer): (node: NodeInfo) => string | undefined {
  const volume = server.get("PersistentVolume", { name: volumeName });
  if (volume === undefined) return () => "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  const required = volume.spec.nodeAffinity?.required;
  return (node) =>
    required === undefined ||
    required.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node.name, node.labels))
      ? undefined
      : "node(s) had volume node affinity conflict";
}

function isAllowed(storageClass: StorageClass, node: NodeInfo): boolean {
  const terms = storageClass.allowedTopologies ?? [];
  return (
    terms.length === 0 ||
    terms.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key] ?? "")),
    )
  );
}

function storageClassOf(claim: PersistentVolumeClaim, server: ApiServer): StorageClass | undefined {
  const { storageClassName } = claim.spec;
  return storageClassName === undefined ? undefined : server.get("StorageClass", { name: storageClassName });
}

function claimNames(pod: PodInfo): string[] {
  return (pod.pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
  );
}
