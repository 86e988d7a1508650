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
 * as long as one snapshot. What `remembered` has from those before is taken from there: the same object is the same pod.
 */
export class PodDecoder {
  readonly #constraintsByKey = new Map<string, PodConstraints>();
  readonly #keys = new PartKeys();
  readonly #servedPodAnnotation: string | undefined;
  readonly #remembered: RememberedRecords | undefined;

  constructor(options: DecodingOptions = {}, remembered?: RememberedRecords) {
    this.#servedPodAnnotation = options.servedPodAnnotation;
    this.#remembered = remembered;
  }

  decode(pod: Pod): PodRecord {
    const known = this.#remembered?.get(pod);
    if (known !== undefined) return this.#withSharedConstraints(known);
    const namespace = pod.metadata.namespace ?? "default";
    const schedulingKey = this.#keys.of(pod) ?? this.#keys.add(pod, schedulingKeyOf(pod, namespace));
    let constraints = this.#constraintsByKey.get(schedulingKey);
    if (constraints === undefined) {
      constraints = constraintsOf(pod, namespace);
      this.#constraintsByKey.set(schedulingKey, constraints);
    }
    const notServed = notServedReason(pod, this.#servedPodAnnotation);
    const common = recordOf(pod, namespace, schedulingKey, constraints);
    const record = notServed === undefined ? common : { ...common, notServed };
    this.#remembered?.set(pod, record);
    return record;
  }

  #withSharedConstraints(record: PodRecord): PodRecord {
    const constraints = this.#constraintsByKey.get(record.schedulingKey);
    if (constraints === undefined) this.#constraintsByKey.set(record.schedulingKey, record.constraints);
    return constraints === undefined || constraints === record.constraints ? record : { ...record, constraints };
  }
}

export type DecodingOptions = Pick<Settings, "servedPodAnnotation">;

/**
 * Records by the very object they were decoded from, for one set of options and from one snapshot to the next. (Not a WeakMap: one of a
 * hundred thousand entries makes every garbage collection a slow one.)
 */
export class RememberedRecords {
  #before: ReadonlyMap<Pod, PodRecord> = new Map();
  #now = new Map<Pod, PodRecord>();

  /** A new snapshot begins: what the one before it did not ask for is forgotten. */
  turn(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  get(pod: Pod): PodRecord | undefined {
    const known = this.#before.get(pod);
    if (known !== undefined) this.#now.set(pod, known);
    return known;
  }

  set(pod: Pod, record: PodRecord): void {
    this.#now.set(pod, record);
  }
}

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

/** Keys of pods whose decided parts are the same objects, as those of one workload are when they come from a list (adapters). */
class PartKeys {
  readonly #known = new WeakMap<object, { readonly pod: Pod; readonly key: string }>();

  of(pod: Pod): string | undefined {
    const known = this.#known.get(pod.spec.containers);
    return known !== undefined && haveSameParts(known.pod, pod) ? known.key : undefined;
  }

  add(pod: Pod, key: string): string {
    this.#known.set(pod.spec.containers, { pod, key });
    return key;
  }
}

function haveSameParts(one: Pod, other: Pod): boolean {
  if (one.metadata.namespace !== other.metadata.namespace || one.metadata.labels !== other.metadata.labels)
    return false;
  const [first, second] = [one.spec, other.spec];
  return keyParts.every((part) => first[part] === second[part]);
}

/** All that {@link schedulingSlice} reads. */
const keyParts = [
  "containers",
  "initContainers",
  "nodeSelector",
  "affinity",
  "tolerations",
  "topologySpreadConstraints",
  "overhead",
  "resources",
  "priority",
  "priorityClassName",
  "hostNetwork",
  "resourceClaims",
  "schedulingGates",
] as const satisfies readonly (keyof PodSpec)[];

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
