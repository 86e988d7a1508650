import type { Pod, PodSpec } from "../api/core.ts";
import { annotation } from "../api/labels.ts";
import { shortHash } from "../api/short-hash.ts";
import { stableJson } from "../api/stable-json.ts";
import { parseTime } from "../api/time.ts";
import { formatHostPort, hostPorts } from "../scheduling/host-ports.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { nodeAlternatives } from "../scheduling/pod-requirements.ts";
import type { PodConstraints, PodRecord } from "./pod-record.ts";
import { notServedReason } from "./served-pods.ts";
import type { Settings } from "./settings.ts";
import { foreignDisk } from "./volume-drivers.ts";

/** Labels that differ between the pods of one workload and that no affinity or spread selector is about. */
const perPodLabels: ReadonlySet<string> = new Set([
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/job-completion-index",
]);

/**
 * Decodes pods into records, sharing one {@link PodConstraints} among the pods that planning cannot tell apart. A decoder lives
 * as long as one snapshot.
 */
export class PodDecoder {
  readonly #constraintsByKey = new Map<string, PodConstraints>();
  readonly #servedPodAnnotation: string | undefined;

  constructor(options: DecodingOptions = {}) {
    this.#servedPodAnnotation = options.servedPodAnnotation;
  }

  decode(pod: Pod): PodRecord {
    const namespace = pod.metadata.namespace ?? "default";
    const schedulingKey = schedulingKeyOf(pod, namespace);
    let constraints = this.#constraintsByKey.get(schedulingKey);
    if (constraints === undefined) {
      constraints = constraintsOf(pod, namespace);
      this.#constraintsByKey.set(schedulingKey, constraints);
    }
    const notServed = notServedReason(pod, this.#servedPodAnnotation);
    const record = recordOf(pod, namespace, schedulingKey, constraints);
    return notServed === undefined ? record : { ...record, notServed };
  }
}

export type DecodingOptions = Pick<Settings, "servedPodAnnotation">;

/** One pod by itself; use {@link PodDecoder} for many. */
export function podRecord(pod: Pod): PodRecord {
  return new PodDecoder().decode(pod);
}

function recordOf(pod: Pod, namespace: string, schedulingKey: string, constraints: PodConstraints): PodRecord {
  const { metadata, spec, status } = pod;
  const owner = metadata.ownerReferences?.find((reference) => reference.controller) ?? metadata.ownerReferences?.[0];
  // Not the others: the token volume's name is drawn anew for each pod.
  const volumes = (spec.volumes ?? []).filter(
    (volume) => volume.persistentVolumeClaim ?? volume.ephemeral ?? foreignDisk(volume),
  );
  const doNotDisrupt = metadata.annotations?.[annotation.doNotDisrupt];
  return {
    uid: metadata.uid ?? `${namespace}/${metadata.name}`,
    namespace,
    name: metadata.name,
    createdAt: timeOr(metadata.creationTimestamp, 0),
    phase: status?.phase ?? "Pending",
    unschedulable: isUnschedulable(pod),
    ready: hasCondition(pod, "Ready"),
    priority: spec.priority ?? 0,
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    volumes,
    schedulingKey,
    classKey: volumes.length === 0 ? schedulingKey : shortHash(stableJson([schedulingKey, volumes]), 16),
    constraints,
    ...(owner === undefined ? {} : { owner }),
    ...(metadata.deletionTimestamp === undefined ? {} : { deletedAt: parseTime(metadata.deletionTimestamp) }),
    ...(spec.nodeName ? { nodeName: spec.nodeName } : {}),
    ...(status?.nominatedNodeName ? { nominatedNodeName: status.nominatedNodeName } : {}),
    ...(status?.startTime === undefined ? {} : { startedAt: parseTime(status.startTime) }),
    ...(doNotDisrupt === undefined ? {} : { doNotDisrupt }),
    ...deletionCostOf(pod),
  };
}

function deletionCostOf({ metadata }: Pod): Pick<PodRecord, "deletionCost"> {
  const text = metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"];
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? { deletionCost: Number(text) } : {};
}

function constraintsOf(pod: Pod, namespace: string): PodConstraints {
  const { spec } = pod;
  const affinity = spec.affinity;
  const alternatives = nodeAlternatives(spec);
  return {
    namespace,
    labels: classLabels(pod),
    requests: podRequests(spec),
    nodeAlternatives: alternatives,
    requiredAlternatives: alternatives,
    tolerations: spec.tolerations ?? [],
    topologySpread: spec.topologySpreadConstraints ?? [],
    podAffinity: affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    podAntiAffinity: affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAffinity: [],
    preferredAntiAffinity: [],
    unboundClaims: [],
    avoidsPreferNoSchedule: false,
    hostPorts: hostPorts(spec).map(formatHostPort),
    spec,
  };
}

function schedulingKeyOf(pod: Pod, namespace: string): string {
  return shortHash(stableJson([namespace, classLabels(pod), schedulingSlice(pod.spec)]), 16);
}

/** The parts of a pod's spec that decide where it may run and what it takes. */
function schedulingSlice(spec: PodSpec): unknown {
  const containers = [...(spec.initContainers ?? []), ...spec.containers].map((container) => [
    container.resources ?? {},
    container.restartPolicy ?? "",
    container.ports?.filter((port) => spec.hostNetwork || port.hostPort !== undefined) ?? [],
  ]);
  return [
    spec.initContainers?.length ?? 0,
    containers,
    spec.nodeSelector ?? {},
    spec.affinity ?? {},
    spec.tolerations ?? [],
    spec.topologySpreadConstraints ?? [],
    spec.overhead ?? {},
    spec.resources ?? {},
    spec.priority ?? 0,
    spec.priorityClassName ?? "",
    spec.hostNetwork ?? false,
    spec.resourceClaims ?? [],
    // Not where it may run, but whether: one record's spec must not hide another's gates.
    spec.schedulingGates ?? [],
  ];
}

function classLabels(pod: Pod): Readonly<Record<string, string>> {
  const labels = Object.entries(pod.metadata.labels ?? {}).filter(([key]) => !perPodLabels.has(key));
  return Object.fromEntries(labels);
}

/** Karpenter looks at the reason alone, not at the status (karpenter-core §2.1). */
function isUnschedulable(pod: Pod): boolean {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === "PodScheduled");
  return scheduled?.reason === "Unschedulable";
}

function hasCondition(pod: Pod, type: string): boolean {
  return pod.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

function timeOr(text: string | undefined, fallback: number): number {
  return text === undefined ? fallback : parseTime(text);
}
