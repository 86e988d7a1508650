import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { withTemplateLimits } from "../api/limit-range.ts";
import type { Condition } from "../api/schema.ts";
import { reclaimsPerHour } from "../cloud/reclaims.ts";
import type { Ports } from "../ports.ts";
import { spotFleet } from "../provisioning/spot-fleet.ts";
import type { BufferResolution } from "../state/capacity-buffers.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import { PodDecoder, RememberedRecords } from "../state/pod-decoding.ts";
import type { Settings } from "../state/settings.ts";
import type { SelectorSources, Snapshot } from "../state/snapshot.ts";
import { readBreakers } from "./breaker-store.ts";
import { readBuffers } from "./capacity-buffers.ts";
import { readCatalog } from "./catalog-store.ts";
import { readLearnedMemory } from "./memory-store.ts";
import { type ClassMemory, readClassMemories } from "./node-class-memory.ts";
import { listIfServed } from "./optional-list.ts";
import { readPlacementScores } from "./placement-score-store.ts";
import { readReclaims } from "./reclaim-store.ts";
import { readRegistrations } from "./registration-store.ts";
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
  const { daemonSets, namespaces, nodeClasses, ...first } = await readFirst(ports, settings);
  const { nodeClaims } = first;
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
  const { reclaims, reservationPlaces, ...facts } = await readSharedFacts(ports, settings);
  const now = ports.clock.now();
  const decoder = new PodDecoder(settings, recordsFor(settings));
  const snapshot: Snapshot = {
    now,
    settings,
    pods: pods.map((pod) => decoder.decode(pod)),
    ...first,
    nodeClasses: nodeClasses.map((one) => withPlaces(withReadiness(one), reservationPlaces)),
    nodeOverlays,
    daemonSets: daemonSets.map((daemonSet) => withTemplateLimits(daemonSet, limitRanges)),
    persistentVolumeClaims,
    persistentVolumes,
    storageClasses,
    csiNodes,
    capacityBuffers: buffers.flatMap((buffer) => (buffer.kind === "resolved" ? [buffer.resolved] : [])),
    ...(selectorSources && { selectorSources }),
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
    ...facts,
    reclaimsPerHour: reclaimsPerHour(reclaims, spotFleet(nodeClaims), now),
  };
  return { snapshot, buffers };
}

/** What must be read before pods, and the catalog, which a cold function makes out while it waits for the lists. */
async function readFirst(ports: Ports, settings: Settings) {
  const { kubernetes } = ports;
  const [
    catalog,
    nodes,
    nodeClaims,
    nodePools,
    nodeClasses,
    daemonSets,
    podDisruptionBudgets,
    namespaces,
    unavailableOfferings,
  ] = await Promise.all([
    readCatalog(ports, settings),
    kubernetes.list("Node"),
    kubernetes.list("NodeClaim"),
    kubernetes.list("NodePool"),
    kubernetes.list("EC2NodeClass"),
    kubernetes.list("DaemonSet"),
    kubernetes.list("PodDisruptionBudget"),
    kubernetes.list("Namespace"),
    readUnavailableOfferings(ports, settings),
  ]);
  const offers = { catalog, unavailableOfferings };
  return { ...offers, nodes, nodeClaims, nodePools, nodeClasses, daemonSets, podDisruptionBudgets, namespaces };
}

/** What a warm process has decoded before: a kept list gives the same object for a pod that has not changed. */
const remembered = new WeakMap<Settings, RememberedRecords>();

function recordsFor(settings: Settings): RememberedRecords {
  const known = remembered.get(settings) ?? new RememberedRecords();
  remembered.set(settings, known);
  known.turn();
  return known;
}

/** What functions leave for each other in ConfigMaps (design rule 4). */
async function readSharedFacts(ports: Ports, settings: Settings) {
  const [placementScores, launchBreakers, learnedMemory, reclaims, registrations, classMemories] = await Promise.all([
    readPlacementScores(ports, settings),
    readBreakers(ports, settings),
    readLearnedMemory(ports, settings),
    readReclaims(ports, settings),
    readRegistrations(ports, settings),
    readClassMemories(ports, settings),
  ]);
  const memories = [...classMemories.values()];
  const reservationPlaces = new Map(memories.flatMap(({ reservationPlaces: places }) => Object.entries(places)));
  const subnetAddresses = subnetAddressesOf(memories);
  const facts = { placementScores, launchBreakers, learnedMemory, reclaims, registrations };
  return { ...facts, reservationPlaces, ...subnetAddresses };
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
  const known = conditionOf(nodeClass, "Ready");
  const { generation, deletionTimestamp } = nodeClass.metadata;
  const isOfBefore = known?.observedGeneration !== undefined && known.observedGeneration !== generation;
  if (isTrue(nodeClass, "Ready") && !isOfBefore && deletionTimestamp === undefined) return nodeClass;
  const message =
    deletionTimestamp !== undefined
      ? "it is being deleted"
      : isOfBefore
        ? `its status is of generation ${known.observedGeneration}, it is at ${generation}`
        : known?.message || "its subnets, security groups and images are not resolved yet";
  const ready: Condition = { type: "Ready", status: "False", reason: known?.reason || "NotResolved", message };
  const others = nodeClass.status?.conditions?.filter(({ type }) => type !== "Ready") ?? [];
  return { ...nodeClass, status: { ...nodeClass.status, conditions: [...others, ready] } };
}

/** The status has no field for how many places are left in a reservation (docs/decisions/0010-what-a-class-status-cannot-hold.md). */
function withPlaces(nodeClass: EC2NodeClass, places: ReadonlyMap<string, number>): EC2NodeClass {
  const { status } = nodeClass;
  if (status?.capacityReservations === undefined || places.size === 0) return nodeClass;
  const capacityReservations = status.capacityReservations.map((reservation) => {
    const availableInstanceCount = places.get(reservation.id) ?? reservation.availableInstanceCount;
    return availableInstanceCount === undefined ? reservation : { ...reservation, availableInstanceCount };
  });
  return { ...nodeClass, status: { ...status, capacityReservations } };
}

/** Of all classes. A subnet that several have selected counts as it was read first: what was launched since comes off it. */
function subnetAddressesOf(
  memories: readonly ClassMemory[],
): Pick<Snapshot, "subnetAddresses" | "subnetAddressesReadAt"> {
  const read = memories.filter(({ subnetsReadAt }) => subnetsReadAt !== undefined);
  if (read.length === 0) return {};
  return {
    subnetAddresses: new Map(read.flatMap(({ subnetAddresses }) => Object.entries(subnetAddresses))),
    subnetAddressesReadAt: Math.min(...read.map(({ subnetsReadAt = 0 }) => subnetsReadAt)),
  };
}
