import type { LoadedObject } from "../../shared/api/documents.ts";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { type Change, nodeClassManifest, nodePoolManifest, readManifests } from "./api-manifests.ts";

/** Manifests as the text of one file. */
export function fileOf(...manifests: readonly RawObject[]): string {
  return manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
}

/** The objects of manifests that have nothing wrong in them. */
export function loadedFrom(...manifests: readonly RawObject[]): readonly LoadedObject[] {
  const { objects, problems } = readManifests(...manifests);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return objects;
}

/** A NodePool of on-demand c, m and r types, with changes, and its class. */
export function poolManifests(...changes: readonly Change[]): readonly RawObject[] {
  const requirements = [
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
    { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
    { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
  ];
  const pool = nodePoolManifest(["spec.template.spec.requirements", requirements], ...changes);
  return [pool, nodeClassManifest()];
}

/** A workload whose pods ask for 500m and 256Mi, unless `podSpec` says otherwise. */
export function workloadManifest(
  kind: "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job",
  name: string,
  spec: RawObject = {},
  { metadata = {}, podSpec = {} }: { readonly metadata?: RawObject; readonly podSpec?: RawObject } = {},
): RawObject {
  return {
    apiVersion: kind === "Job" ? "batch/v1" : "apps/v1",
    kind,
    metadata: { name, ...metadata },
    spec: {
      ...spec,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { ...smallPod, ...podSpec } },
    },
  };
}

export function podManifest(name: string, metadata: RawObject = {}, spec: RawObject = {}, status?: RawObject) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { ...smallPod, ...spec },
    ...(status && { status }),
  };
}

/** How a controller marks what it has made. */
export function madeBy(kind: string, name: string, labels: RawObject = {}): RawObject {
  const apiVersion = kind === "Job" || kind === "CronJob" ? "batch/v1" : "apps/v1";
  return { labels, ownerReferences: [{ apiVersion, kind, name, uid: `${kind}-${name}`, controller: true }] };
}

const smallPod = { containers: [{ name: "app", resources: { requests: { cpu: "500m", memory: "256Mi" } } }] };
