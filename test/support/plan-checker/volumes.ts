import type { NodeSelectorTerm } from "../../../shared/api/core.ts";
import type { PersistentVolume, StorageClass } from "../../../shared/api/storage.ts";
import type { PersistentVolumeClaim } from "../../../shared/api/volume-claims.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { CheckedNode } from "./checked-node.ts";
import { labelOf, termHolds } from "./node-matching.ts";

/** One volume of a pod, as far as the snapshot knows it. */
interface PodVolume {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume | undefined;
  readonly storageClass: StorageClass | undefined;
}

/** kube-scheduler's VolumeBinding, VolumeZone and NodeVolumeLimits. */
export class VolumeChecks {
  readonly #claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #limits: ReadonlyMap<string, ReadonlyMap<string, number>>;

  constructor(snapshot: Snapshot) {
    const { persistentVolumeClaims = [], persistentVolumes = [], storageClasses = [], csiNodes = [] } = snapshot;
    this.#claims = new Map(
      persistentVolumeClaims.map((claim) => [`${claim.metadata.namespace ?? "default"}/${claim.metadata.name}`, claim]),
    );
    this.#volumes = new Map(persistentVolumes.map((volume) => [volume.metadata.name, volume]));
    this.#classes = new Map(storageClasses.map((storageClass) => [storageClass.metadata.name, storageClass]));
    this.#limits = new Map(
      csiNodes.map(({ metadata, spec }) => [
        metadata.name,
        new Map(
          spec.drivers.flatMap(({ name, allocatable }) =>
            allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
          ),
        ),
      ]),
    );
  }

  /** Why a pod's volumes cannot be used on a node. */
  refusal(pod: PodRecord, node: CheckedNode): string | undefined {
    for (const name of claimNames(pod)) {
      if (name.isOwn && !this.#claims.has(name.key)) continue;
      const problem = this.#claimRefusal(name.key, node);
      if (problem !== undefined) return `volume claim ${name.key}: ${problem}`;
    }
    return undefined;
  }

  /** The driver of which the new pods' volumes are too many on a node that exists, beside those that are attached. */
  limitProblem(node: CheckedNode, placed: readonly PodRecord[], residents: readonly PodRecord[]): string | undefined {
    const limits = this.#limits.get(node.name);
    if (limits === undefined) return undefined;
    const attached = this.#volumesByDriver(residents);
    for (const [driver, added] of this.#volumesByDriver(placed)) {
      const limit = limits.get(driver) ?? Number.POSITIVE_INFINITY;
      const before = attached.get(driver) ?? new Set();
      const all = before.union(added);
      if (all.size > before.size && all.size > limit) return `${all.size} volumes of ${driver}, at most ${limit}`;
    }
    return undefined;
  }

  #volumesByDriver(pods: readonly PodRecord[]): ReadonlyMap<string, Set<string>> {
    const byDriver = new Map<string, Set<string>>();
    for (const volume of pods.flatMap((pod) => this.#volumesOf(pod))) {
      const driver = driverOf(volume);
      if (driver === undefined) continue;
      const { metadata } = volume.claim;
      const id = volume.volume?.spec.csi?.volumeHandle ?? `${metadata.namespace}/${metadata.name}`;
      byDriver.set(driver, (byDriver.get(driver) ?? new Set()).add(id));
    }
    return byDriver;
  }

  /** Claims that wait for their first consumer and that the pods would need in several zones. */
  zoneProblems(placements: readonly { readonly pod: PodRecord; readonly node: CheckedNode }[]): readonly string[] {
    const zones = new Map<string, Set<string>>();
    for (const { pod, node } of placements) {
      for (const { claim, volume, storageClass } of this.#volumesOf(pod)) {
        if (volume !== undefined || !zonal.includes(storageClass?.provisioner ?? "")) continue;
        const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
        const zone = labelOf(node.labels, zoneKey) ?? "";
        zones.set(key, (zones.get(key) ?? new Set()).add(zone));
      }
    }
    return [...zones].flatMap(([key, found]) =>
      found.size > 1 ? [`volume claim ${key}: its pods lie in the zones ${[...found].sort().join(", ")}`] : [],
    );
  }

  #claimRefusal(key: string, node: CheckedNode): string | undefined {
    const claim = this.#claims.get(key);
    if (claim === undefined) return "does not exist";
    if (claim.metadata.deletionTimestamp !== undefined) return "is being deleted";
    const { volumeName, storageClassName } = claim.spec;
    if (volumeName) {
      const volume = this.#volumes.get(volumeName);
      return volume === undefined ? `volume ${volumeName} does not exist` : volumeRefusal(volume, node);
    }
    const storageClass = this.#classes.get(storageClassName ?? "");
    if (storageClassName === undefined && storageClass === undefined) return undefined;
    if (storageClass?.volumeBindingMode !== "WaitForFirstConsumer") return "is not bound, and does not wait for a pod";
    return topologyRefusal(storageClass, node);
  }

  #volumesOf(pod: PodRecord): readonly PodVolume[] {
    return claimNames(pod).flatMap(({ key }) => {
      const claim = this.#claims.get(key);
      if (claim === undefined) return [];
      const { volumeName = "", storageClassName = "" } = claim.spec;
      return [{ claim, volume: this.#volumes.get(volumeName), storageClass: this.#classes.get(storageClassName) }];
    });
  }
}

const ebs = "ebs.csi.aws.com";
const inTreeEbs = "kubernetes.io/aws-ebs";
const zonal: readonly string[] = [ebs, inTreeEbs];
const zoneKey = "topology.kubernetes.io/zone";

/** `isOwn`: the claim of an ephemeral volume, which need not exist yet. */
function claimNames({ namespace, name, volumes }: PodRecord) {
  return volumes.flatMap((volume) => {
    if (volume.persistentVolumeClaim)
      return [{ key: `${namespace}/${volume.persistentVolumeClaim.claimName}`, isOwn: false }];
    return volume.ephemeral ? [{ key: `${namespace}/${name}-${volume.name}`, isOwn: true }] : [];
  });
}

function volumeRefusal({ metadata, spec }: PersistentVolume, node: CheckedNode): string | undefined {
  const required = spec.nodeAffinity?.required?.nodeSelectorTerms;
  const terms = spec.local || spec.hostPath ? required?.map(withoutHostname) : required;
  if (terms !== undefined && !terms.some((term) => isOpen(term) || termHolds(term, node)))
    return `${metadata.name} is not reached from it`;
  for (const key of [zoneKey, "failure-domain.beta.kubernetes.io/zone"]) {
    const zones = metadata.labels?.[key]?.split("__");
    if (zones !== undefined && !zones.includes(labelOf(node.labels, key) ?? ""))
      return `${metadata.name} is in ${zones}`;
  }
  return undefined;
}

/** A volume on a node's own disk comes anew with a new node (karpenter-core §2.8). */
function withoutHostname({ matchExpressions = [], ...term }: NodeSelectorTerm): NodeSelectorTerm {
  return { ...term, matchExpressions: matchExpressions.filter(({ key }) => key !== "kubernetes.io/hostname") };
}

function isOpen({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length + matchFields.length === 0;
}

function topologyRefusal({ metadata, allowedTopologies = [] }: StorageClass, node: CheckedNode): string | undefined {
  const isAllowed = allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labelOf(node.labels, key) ?? "")),
  );
  return allowedTopologies.length === 0 || isAllowed
    ? undefined
    : `storage class ${metadata.name} makes no volumes there`;
}

function driverOf({ volume, storageClass }: PodVolume): string | undefined {
  if (volume !== undefined) return volume.spec.csi?.driver ?? (volume.spec.awsElasticBlockStore && ebs);
  return storageClass?.provisioner === inTreeEbs ? ebs : storageClass?.provisioner;
}
