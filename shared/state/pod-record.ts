import type { PodAffinityTerm, PodSpec, Toleration, TopologySpreadConstraint } from "../api/core.ts";
import type { OwnerReference } from "../api/schema.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";

/** What decides where a pod may run. Equal values are one shared object, so that pods of one workload cost little memory. */
export interface PodConstraints {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requests: Resources;
  /** Node requirements, one entry for each required OR-term, `nodeSelector` included in each; at least one. */
  readonly nodeAlternatives: readonly Requirements[];
  /**
   * The same where `nodeAlternatives` has been narrowed by what the pod itself does not require (preferences, volumes): topology
   * spread looks at these (nodeAffinityPolicy).
   */
  readonly requiredAlternatives: readonly Requirements[];
  readonly tolerations: readonly Toleration[];
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  /** Preferred terms that are kept as if they were required. None as read. */
  readonly preferredAffinity: readonly PodAffinityTerm[];
  /** The same; they keep nobody else away. None as read. */
  readonly preferredAntiAffinity: readonly PodAffinityTerm[];
  /** Claims (`namespace/name`) of zonal volumes that are not bound yet and that other pods use too: all must be in one zone. None as read. */
  readonly unboundClaims: readonly string[];
  /** Whether `PreferNoSchedule` taints refuse it. False as read. */
  readonly avoidsPreferNoSchedule: boolean;
  /** Host ports as `ip:port/protocol`. */
  readonly hostPorts: readonly string[];
  readonly spec: PodSpec;
}

/** A pod as planning reads it: some hundred bytes where the object has kilobytes (design §4.6). */
export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly owner?: OwnerReference;
  readonly createdAt: number;
  readonly deletedAt?: number;
  readonly phase: string;
  readonly nodeName?: string;
  readonly nominatedNodeName?: string;
  /** The PodScheduled condition's reason is Unschedulable: what makes a pod provisionable (karpenter-core §2.1). */
  readonly unschedulable: boolean;
  readonly ready: boolean;
  readonly startedAt?: number;
  readonly priority: number;
  readonly terminationGracePeriodSeconds: number;
  /** The `karpenter.sh/do-not-disrupt` annotation as written. */
  readonly doNotDisrupt?: string;
  /** The `controller.kubernetes.io/pod-deletion-cost` annotation; 0 when it is absent or no number. */
  readonly deletionCost?: number;
  /** Why no node is planned for it, though it may want one: it opts out, or is not among those that are served. */
  readonly notServed?: string;
  /** Volumes by claim, and disks of other clouds: what they ask is not among `constraints`. */
  readonly volumes: readonly PodVolume[];
  /** Hash of the constraints, equal for pods that have one object of them. */
  readonly schedulingKey: string;
  /** Hash of the constraints and the volumes: equal for pods that can stand for each other. */
  readonly classKey: string;
  readonly constraints: PodConstraints;
}

export type PodVolume = NonNullable<PodSpec["volumes"]>[number];

/** `namespace/name`: how a pod is named in reports. */
export function podName(pod: Pick<PodRecord, "namespace" | "name">): string {
  return `${pod.namespace}/${pod.name}`;
}
