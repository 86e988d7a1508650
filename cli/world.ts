import type { LoadedObject } from "../shared/api/documents.ts";
import type { Kind, KubernetesObjects } from "../shared/api/kinds.ts";
import { type LimitRange, limitRangesOf, withLimitRanges, withTemplateLimits } from "../shared/api/limit-range.ts";
import { resolvePriority } from "../shared/api/pod-priority.ts";
import type { PriorityClass } from "../shared/api/policy.ts";
import { type Problem, problemAt } from "../shared/api/problems.ts";
import type { Catalog } from "../shared/cloud/catalog.ts";
import { PodDecoder } from "../shared/state/pod-decoding.ts";
import type { PodRecord } from "../shared/state/pod-record.ts";
import type { Settings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { fileBuffers } from "./file-buffers.ts";
import { limitRangeNotes } from "./limit-range-notes.ts";
import { staticSizeProblems } from "./static-sizes.ts";
import { virtualNow } from "./virtual-now.ts";
import { type PlacedPod, rootWorkloads, workloadDemand } from "./workload-demand.ts";
import { resolveScales } from "./workload-scales.ts";
import { worldNotes } from "./world-notes.ts";
import { worldStorage } from "./world-storage.ts";

export interface WorldOptions {
  readonly catalog: Catalog;
  readonly settings: Settings;
  /** `--scale` options as written. */
  readonly scales: readonly string[];
}

export interface World {
  readonly snapshot: Snapshot;
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** The cluster that the objects of some files describe, as planning sees one. */
export function snapshotOf(loaded: readonly LoadedObject[], options: WorldOptions): World {
  const objects = loaded.map(({ object }) => object);
  const workloads = rootWorkloads(loaded).map(({ workload }) => workload);
  const scales = resolveScales(options.scales, workloads);
  const demand = workloadDemand(loaded, scales.counts);
  const limitRanges = ofKind(loaded, "LimitRange");
  const decoded = decodePods(demand.pods, {
    priorityClasses: ofKind(loaded, "PriorityClass"),
    limitRanges,
    settings: options.settings,
  });
  const buffers = fileBuffers(loaded, limitRanges, demand.pods.length);
  const storage = worldStorage(
    objects,
    demand.pods.map(({ pod }) => pod),
  );
  const nodePools = ofKind(loaded, "NodePool");
  const snapshot: Snapshot = {
    now: virtualNow(objects),
    settings: options.settings,
    pods: decoded.pods,
    nodes: ofKind(loaded, "Node"),
    nodeClaims: ofKind(loaded, "NodeClaim"),
    nodePools,
    nodeClasses: ofKind(loaded, "EC2NodeClass"),
    nodeOverlays: ofKind(loaded, "NodeOverlay"),
    daemonSets: ofKind(loaded, "DaemonSet").map((daemonSet) => withTemplateLimits(daemonSet, limitRanges)),
    podDisruptionBudgets: ofKind(loaded, "PodDisruptionBudget"),
    persistentVolumeClaims: storage.persistentVolumeClaims,
    persistentVolumes: storage.persistentVolumes,
    storageClasses: storage.storageClasses,
    csiNodes: ofKind(loaded, "CSINode"),
    capacityBuffers: buffers.buffers,
    selectorSources: {
      services: ofKind(loaded, "Service"),
      owners: workloadKinds.flatMap((kind) => ofKind(loaded, kind)),
    },
    namespaces: namespaceLabels(ofKind(loaded, "Namespace"), decoded.pods),
    catalog: options.catalog,
    unavailableOfferings: [],
  };
  return {
    snapshot,
    notes: [
      ...demand.notes,
      ...buffers.notes,
      ...storage.notes,
      ...limitRangeNotes(demand.pods, limitRanges),
      ...worldNotes({ objects, pods: decoded.pods, workloads, scales: scales.counts }),
    ],
    problems: [
      ...scales.problems,
      ...demand.problems,
      ...buffers.problems,
      ...staticSizeProblems(loaded),
      ...decoded.problems,
      ...missingNodePools(nodePools),
    ],
  };
}

/** A Deployment stands for the ReplicaSet that it would make. */
const workloadKinds = ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"] as const;

function ofKind<K extends Kind>(loaded: readonly LoadedObject[], kind: K): readonly KubernetesObjects[K][] {
  const isWanted = (object: LoadedObject["object"]): object is KubernetesObjects[K] & LoadedObject["object"] =>
    object.kind === kind;
  return loaded.map(({ object }) => object).filter(isWanted);
}

function decodePods(
  placed: readonly PlacedPod[],
  admission: {
    readonly priorityClasses: readonly PriorityClass[];
    readonly limitRanges: readonly LimitRange[];
    readonly settings: Settings;
  },
): { readonly pods: readonly PodRecord[]; readonly problems: readonly Problem[] } {
  const decoder = new PodDecoder(admission.settings);
  const pods: PodRecord[] = [];
  const problems: Problem[] = [];
  for (const { pod, source, isAdmitted } of placed) {
    const priority = resolvePriority(pod, admission.priorityClasses);
    const limitRanges = limitRangesOf(pod.metadata.namespace ?? "default", admission.limitRanges);
    const spec = isAdmitted ? pod.spec : withLimitRanges(pod.spec, limitRanges);
    try {
      pods.push(decoder.decode({ ...pod, spec: { ...spec, priority } }));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(problemAt(source, [], error.message, "a pod that Kubernetes would accept"));
    }
  }
  return { pods, problems };
}

/** Every namespace has its name as a label (KEP-2161), also those that only pods tell of. */
function namespaceLabels(
  namespaces: readonly KubernetesObjects["Namespace"][],
  pods: readonly PodRecord[],
): Snapshot["namespaces"] {
  const stated = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const names = new Set([...stated.keys(), ...pods.map(({ namespace }) => namespace)]);
  return new Map([...names].map((name) => [name, { "kubernetes.io/metadata.name": name, ...stated.get(name) }]));
}

function missingNodePools(nodePools: Snapshot["nodePools"]): readonly Problem[] {
  if (nodePools.length > 0) return [];
  const expected = "at least one karpenter.sh/v1 NodePool and its EC2NodeClass, as nodes are made from them";
  return [{ file: "input", document: 0, path: "", found: "no NodePool", expected }];
}
