import fc from "fast-check";
import type { PodSpec } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import type { CSINode, PersistentVolume, StorageClass } from "../../../shared/api/storage.ts";
import type { PersistentVolumeClaim } from "../../../shared/api/volume-claims.ts";
import type { World } from "../snapshot.ts";
import type { PodRule } from "./pod-rules.ts";

const driver = "ebs.csi.aws.com";
const namespaces = ["default", "other"] as const;

/** Volumes that pods of any workload may use, in both namespaces. */
export const volumeRule: PodRule = fc
  .oneof(
    fc
      .constantFrom("data-a", "data-b", "waiting", "waiting-b")
      .map((claimName): Partial<PodSpec> => ({ volumes: [{ name: claimName, persistentVolumeClaim: { claimName } }] })),
    fc.constantFrom("waiting", "waiting-b").map(
      (storageClassName): Partial<PodSpec> => ({
        volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName } } } }],
      }),
    ),
  )
  .map((spec) => () => spec);

/** `data-a` and `data-b` are bound in zones a and b; `waiting` and `waiting-b` wait for their first pod, the latter for zone b. */
export function volumeObjects(
  nodes: readonly string[],
  attachable: number,
): Required<Pick<World, "persistentVolumeClaims" | "persistentVolumes" | "storageClasses" | "csiNodes">> {
  return {
    persistentVolumeClaims: namespaces.flatMap((namespace) => [
      claim(namespace, "data-a", { volumeName: `${namespace}-a` }),
      claim(namespace, "data-b", { volumeName: `${namespace}-b` }),
      claim(namespace, "waiting", { storageClassName: "waiting" }),
      claim(namespace, "waiting-b", { storageClassName: "waiting-b" }),
    ]),
    persistentVolumes: namespaces.flatMap((namespace) => [volume(namespace, "a"), volume(namespace, "b")]),
    storageClasses: [storageClass("waiting"), storageClass("waiting-b", "b")],
    csiNodes: nodes.map((name) => csiNode(name, attachable)),
  };
}

function claim(namespace: string, name: string, spec: PersistentVolumeClaim["spec"]): PersistentVolumeClaim {
  const bound = spec.volumeName !== undefined;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace, name, ...(bound && { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }) },
    spec,
    status: { phase: bound ? "Bound" : "Pending" },
  };
}

function volume(namespace: string, zone: string): PersistentVolume {
  const name = `${namespace}-${zone}`;
  const expression = { key: "topology.ebs.csi.aws.com/zone", operator: "In" as const, values: [zone] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      csi: { driver, volumeHandle: `vol-${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  };
}

function storageClass(name: string, zone?: string): StorageClass {
  const topology = { matchLabelExpressions: [{ key: label.zone, values: [zone ?? ""] }] };
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
    ...(zone !== undefined && { allowedTopologies: [topology] }),
  };
}

function csiNode(name: string, count: number): CSINode {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: { drivers: [{ name: driver, nodeID: `i-${name}`, topologyKeys: [label.zone], allocatable: { count } }] },
  };
}
