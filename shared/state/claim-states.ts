import type { PersistentVolume, StorageClass } from "../api/storage.ts";
import { parseTime } from "../api/time.ts";
import type { PersistentVolumeClaim } from "../api/volume-claims.ts";
import type { PodRecord } from "./pod-record.ts";
import type { ClaimVolume } from "./pod-volumes.ts";
import { driverOfProvisioner, driverOfVolume, isForeign, wrongCloud } from "./volume-drivers.ts";
import { type Alternatives, classAlternatives, volumeAlternatives } from "./volume-topology.ts";

export interface StorageObjects {
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
}

/** Where one claim lets its pod run, or why its pod must wait. */
type ClaimState = { readonly alternatives: Alternatives } | { readonly refused: string };

const bindCompleted = "pv.kubernetes.io/bind-completed";
const defaultClassAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
] as const;

/** The claims of a snapshot with their volumes and classes: what each asks of a node (kube-scheduler's VolumeBinding and VolumeZone). */
export class ClaimStates {
  readonly #claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #defaultClass: StorageClass | undefined;

  constructor({ persistentVolumeClaims, persistentVolumes, storageClasses }: StorageObjects) {
    this.#claims = new Map(
      persistentVolumeClaims.map((claim) => [claimKey(claim.metadata.namespace, claim.metadata.name), claim]),
    );
    this.#volumes = byName(persistentVolumes);
    this.#classes = byName(storageClasses);
    this.#defaultClass = defaultClass(storageClasses);
  }

  stateOf(pod: PodRecord, { claim: name, template }: ClaimVolume): ClaimState {
    const key = claimKey(pod.namespace, name);
    const title = `PersistentVolumeClaim ${key}`;
    const claim = this.#claims.get(key);
    if (claim === undefined) {
      if (template === undefined) return { refused: `${title} does not exist` };
      // Its controller is still to make it, or the pod is one that is only planned.
      return this.#unboundState(title, template.spec, true);
    }
    const unfit = unfitness(claim) ?? (template && foreignOwner(claim, pod));
    if (unfit !== undefined) return { refused: `${title} ${unfit}` };
    return claim.spec.volumeName ? this.#boundState(title, claim) : this.#unboundState(title, claim.spec, false);
  }

  /** The driver that attaches the claim's volume, whatever state the claim is in. */
  driverOf(pod: PodRecord, { claim: name, template }: ClaimVolume): string | undefined {
    const claim = this.#claims.get(claimKey(pod.namespace, name));
    const volume = this.#volumes.get(claim?.spec.volumeName ?? "");
    if (volume !== undefined) return driverOfVolume(volume);
    const { storageClassName = this.#defaultClass?.metadata.name } = claim?.spec ?? template?.spec ?? {};
    const storageClass = this.#classes.get(storageClassName ?? "");
    return storageClass === undefined ? undefined : driverOfProvisioner(storageClass.provisioner);
  }

  /** Whether one pod alone may use the claim, given as `namespace/name`. */
  isForOnePod(key: string): boolean {
    return this.#claims.get(key)?.spec.accessModes?.includes("ReadWriteOncePod") ?? false;
  }

  /** Whether a claim's volume is still to be made or found. */
  isUnbound(key: string): boolean {
    return !this.#claims.get(key)?.spec.volumeName;
  }

  #boundState(title: string, { spec: { volumeName = "" }, metadata }: PersistentVolumeClaim): ClaimState {
    if (metadata.annotations?.[bindCompleted] === undefined) {
      return { refused: `${title} asks for PersistentVolume ${volumeName} but is not bound to it yet` };
    }
    const volume = this.#volumes.get(volumeName);
    const volumeTitle = `PersistentVolume ${volumeName}, to which ${title} is bound,`;
    if (volume === undefined) return { refused: `${volumeTitle} does not exist` };
    if (volume.metadata.deletionTimestamp !== undefined) return { refused: `${volumeTitle} is being deleted` };
    const driver = driverOfVolume(volume);
    if (isForeign(driver)) return { refused: `${volumeTitle} ${wrongCloud(driver)}` };
    return { alternatives: volumeAlternatives(volume) };
  }

  /** `planned`: the claim is not there yet, and a class that binds at once counts as one that waits. */
  #unboundState(title: string, spec: PersistentVolumeClaim["spec"], planned: boolean): ClaimState {
    const name = spec.storageClassName ?? this.#defaultClass?.metadata.name;
    if (name === undefined) {
      return { refused: `${title} is not bound and names no StorageClass, and none is marked as the default` };
    }
    if (name === "") {
      return { refused: `${title} is not bound and asks for no StorageClass: a volume must be made for it by hand` };
    }
    const storageClass = this.#classes.get(name);
    if (storageClass === undefined) {
      return { refused: `${title} is not bound and its StorageClass ${name} does not exist` };
    }
    const driver = driverOfProvisioner(storageClass.provisioner);
    if (isForeign(driver)) return { refused: `StorageClass ${name} of ${title} ${wrongCloud(driver)}` };
    const { volumeBindingMode = "Immediate" } = storageClass;
    if (volumeBindingMode === "Immediate" && !planned) {
      return {
        refused: `${title} is not bound yet, and its StorageClass ${name} binds at once (Immediate): its zone is known only then`,
      };
    }
    return { alternatives: classAlternatives(storageClass) };
  }
}

/** How claims are told apart: `namespace/name`. */
export function claimKey(namespace = "default", name: string): string {
  return `${namespace}/${name}`;
}

function unfitness({ metadata, status }: PersistentVolumeClaim): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return "is being deleted";
  return status?.phase === "Lost" ? "has lost its volume (phase Lost)" : undefined;
}

/** The claim of an ephemeral volume must be the pod's own, else a namesake's data would be mounted. */
function foreignOwner({ metadata }: PersistentVolumeClaim, pod: PodRecord): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || (owner.kind === "Pod" && owner.name === pod.name)) return undefined;
  return `belongs to ${owner.kind} ${owner.name}, not to the pod`;
}

/** The newest of those that are marked, then the first by name, as the API server picks. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const marked = classes.filter(({ metadata }) =>
    defaultClassAnnotations.some((key) => metadata.annotations?.[key] === "true"),
  );
  const createdAt = ({ metadata }: StorageClass) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z");
  return marked.toSorted((a, b) => createdAt(b) - createdAt(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function byName<T extends { readonly metadata: { readonly name: string } }>(
  objects: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}
