import type { Node } from "../api/core.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodeOverlay } from "../api/node-overlay.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { Service } from "../api/service.ts";
import type { CSINode, PersistentVolume, StorageClass } from "../api/storage.ts";
import type { PersistentVolumeClaim } from "../api/volume-claims.ts";
import type { DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet } from "../api/workloads.ts";
import type { Catalog, UnavailableOffering } from "../cloud/catalog.ts";
import type { LaunchBreaker } from "../cloud/launch-breaker.ts";
import type { LearnedMemory } from "../cloud/learned-memory.ts";
import type { PlacementScores } from "../cloud/placement-scores.ts";
import type { ResolvedBuffer } from "./capacity-buffers.ts";
import type { PodRecord } from "./pod-record.ts";
import type { RegistrationResult } from "./registration-health.ts";
import type { Settings } from "./settings.ts";

/** What tells which pods belong together. */
export interface SelectorSources {
  readonly services: readonly Service[];
  readonly owners: readonly (Deployment | ReplicaSet | ReplicationController | StatefulSet)[];
}

/**
 * The world at one moment, as planning sees it. Frozen: the same snapshot gives the same plan, whatever the order of its lists
 * (design rule 2).
 */
export interface Snapshot {
  readonly now: number;
  readonly settings: Settings;
  /** Every pod that is neither Succeeded nor Failed. */
  readonly pods: readonly PodRecord[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  /** What CSI drivers say of the nodes that exist: how many volumes each can attach. */
  readonly csiNodes: readonly CSINode[];
  /** Those that are ready: planning expands them into pods (state/buffer-pods.ts). */
  readonly capacityBuffers: readonly ResolvedBuffer[];
  /** Read only where settings have a `defaultTopologySpread`. */
  readonly selectorSources?: SelectorSources;
  /** Labels of each namespace, for namespace selectors. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly catalog: Catalog;
  /** What nodes of a type and image reported. Absent: nothing is known, and memory is estimated. */
  readonly learnedMemory?: readonly LearnedMemory[];
  readonly unavailableOfferings: readonly UnavailableOffering[];
  /** Spot placement scores that still hold. Absent: none, which is no signal. */
  readonly placementScores?: readonly PlacementScores[];
  /** Reclaims of the own fleet per instance and hour, by `offeringKey` (cloud/reclaims.ts). Absent: none is known. */
  readonly reclaimsPerHour?: ReadonlyMap<string, number>;
  /** NodePools whose last launches failed. Absent: none. */
  readonly launchBreakers?: readonly LaunchBreaker[];
  /** Whether the last nodes of each NodePool have registered. Absent: nothing is known. */
  readonly registrations?: readonly RegistrationResult[];
  /** Free addresses by subnet id. Absent, or without a subnet: not known, and taken to be enough. */
  readonly subnetAddresses?: ReadonlyMap<string, number>;
  /** When they were read: what was launched since is not in them. */
  readonly subnetAddressesReadAt?: number;
}
