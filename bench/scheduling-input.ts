import { wellKnownLabels } from "../shared/api/labels.ts";
import { formatTime } from "../shared/api/time.ts";
import type { InstanceType } from "../shared/cloud/instance-type.ts";
import { planningPools } from "../shared/provisioning/node-options.ts";
import { requirementEntries } from "../shared/scheduling/requirements.ts";
import { formatResources } from "../shared/scheduling/resources.ts";
import { type PodRecord, podName } from "../shared/state/pod-record.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";

export type SchedulingInput = ReturnType<typeof schedulingInput>;

/**
 * A snapshot as bench/karpenter reads it: the same pods, NodePools, DaemonSets and namespaces, and the instance types exactly as our planner
 * resolved them for each NodePool, with their allocatable, prices and zones. It states everything or throws a RangeError: nodes that
 * exist, NodeClaims and volumes are not carried over.
 */
export function schedulingInput(snapshot: Snapshot, options: { readonly runs: number; readonly workers: number }) {
  if (snapshot.nodes.length + snapshot.nodeClaims.length > 0) {
    throw new RangeError("the snapshot has nodes or NodeClaims; only worlds without any can be compared");
  }
  const { pools } = planningPools(snapshot);
  return {
    ...options,
    pods: snapshot.pods.map(podObject),
    daemonSetPods: snapshot.daemonSets.map(({ metadata, spec }) => ({
      metadata: { ...spec.template.metadata, name: metadata.name, namespace: metadata.namespace, uid: metadata.name },
      spec: spec.template.spec,
    })),
    namespaces: [...snapshot.namespaces].map(([name, labels]) => ({ metadata: { name, labels } })),
    nodePools: pools.map(({ pool }) => pool),
    instanceTypes: Object.fromEntries(
      pools.map(({ pool, options: nodeOptions }) => [
        pool.metadata.name,
        [...new Set(nodeOptions.map(({ instanceType }) => instanceType))].map(typeObject),
      ]),
    ),
    wellKnownLabels: [...wellKnownLabels].sort(),
  };
}

function podObject(record: PodRecord) {
  const { name, namespace, uid, createdAt, constraints, volumes } = record;
  if (volumes.length > 0)
    throw new RangeError(`pod ${podName(record)}: spec.volumes: volumes of claims cannot be compared`);
  return {
    metadata: { name, namespace, uid, labels: constraints.labels, creationTimestamp: formatTime(createdAt) },
    spec: constraints.spec,
    status: { phase: "Pending" },
  };
}

function typeObject({ name, requirements, capacity, allocatable, offerings }: InstanceType) {
  return {
    name,
    requirements: requirementEntries(requirements),
    capacity: formatResources(capacity),
    allocatable: formatResources(allocatable),
    offerings: offerings
      .filter(({ available }) => available)
      .map(({ zone, capacityType, priceUsdPerHour, available }) => ({
        zone,
        capacityType,
        priceUsdPerHour,
        available,
      })),
  };
}
