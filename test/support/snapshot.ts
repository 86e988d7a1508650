import type { Node, Pod } from "../../shared/api/core.ts";
import type { EC2NodeClass } from "../../shared/api/ec2-node-class.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { NodeOverlay } from "../../shared/api/node-overlay.ts";
import type { NodePool } from "../../shared/api/node-pool.ts";
import type { PodDisruptionBudget } from "../../shared/api/policy.ts";
import type { CSINode, PersistentVolume, StorageClass } from "../../shared/api/storage.ts";
import type { PersistentVolumeClaim } from "../../shared/api/volume-claims.ts";
import type { DaemonSet } from "../../shared/api/workloads.ts";
import type { Catalog, UnavailableOffering } from "../../shared/cloud/catalog.ts";
import type { LearnedMemory } from "../../shared/cloud/learned-memory.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import type { ResolvedBuffer } from "../../shared/state/capacity-buffers.ts";
import { PodDecoder } from "../../shared/state/pod-decoding.ts";
import { defaultSettings, type Settings } from "../../shared/state/settings.ts";
import type { SelectorSources, Snapshot } from "../../shared/state/snapshot.ts";
import { catalogOf } from "./catalog.ts";
import { nodeClass } from "./node-classes.ts";
import { nodePool } from "./node-pools.ts";

export interface World {
  readonly now?: number;
  readonly settings?: Partial<Settings>;
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
  readonly nodeClaims?: readonly NodeClaim[];
  readonly pools?: readonly NodePool[];
  readonly nodeClasses?: readonly EC2NodeClass[];
  readonly nodeOverlays?: readonly NodeOverlay[];
  readonly daemonSets?: readonly DaemonSet[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly persistentVolumeClaims?: readonly PersistentVolumeClaim[];
  readonly persistentVolumes?: readonly PersistentVolume[];
  readonly storageClasses?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly capacityBuffers?: readonly ResolvedBuffer[];
  readonly selectorSources?: SelectorSources;
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly catalog?: Catalog;
  readonly learnedMemory?: readonly LearnedMemory[];
  readonly unavailable?: readonly UnavailableOffering[];
  readonly placementScores?: Snapshot["placementScores"];
  readonly reclaimsPerHour?: Snapshot["reclaimsPerHour"];
}

/** One NodePool without requirements on on-demand nodes of the small catalog, and what `world` says. */
export function snapshotWith(world: World = {}): Snapshot {
  const decoder = new PodDecoder();
  return {
    now: world.now ?? 0,
    settings: { ...defaultSettings, vmMemoryOverheadPercent: 0, ...world.settings },
    pods: (world.pods ?? []).map((pod) => decoder.decode(pod)),
    nodes: world.nodes ?? [],
    nodeClaims: world.nodeClaims ?? [],
    nodePools: world.pools ?? [nodePool()],
    nodeClasses: world.nodeClasses ?? [plainClass()],
    nodeOverlays: world.nodeOverlays ?? [],
    daemonSets: world.daemonSets ?? [],
    podDisruptionBudgets: world.budgets ?? [],
    persistentVolumeClaims: world.persistentVolumeClaims ?? [],
    persistentVolumes: world.persistentVolumes ?? [],
    storageClasses: world.storageClasses ?? [],
    csiNodes: world.csiNodes ?? [],
    capacityBuffers: world.capacityBuffers ?? [],
    ...(world.selectorSources && { selectorSources: world.selectorSources }),
    namespaces: new Map(Object.entries(world.namespaces ?? { default: {} })),
    catalog: world.catalog ?? catalogOf(),
    ...(world.learnedMemory && { learnedMemory: world.learnedMemory }),
    unavailableOfferings: world.unavailable ?? [],
    ...(world.placementScores && { placementScores: world.placementScores }),
    ...(world.reclaimsPerHour && { reclaimsPerHour: world.reclaimsPerHour }),
  };
}

export function planFor(world: World) {
  return planProvisioning(snapshotWith(world));
}

/** An EC2NodeClass whose nodes keep nothing for themselves: allocatable is capacity. */
function plainClass(): EC2NodeClass {
  const nothing = { cpu: "0", memory: "0", "ephemeral-storage": "0" };
  return nodeClass({
    kubelet: {
      kubeReserved: nothing,
      systemReserved: nothing,
      evictionHard: { "memory.available": "0", "nodefs.available": "0" },
    },
  });
}
