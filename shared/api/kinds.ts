import type * as z from "zod";
import { capacityBuffer, podTemplateObject } from "./capacity-buffer.ts";
import { configMap, event, lease, namespace, node, pod } from "./core.ts";
import { ec2NodeClass } from "./ec2-node-class.ts";
import { limitRange } from "./limit-range.ts";
import { nodeClaim } from "./node-claim.ts";
import { nodeOverlay } from "./node-overlay.ts";
import { nodePool } from "./node-pool.ts";
import { podDisruptionBudget, priorityClass } from "./policy.ts";
import { service } from "./service.ts";
import { csiNode, persistentVolume, storageClass, volumeAttachment } from "./storage.ts";
import { persistentVolumeClaim } from "./volume-claims.ts";
import { validatingWebhookConfiguration } from "./webhook-configuration.ts";
import { cronJob, daemonSet, deployment, job, replicaSet, replicationController, statefulSet } from "./workloads.ts";

/** Every kind we read, with its schema. The one place that knows them all. */
export const schemas = {
  Pod: pod,
  Node: node,
  Namespace: namespace,
  Service: service,
  ConfigMap: configMap,
  Event: event,
  Lease: lease,
  NodePool: nodePool,
  NodeClaim: nodeClaim,
  NodeOverlay: nodeOverlay,
  EC2NodeClass: ec2NodeClass,
  Deployment: deployment,
  ReplicaSet: replicaSet,
  ReplicationController: replicationController,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
  PodDisruptionBudget: podDisruptionBudget,
  PriorityClass: priorityClass,
  PersistentVolumeClaim: persistentVolumeClaim,
  PersistentVolume: persistentVolume,
  StorageClass: storageClass,
  CSINode: csiNode,
  VolumeAttachment: volumeAttachment,
  CapacityBuffer: capacityBuffer,
  PodTemplate: podTemplateObject,
  LimitRange: limitRange,
  ValidatingWebhookConfiguration: validatingWebhookConfiguration,
} as const;

export type Kind = keyof typeof schemas;
export type KubernetesObjects = { [K in Kind]: z.infer<(typeof schemas)[K]> };
export type KubernetesObject = KubernetesObjects[Kind];

export interface KindInfo {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const kinds: { readonly [K in Kind]: KindInfo } = {
  Pod: { apiVersion: "v1", plural: "pods", namespaced: true },
  Node: { apiVersion: "v1", plural: "nodes", namespaced: false },
  Namespace: { apiVersion: "v1", plural: "namespaces", namespaced: false },
  Service: { apiVersion: "v1", plural: "services", namespaced: true },
  ConfigMap: { apiVersion: "v1", plural: "configmaps", namespaced: true },
  Event: { apiVersion: "v1", plural: "events", namespaced: true },
  Lease: { apiVersion: "coordination.k8s.io/v1", plural: "leases", namespaced: true },
  NodePool: { apiVersion: "karpenter.sh/v1", plural: "nodepools", namespaced: false },
  NodeClaim: { apiVersion: "karpenter.sh/v1", plural: "nodeclaims", namespaced: false },
  NodeOverlay: { apiVersion: "karpenter.sh/v1alpha1", plural: "nodeoverlays", namespaced: false },
  EC2NodeClass: { apiVersion: "karpenter.k8s.aws/v1", plural: "ec2nodeclasses", namespaced: false },
  Deployment: { apiVersion: "apps/v1", plural: "deployments", namespaced: true },
  ReplicaSet: { apiVersion: "apps/v1", plural: "replicasets", namespaced: true },
  ReplicationController: { apiVersion: "v1", plural: "replicationcontrollers", namespaced: true },
  StatefulSet: { apiVersion: "apps/v1", plural: "statefulsets", namespaced: true },
  DaemonSet: { apiVersion: "apps/v1", plural: "daemonsets", namespaced: true },
  Job: { apiVersion: "batch/v1", plural: "jobs", namespaced: true },
  CronJob: { apiVersion: "batch/v1", plural: "cronjobs", namespaced: true },
  PodDisruptionBudget: { apiVersion: "policy/v1", plural: "poddisruptionbudgets", namespaced: true },
  PriorityClass: { apiVersion: "scheduling.k8s.io/v1", plural: "priorityclasses", namespaced: false },
  PersistentVolumeClaim: { apiVersion: "v1", plural: "persistentvolumeclaims", namespaced: true },
  PersistentVolume: { apiVersion: "v1", plural: "persistentvolumes", namespaced: false },
  StorageClass: { apiVersion: "storage.k8s.io/v1", plural: "storageclasses", namespaced: false },
  CSINode: { apiVersion: "storage.k8s.io/v1", plural: "csinodes", namespaced: false },
  VolumeAttachment: { apiVersion: "storage.k8s.io/v1", plural: "volumeattachments", namespaced: false },
  CapacityBuffer: { apiVersion: "autoscaling.x-k8s.io/v1beta1", plural: "capacitybuffers", namespaced: true },
  PodTemplate: { apiVersion: "v1", plural: "podtemplates", namespaced: true },
  LimitRange: { apiVersion: "v1", plural: "limitranges", namespaced: true },
  ValidatingWebhookConfiguration: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "validatingwebhookconfigurations",
    namespaced: false,
  },
};
