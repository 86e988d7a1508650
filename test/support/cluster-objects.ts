import type { Node, Pod, PodSpec, PodTemplate } from "../../shared/api/core.ts";
import type { PodDisruptionBudget } from "../../shared/api/policy.ts";
import type { ObjectMeta } from "../../shared/api/schema.ts";
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from "../../shared/api/workloads.ts";

/** Objects as a user would write them, in the namespace `default`; tests state only what they are about. */

export interface PodInput {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly memory?: string;
  readonly spec?: Partial<PodSpec>;
}

function podTemplate({ labels = {}, annotations = {}, cpu, memory, spec }: PodInput = {}): PodTemplate {
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
  // A real API server insists on an image.
  const container = { name: "app", image: "registry.k8s.io/pause:3.10", resources: { requests } };
  return {
    metadata: { labels: { ...labels }, annotations: { ...annotations } },
    spec: { containers: [container], ...spec },
  };
}

export function podNamed(name: string, input: PodInput & { readonly metadata?: Partial<ObjectMeta> } = {}): Pod {
  const template = podTemplate(input);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "default",
      labels: { ...input.labels },
      ...input.metadata,
      name,
      ...annotationsOf(template),
    },
    spec: template.spec,
  };
}

export function nodeNamed(
  name: string,
  input: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly spec?: Node["spec"];
    readonly cpu?: string;
    readonly pods?: string;
  } = {},
): Node {
  const allocatable = { cpu: input.cpu ?? "4", memory: "16Gi", pods: input.pods ?? "58" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...input.labels } },
    spec: input.spec ?? {},
    status: { allocatable, capacity: allocatable },
  };
}

interface WorkloadInput extends PodInput {
  readonly replicas?: number;
}

export function deploymentNamed(name: string, input: WorkloadInput = {}): Deployment {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: meta(name), spec: workloadSpec(name, input) };
}

export function replicaSetNamed(name: string, input: WorkloadInput = {}): ReplicaSet {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: meta(name), spec: workloadSpec(name, input) };
}

export function statefulSetNamed(name: string, input: WorkloadInput = {}): StatefulSet {
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: meta(name), spec: workloadSpec(name, input) };
}

export function daemonSetNamed(name: string, input: PodInput = {}): DaemonSet {
  const { selector, template } = workloadSpec(name, input);
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: meta(name), spec: { selector, template } };
}

export function jobNamed(name: string, input: PodInput & Pick<Job["spec"], "parallelism" | "completions"> = {}): Job {
  const { parallelism = 1, completions = 1, ...pod } = input;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: meta(name),
    spec: { parallelism, completions, template: podTemplate(pod) },
  };
}

export function budgetNamed(
  name: string,
  spec: PodDisruptionBudget["spec"],
  metadata: Partial<ObjectMeta> = {},
): PodDisruptionBudget {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { ...meta(name), ...metadata }, spec };
}

function annotationsOf({ metadata }: PodTemplate) {
  return metadata?.annotations === undefined ? {} : { annotations: metadata.annotations };
}

function workloadSpec(name: string, { replicas = 1, ...pod }: WorkloadInput) {
  const labels = { app: name, ...pod.labels };
  return { replicas, selector: { matchLabels: { app: name } }, template: podTemplate({ ...pod, labels }) };
}

function meta(name: string): ObjectMeta {
  return { name, namespace: "default" };
}
