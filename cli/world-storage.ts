import type { Pod } from "../shared/api/core.ts";
import type { KubernetesObject } from "../shared/api/kinds.ts";
import type { PersistentVolume, StorageClass } from "../shared/api/storage.ts";
import type { PersistentVolumeClaim } from "../shared/api/volume-claims.ts";
import type { StatefulSet } from "../shared/api/workloads.ts";
import { ebsDriver } from "../shared/cloud/attach-limits.ts";
import { someOf } from "./wording.ts";
import { workloadKey } from "./workload-scales.ts";

export interface WorldStorage {
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  /** What was assumed. */
  readonly notes: readonly string[];
}

/**
 * The storage that the objects of some files describe, with what a cluster would add: the claims of StatefulSet pods and, where the
 * files have no StorageClass at all, the classes that are asked for.
 */
export function worldStorage(objects: readonly KubernetesObject[], pods: readonly Pod[]): WorldStorage {
  const stated = objects.filter((object) => object.kind === "PersistentVolumeClaim");
  const persistentVolumeClaims = [...stated, ...missingClaims(stated, objects, pods)];
  const storageClasses = objects.filter((object) => object.kind === "StorageClass");
  const assumed = storageClasses.length > 0 ? [] : assumedClasses(persistentVolumeClaims, pods);
  return {
    persistentVolumeClaims,
    persistentVolumes: objects.filter((object) => object.kind === "PersistentVolume"),
    storageClasses: [...storageClasses, ...assumed],
    notes: assumptions(assumed),
  };
}

/** The claims that the StatefulSet controller makes before each pod (`TEMPLATE-POD`), unbound. */
function missingClaims(
  stated: readonly PersistentVolumeClaim[],
  objects: readonly KubernetesObject[],
  pods: readonly Pod[],
): readonly PersistentVolumeClaim[] {
  const known = new Set(stated.map(({ metadata }) => `${metadata.namespace ?? "default"}/${metadata.name}`));
  const sets = new Map<string, StatefulSet>();
  for (const object of objects) {
    if (object.kind === "StatefulSet") sets.set(setKey(object.metadata.namespace, object.metadata.name), object);
  }
  return pods.flatMap(({ metadata: { name: podName, namespace = "default", ownerReferences = [] } }) => {
    const owner = ownerReferences.find(({ kind }) => kind === "StatefulSet");
    const templates = sets.get(setKey(namespace, owner?.name ?? ""))?.spec.volumeClaimTemplates ?? [];
    return templates.flatMap(({ metadata, spec }): readonly PersistentVolumeClaim[] => {
      const name = `${metadata.name}-${podName}`;
      if (known.has(`${namespace}/${name}`)) return [];
      return [{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, name, namespace }, spec }];
    });
  });
}

function setKey(namespace: string | undefined, name: string): string {
  return workloadKey("StatefulSet", namespace ?? "default", name);
}

/** The name of the class that claims without one are taken to get. */
const assumedDefault = "default";

function assumedClasses(claims: readonly PersistentVolumeClaim[], pods: readonly Pod[]): readonly StorageClass[] {
  const ephemeral = pods.flatMap(({ spec }) => spec.volumes ?? []).flatMap((volume) => volume.ephemeral ?? []);
  const specs = [
    ...claims.filter(({ spec }) => spec.volumeName === undefined).map(({ spec }) => spec),
    ...ephemeral.map(({ volumeClaimTemplate }) => volumeClaimTemplate.spec),
  ];
  const names = new Set(specs.map(({ storageClassName }) => storageClassName));
  const named = [...names].filter((name) => name !== undefined && name !== "").sort();
  return [
    ...named.map((name) => assumedClass(name ?? "", {})),
    ...(names.has(undefined)
      ? [assumedClass(assumedDefault, { "storageclass.kubernetes.io/is-default-class": "true" })]
      : []),
  ];
}

function assumedClass(name: string, annotations: Readonly<Record<string, string>>): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name, annotations },
    provisioner: ebsDriver,
    volumeBindingMode: "WaitForFirstConsumer",
  };
}

function assumptions(assumed: readonly StorageClass[]): readonly string[] {
  if (assumed.length === 0) return [];
  const names = someOf(assumed.map(({ metadata }) => metadata.name));
  const one = assumed.length === 1;
  return [
    `StorageClass ${names} ${one ? "is" : "are"} not in the input: ${one ? "its" : "their"} volumes count as EBS volumes that are made where their pod runs (WaitForFirstConsumer)`,
  ];
}
