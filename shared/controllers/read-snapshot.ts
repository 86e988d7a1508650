import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { withTemplateLimits } from "../api/limit-range.ts";
import type { Condition } from "../api/schema.ts";
import { embeddedCatalog } from "../cloud/embedded-catalog.ts";
import type { Ports } from "../ports.ts";
import type { BufferResolution } from "../state/capacity-buffers.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import type { Settings } from "../state/settings.ts";
import type { SelectorSources, Snapshot } from "../state/snapshot.ts";
import { readBuffers } from "./capacity-buffers.ts";
import { listIfServed } from "./optional-list.ts";
import { readUnavailableOfferings } from "./unavailable-store.ts";

export interface WorldReading {
  readonly snapshot: Snapshot;
  /** All CapacityBuffers, those of the snapshot and those that are not ready. */
  readonly buffers: readonly BufferResolution[];
}

export async function readSnapshot(ports: Ports, settings: Settings): Promise<Snapshot> {
  return (await readWorld(ports, settings)).snapshot;
}

/**
 * Reads the world afresh. Nodes and claims are listed before pods: a pod that binds in between is then seen where it is, and its
 * node at worst as emptier than it is, which errs towards launching too little (karpenter-core §2.2).
 */
export async function readWorld(ports: Ports, settings: Settings): Promise<WorldReading> {
  const { kubernetes } = ports;
  const [nodes, nodeClaims, nodePools, nodeClasses, daemonSets, podDisruptionBudgets, namespaces, unavailable] =
    await Promise.all([
      kubernetes.list("Node"),
      kubernetes.list("NodeClaim"),
      kubernetes.list("NodePool"),
      kubernetes.list("EC2NodeClass"),
      kubernetes.list("DaemonSet"),
      kubernetes.list("PodDisruptionBudget"),
      kubernetes.list("Namespace"),
      readUnavailableOfferings(ports, settings),
    ]);
  const pods = await kubernetes.list("Pod", { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" });
  // A pod's claim is older than the pod, and a bound claim's volume older than the binding: in this order none is missed.
  const [persistentVolumeClaims, storageClasses, csiNodes, nodeOverlays, limitRanges] = await Promise.all([
    kubernetes.list("PersistentVolumeClaim"),
    kubernetes.list("StorageClass"),
    kubernetes.list("CSINode"),
    listIfServed(ports, "NodeOverlay"),
    kubernetes.list("LimitRange"),
  ]);
  const persistentVolumes = await kubernetes.list("PersistentVolume");
  const selectorSources = await readSelectorSources(ports, settings);
  const buffers = await readBuffers(ports, limitRanges);
  const decoder = new PodDecoder(settings);
  const snapshot: Snapshot = {
    now: ports.clock.now(),
    settings,
    pods: pods.map((pod) => decoder.decode(pod)),
    nodes,
    nodeClaims,
    nodePools,
    nodeClasses: nodeClasses.map(withReadiness),
    nodeOverlays,
    daemonSets: daemonSets.map((daemonSet) => withTemplateLimits(daemonSet, limitRanges)),
    podDisruptionBudgets,
    persistentVolumeClaims,
    persistentVolumes,
    storageClasses,
    csiNodes,
    capacityBuffers: buffers.flatMap((buffer) => (buffer.kind === "resolved" ? [buffer.resolved] : [])),
    ...(selectorSources && { selectorSources }),
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
    catalog: embeddedCatalog(settings.region),
    unavailableOfferings: unavailable,
  };
  return { snapshot, buffers };
}

/** Only where they are asked for: a cluster may have thousands of ReplicaSets. */
async function readSelectorSources(
  { kubernetes }: Ports,
  { defaultTopologySpread = [] }: Settings,
): Promise<SelectorSources | undefined> {
  if (defaultTopologySpread.length === 0) return undefined;
  const [services, ...owners] = await Promise.all([
    kubernetes.list("Service"),
    kubernetes.list("ReplicaSet"),
    kubernetes.list("ReplicationController"),
    kubernetes.list("StatefulSet"),
  ]);
  return { services, owners: owners.flat() };
}

/**
 * Offline a class without status counts as ready. In a cluster it is one that nobody has resolved: its subnets and images are not
 * known, so that nothing may be planned on it.
 */
function withReadiness(nodeClass: EC2NodeClass): EC2NodeClass {
  if (isTrue(nodeClass, "Ready")) return nodeClass;
  const known = conditionOf(nodeClass, "Ready");
  const message = known?.message || "its subnets, security groups and images are not resolved yet";
  const ready: Condition = { type: "Ready", status: "False", reason: known?.reason || "NotResolved", message };
  const others = nodeClass.status?.conditions?.filter(({ type }) => type !== "Ready") ?? [];
  return { ...nodeClass, status: { ...nodeClass.status, conditions: [...others, ready] } };
}
