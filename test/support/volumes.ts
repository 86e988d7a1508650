import type { NodeSelectorTerm, Pod, PodSpec } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import type { ObjectMeta } from "../../shared/api/schema.ts";
import type { CSINode, PersistentVolume, StorageClass } from "../../shared/api/storage.ts";
import type { PersistentVolumeClaim } from "../../shared/api/volume-claims.ts";
import { type PlanningPod, pendingPod } from "./pods.ts";

export const ebs = "ebs.csi.aws.com";

/** A claim of the class `gp3` that waits for its first consumer. */
export function claim(
  name: string,
  spec: PersistentVolumeClaim["spec"] = {},
  metadata: Partial<ObjectMeta> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", ...metadata, name },
    spec: { storageClassName: "gp3", ...spec },
  };
}

/** A claim whose binding to the volume `pv-NAME` is done. */
export function boundClaim(name: string, spec: PersistentVolumeClaim["spec"] = {}): PersistentVolumeClaim {
  const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
  return { ...claim(name, { volumeName: `pv-${name}`, ...spec }, { annotations }), status: { phase: "Bound" } };
}

/** The volume of the claim `name`: EBS, in one of some zones if any are given. */
export function volumeOf(
  name: string,
  zones: readonly string[] = [],
  spec: PersistentVolume["spec"] = {},
  metadata: Partial<ObjectMeta> = {},
): PersistentVolume {
  const { nodeAffinity: _place, ...source } = spec;
  const isOther = Object.values(source).find((each) => typeof each === "object");
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...metadata, name: `pv-${name}` },
    spec: {
      ...(isOther === undefined && { csi: { driver: ebs, volumeHandle: `vol-${name}` } }),
      ...(zones.length > 0 && affinityTo([[label.zone, ...zones]])),
      ...spec,
    },
  };
}

/** Node affinity of a volume: one list of `key, value, value ...` for each OR-term. */
export function affinityTo(
  ...terms: readonly (readonly (readonly [string, ...string[]])[] | readonly [string, ...string[]])[]
) {
  const asTerm = (term: (typeof terms)[number]): NodeSelectorTerm => ({
    matchExpressions: expressionsOf(term).map(([key, ...values]) => ({ key, operator: "In" as const, values })),
  });
  return { nodeAffinity: { required: { nodeSelectorTerms: terms.map(asTerm) } } };
}

function expressionsOf(
  term: readonly (readonly [string, ...string[]])[] | readonly [string, ...string[]],
): readonly (readonly [string, ...string[]])[] {
  const isOne = (each: typeof term): each is readonly [string, ...string[]] => typeof each[0] === "string";
  return isOne(term) ? [term] : term;
}

/** A class of EBS volumes that are made where their first pod runs; `topologies` are its allowed ones, a list of values of one label each. */
export function storageClass(
  name = "gp3",
  changes: Partial<Omit<StorageClass, "metadata">> & { readonly metadata?: Partial<ObjectMeta> } = {},
): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    provisioner: ebs,
    volumeBindingMode: "WaitForFirstConsumer",
    ...changes,
    metadata: { ...changes.metadata, name },
  };
}

/** The class that claims without one get. */
export function defaultClass(
  name: string,
  createdAt = "2026-01-01T00:00:00Z",
  changes: Partial<StorageClass> = {},
): StorageClass {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  return storageClass(name, { ...changes, metadata: { annotations, creationTimestamp: createdAt } });
}

/** Allowed topologies: `key, value, value ...` for each term. */
export function topologies(
  ...terms: readonly (readonly [string, ...string[]])[]
): Pick<StorageClass, "allowedTopologies"> {
  return { allowedTopologies: terms.map(([key, ...values]) => ({ matchLabelExpressions: [{ key, values }] })) };
}

/** What the EBS driver reports of a node. */
export function csiNode(name: string, count?: number): CSINode {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: { drivers: [{ name: ebs, nodeID: `i-${name}`, ...(count !== undefined && { allocatable: { count } }) }] },
  };
}

/** Volumes of a pod by the names of their claims. */
export function claimed(...names: readonly string[]): Pick<PodSpec, "volumes"> {
  return { volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) };
}

/** A generic ephemeral volume named `scratch`, by default of the class `gp3`. */
export function ephemeral(spec: PersistentVolumeClaim["spec"] = { storageClassName: "gp3" }): Pick<PodSpec, "volumes"> {
  return { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }] };
}

/** A pending pod that mounts claims. */
export function podWithClaims(name: string, claims: readonly string[], input: PlanningPod = {}): Pod {
  return pendingPod(name, { ...input, spec: { ...claimed(...claims), ...input.spec } });
}
