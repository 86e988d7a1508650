import type { Pod, PodSpec, PodTemplate } from "./core.ts";
import type { KubernetesObject } from "./kinds.ts";
import type { Condition, OwnerReference } from "./schema.ts";
import { shortHash } from "./short-hash.ts";
import { stableJson } from "./stable-json.ts";
import type { CronJob, Job, StatefulSet } from "./workloads.ts";

/**
 * The pods that a workload's controller would create, named NAME-0, NAME-1, ... (a StatefulSet's from its first ordinal on) and
 * pending, so that a file of manifests can be planned like a cluster. A bare pod is itself. Kinds without pods of their own, DaemonSets
 * among them (their pods come with nodes), give none. `replicasOverride` takes the place of what the workload asks for; it means nothing for a bare pod.
 */
export function podsOf(object: KubernetesObject, replicasOverride?: number): readonly Pod[] {
  switch (object.kind) {
    case "Pod":
      return [asAdmitted(object)];
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return replicated(object, object.spec.template, replicasOverride ?? object.spec.replicas ?? 1);
    case "Job":
      return replicated(object, object.spec.template, replicasOverride ?? activePods(object));
    case "CronJob":
      return replicated(object, object.spec.jobTemplate.spec.template, replicasOverride ?? podsPerRun(object));
    default:
      return [];
  }
}

/** The uid an object has, or a stable stand-in made of its kind, namespace and name. */
export function uidOf(object: KubernetesObject): string {
  return object.metadata.uid ?? stableUid(object.kind, object.metadata.namespace, object.metadata.name);
}

function replicated(owner: KubernetesObject, template: PodTemplate, count: number): readonly Pod[] {
  const start = owner.kind === "StatefulSet" ? (owner.spec.ordinals?.start ?? 0) : 0;
  return Array.from({ length: count }, (_, index) => podOfTemplate(owner, template, start + index));
}

function podOfTemplate(owner: KubernetesObject, template: PodTemplate, index: number): Pod {
  const { namespace = "default", creationTimestamp } = owner.metadata;
  const name = `${owner.metadata.name}-${index}`;
  return asAdmitted({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      labels: { ...template.metadata?.labels, ...controllerLabels(owner, template, name, index) },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: owner.kind === "StatefulSet" ? withClaims(owner, template, name) : template.spec,
  });
}

/** A volume for each claim template, in place of the template's volume of that name, as the StatefulSet controller does. */
function withClaims({ spec }: StatefulSet, template: PodTemplate, podName: string): PodSpec {
  const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${podName}` },
  }));
  if (claimed.length === 0) return template.spec;
  const names = new Set(claimed.map(({ name }) => name));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template.spec, volumes: [...others, ...claimed] };
}

/** The labels that the built-in controllers add; selectors and `matchLabelKeys` of real manifests rely on them. */
function controllerLabels(
  owner: KubernetesObject,
  template: PodTemplate,
  podName: string,
  index: number,
): Readonly<Record<string, string>> {
  switch (owner.kind) {
    case "Deployment":
      return { "pod-template-hash": shortHash(stableJson(template)) };
    case "StatefulSet":
      return { "statefulset.kubernetes.io/pod-name": podName, "apps.kubernetes.io/pod-index": String(index) };
    case "Job":
    case "CronJob":
      return { "batch.kubernetes.io/job-name": owner.metadata.name, "job-name": owner.metadata.name };
    default:
      return {};
  }
}

function controllerReference(owner: KubernetesObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: uidOf(owner),
    controller: true,
  };
}

/**
 * The pod with what an API server and kube-scheduler would have added: a uid, and, when nothing has scheduled it yet, the
 * condition that makes it count as pending (karpenter-core §2.1).
 */
function asAdmitted(pod: Pod): Pod {
  const identified = pod.metadata.uid === undefined ? { ...pod, metadata: { ...pod.metadata, uid: uidOf(pod) } } : pod;
  const conditions = pod.status?.conditions ?? [];
  const phase = pod.status?.phase ?? "Pending";
  const seenByScheduler = conditions.some(({ type }) => type === "PodScheduled");
  if (pod.spec.nodeName !== undefined || phase !== "Pending" || seenByScheduler) return identified;
  return { ...identified, status: { ...pod.status, phase, conditions: [...conditions, unscheduled(pod)] } };
}

function unscheduled(pod: Pod): Condition {
  const gated = (pod.spec.schedulingGates ?? []).length > 0;
  return { type: "PodScheduled", status: "False", reason: gated ? "SchedulingGated" : "Unschedulable" };
}

function activePods(job: Job): number {
  const finished = (job.status?.conditions ?? []).some(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
  return finished || job.spec.suspend === true ? 0 : parallelPods(job.spec, job.status?.succeeded ?? 0);
}

function podsPerRun({ spec: { jobTemplate } }: CronJob): number {
  return jobTemplate.spec.suspend === true ? 0 : parallelPods(jobTemplate.spec, 0);
}

/** A Job runs no more pods at once than it still has completions to reach. */
function parallelPods({ parallelism = 1, completions = parallelism }: Job["spec"], succeeded: number): number {
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function stableUid(kind: string, namespace: string | undefined, name: string): string {
  return `${kind.toLowerCase()}-${shortHash(`${kind}/${namespace ?? ""}/${name}`, 20)}`;
}
