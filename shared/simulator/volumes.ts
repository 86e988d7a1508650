import { label } from "../api/labels.ts";
import type { StorageClass } from "../api/storage.ts";
import type { PersistentVolumeClaim } from "../api/volume-claims.ts";
import type { ApiServer } from "./api-server.ts";
import { bindCompleted, claimsOf, classOf, driverOf, isBound } from "./claims-of-pods.ts";
import { matchesNodeSelectorTerm } from "./node-affinity.ts";
import { isTerminal } from "./pod-status.ts";
import type { NodeInfo, PodInfo } from "./scheduler-cache.ts";
import { attachmentFailure } from "./volume-limits.ts";

/**
 * What a pod's volumes ask of a node (plugins VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone); `refusal` speaks for all
 * nodes.
 */
export interface VolumeState {
  readonly refusal?: string;
  /** kube-scheduler's words for a node that the volumes exclude; `others` are the pods on it or nominated to it. */
  readonly failure: (node: NodeInfo, others: readonly PodInfo[]) => string | undefined;
}

export const noVolumes: VolumeState = { failure: () => undefined };

type Failure = (node: NodeInfo) => string | undefined;

/** Looks the pod's claims up. */
export function volumeState(pod: PodInfo, server: ApiServer): VolumeState {
  const failures: Failure[] = [];
  for (const { name, ephemeral } of claimsOf(pod.pod)) {
    const claim = server.get("PersistentVolumeClaim", { namespace: pod.namespace, name });
    if (claim === undefined) {
      const title = `persistentvolumeclaim "${name}"`;
      const waiting = `waiting for ephemeral volume controller to create the ${title}`;
      return { ...noVolumes, refusal: ephemeral ? waiting : `${title} not found` };
    }
    const refusal = claimRefusal(claim, pod, server);
    if (refusal !== undefined) return { ...noVolumes, refusal };
    failures.push(isBound(claim) ? boundFailure(claim, server) : unboundFailure(claim, server));
  }
  if (failures.length === 0) return noVolumes;
  const tooMany = attachmentFailure(pod, server);
  return {
    failure: (node, others) => tooMany(node, others) ?? failures.map((failure) => failure(node)).find(Boolean),
  };
}

/** Makes and binds a volume in the node's zone for each claim that waited for its first consumer. */
export function provisionVolumes(pod: PodInfo, node: NodeInfo, server: ApiServer): void {
  for (const { name } of claimsOf(pod.pod)) {
    const reference = { namespace: pod.namespace, name };
    const claim = server.get("PersistentVolumeClaim", reference);
    if (claim === undefined || claim.spec.volumeName !== undefined) continue;
    const volumeName = `pvc-${claim.metadata.uid}`;
    const storageClassName = classOf(claim, server)?.metadata.name;
    const zone = node.labels[label.zone];
    const term = { matchExpressions: [{ key: label.zone, operator: "In" as const, values: [zone ?? ""] }] };
    server.create("PersistentVolume", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: volumeName },
      spec: {
        ...(storageClassName === undefined ? {} : { storageClassName }),
        csi: { driver: driverOf(claim, server) ?? "", volumeHandle: volumeName },
        ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
      },
    });
    const annotations = { [bindCompleted]: "yes" };
    server.patch("PersistentVolumeClaim", reference, { metadata: { annotations }, spec: { volumeName } });
    server.patch("PersistentVolumeClaim", reference, { status: { phase: "Bound" } }, { subresource: "status" });
  }
}

function claimRefusal(claim: PersistentVolumeClaim, pod: PodInfo, server: ApiServer): string | undefined {
  const { metadata, spec, status } = claim;
  const title = `persistentvolumeclaim "${metadata.name}"`;
  if (metadata.deletionTimestamp !== undefined) return `${title} is being deleted`;
  if (status?.phase === "Lost") return `${title} bound to non-existent persistentvolume "${spec.volumeName ?? ""}"`;
  if (!isBound(claim)) {
    const waits = classOf(claim, server)?.volumeBindingMode === "WaitForFirstConsumer" && !spec.volumeName;
    if (!waits) return "pod has unbound immediate PersistentVolumeClaims";
  }
  const isForOnePod = spec.accessModes?.includes("ReadWriteOncePod") ?? false;
  if (!isForOnePod || !isInUse(claim, pod, server)) return undefined;
  return "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
}

function isInUse({ metadata }: PersistentVolumeClaim, pod: PodInfo, server: ApiServer): boolean {
  return server
    .list("Pod")
    .some(
      (other) =>
        other.metadata.uid !== pod.uid &&
        other.metadata.namespace === metadata.namespace &&
        other.spec.nodeName !== undefined &&
        !isTerminal(other) &&
        claimsOf(other).some(({ name }) => name === metadata.name),
    );
}

function boundFailure({ spec }: PersistentVolumeClaim, server: ApiServer): Failure {
  const volume = server.get("PersistentVolume", { name: spec.volumeName ?? "" });
  if (volume === undefined) return () => "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
  const required = volume.spec.nodeAffinity?.required;
  return (node) => {
    const reachable =
      required === undefined ||
      required.nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node.name, labelsOf(node)));
    if (!reachable) return "node(s) had volume node affinity conflict";
    return isInZone(volume.metadata.labels ?? {}, node) ? undefined : "node(s) had no available volume zone";
  };
}

/** Labels of a volume under their old and new names; several zones are joined by `__`. */
function isInZone(labels: Readonly<Record<string, string>>, node: NodeInfo): boolean {
  return [label.zone, label.region].every((key) => {
    const values = labels[key] ?? labels[key.replace("topology", "failure-domain.beta")];
    return values === undefined || values.split("__").includes(node.labels[key] ?? "");
  });
}

function unboundFailure(claim: PersistentVolumeClaim, server: ApiServer): Failure {
  const storageClass = classOf(claim, server);
  return (node) =>
    storageClass !== undefined && isAllowed(storageClass, node)
      ? undefined
      : "node(s) didn't find available persistent volumes to bind";
}

function isAllowed(storageClass: StorageClass, node: NodeInfo): boolean {
  const terms = storageClass.allowedTopologies ?? [];
  const labels = labelsOf(node);
  return (
    terms.length === 0 ||
    terms.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
    )
  );
}

/** A node's labels with the EBS driver's own name for its zone, which the driver adds where it runs. */
function labelsOf({ labels }: NodeInfo): Readonly<Record<string, string>> {
  const zone = labels[label.zone];
  return zone === undefined ? labels : { "topology.ebs.csi.aws.com/zone": zone, ...labels };
}
