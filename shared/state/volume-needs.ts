import { ClaimStates, claimKey, type StorageObjects } from "./claim-states.ts";
import { type PodRecord, podName } from "./pod-record.ts";
import { type ClaimVolume, claimVolumes } from "./pod-volumes.ts";
import { type VolumePlaces, volumeConflict } from "./volume-conflict.ts";
import { foreignDisk } from "./volume-drivers.ts";
import { type Alternatives, agree, alternativesKey, anywhere, crossed } from "./volume-topology.ts";

/** A volume that its node must attach. */
export interface Attachment {
  /** The CSI driver's name. */
  readonly driver: string;
  /** The claim as `namespace/name`: one volume, however many pods of the node use it. */
  readonly claim: string;
}

/** What a pod's volumes ask of its node. */
export type VolumeNeeds =
  | {
      readonly kind: "ready";
      /** Of the node, not of the pod: topology spread does not see them. At least one; an empty map asks nothing. */
      readonly alternatives: Alternatives;
      readonly attachments: readonly Attachment[];
      /** Equal for pods that differ, in this, by the names of claims that nobody else uses alone. */
      readonly key: string;
    }
  | { readonly kind: "refused"; readonly reason: string };

const noNeeds: VolumeNeeds = { kind: "ready", alternatives: anywhere, attachments: [], key: "" };

/**
 * The claims, volumes and storage classes of one snapshot, and what they ask of the nodes of the pods that use them: kube-scheduler's
 * VolumeBinding, VolumeZone, VolumeRestrictions and the pods' side of NodeVolumeLimits (karpenter-core §2.1 rule 3, §2.8).
 */
export class VolumeWorld {
  readonly #states: ClaimStates;
  /** Pods by the claims that they use. */
  readonly #users: ReadonlyMap<string, readonly PodRecord[]>;
  readonly #needs = new Map<string, VolumeNeeds>();

  constructor(world: StorageObjects & { readonly pods: readonly PodRecord[] }) {
    this.#states = new ClaimStates(world);
    this.#users = usersOf(world.pods);
  }

  volumeNeeds(pod: PodRecord): VolumeNeeds {
    if (pod.volumes.length === 0) return noNeeds;
    const known = this.#needs.get(pod.uid);
    if (known !== undefined) return known;
    const needs = this.#needsOf(pod, claimVolumes(pod));
    this.#needs.set(pod.uid, needs);
    return needs;
  }

  /** What a pod that runs holds on its node, whatever has become of its claims since. */
  attachmentsOf(pod: PodRecord): readonly Attachment[] {
    return distinct(
      claimVolumes(pod).flatMap((volume) => {
        const driver = this.#states.driverOf(pod, volume);
        return driver === undefined ? [] : [{ driver, claim: claimKey(pod.namespace, volume.claim) }];
      }),
    );
  }

  /** Whether several pods use a claim, given as `namespace/name`: on one node it then counts once. */
  isShared(claim: string): boolean {
    return (this.#users.get(claim)?.length ?? 0) > 1;
  }

  /** Whether the first pod that runs will settle where a claim's volume is. */
  isUnbound(claim: string): boolean {
    return this.#states.isUnbound(claim);
  }

  #needsOf(pod: PodRecord, volumes: readonly ClaimVolume[]): VolumeNeeds {
    const disk = pod.volumes.find((volume) => foreignDisk(volume) !== undefined);
    if (disk !== undefined) return { kind: "refused", reason: `volume ${disk.name}: ${foreignDisk(disk)}` };
    const before: VolumePlaces[] = [];
    let alternatives = anywhere;
    for (const volume of volumes) {
      const state = this.#states.stateOf(pod, volume);
      if ("refused" in state) return refused(volume, state.refused);
      const key = claimKey(pod.namespace, volume.claim);
      const occupant = this.#occupant(key, pod);
      if (occupant !== undefined) {
        const why = `PersistentVolumeClaim ${key} is ReadWriteOncePod, and pod ${podName(occupant)} uses it`;
        return refused(volume, why);
      }
      const places = { volume: volume.volume, claim: key, alternatives: state.alternatives };
      if (!agree(alternatives, state.alternatives)) return { kind: "refused", reason: volumeConflict(before, places) };
      before.push(places);
      alternatives = crossed(alternatives, state.alternatives);
    }
    const attachments = this.attachmentsOf(pod);
    return { kind: "ready", alternatives, attachments, key: this.#keyOf(alternatives, attachments) };
  }

  #keyOf(alternatives: Alternatives, attachments: readonly Attachment[]): string {
    const names = attachments.map(({ driver, claim }) => (this.isShared(claim) ? `${driver}=${claim}` : driver));
    return [alternativesKey(alternatives), ...names.sort()].join(" ");
  }

  /** Who holds a claim that is for one pod alone: the pod that runs, else the oldest (kube-scheduler's VolumeRestrictions). */
  #occupant(key: string, pod: PodRecord): PodRecord | undefined {
    if (!this.#states.isForOnePod(key)) return undefined;
    const users = this.#users.get(key) ?? [];
    const [first] = users
      .filter(({ uid, deletedAt }) => uid === pod.uid || deletedAt === undefined)
      .sort(
        (a, b) =>
          Number(b.nodeName !== undefined) - Number(a.nodeName !== undefined) ||
          a.createdAt - b.createdAt ||
          (a.uid < b.uid ? -1 : 1),
      );
    return first?.uid === pod.uid ? undefined : first;
  }
}

function refused({ volume }: ClaimVolume, why: string): VolumeNeeds {
  return { kind: "refused", reason: `volume ${volume}: ${why}` };
}

function usersOf(pods: readonly PodRecord[]): ReadonlyMap<string, readonly PodRecord[]> {
  const users = new Map<string, PodRecord[]>();
  for (const pod of pods) {
    for (const key of new Set(claimVolumes(pod).map(({ claim }) => claimKey(pod.namespace, claim)))) {
      const known = users.get(key);
      if (known === undefined) users.set(key, [pod]);
      else known.push(pod);
    }
  }
  return users;
}

function distinct(attachments: readonly Attachment[]): readonly Attachment[] {
  return [...new Map(attachments.map((attachment) => [attachment.claim, attachment])).values()];
}
