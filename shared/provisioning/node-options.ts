import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { awsGroup, label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { Taint } from "../api/schema.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import { instanceTypesFor } from "../cloud/instance-types.ts";
import type { CapacityType } from "../ports.ts";
import {
  allows,
  firstConflict,
  intersectAll,
  type Requirements,
  requirement,
  requirementsOf,
  requirementsOfLabels,
} from "../scheduling/requirements.ts";
import { type Resources, subtractResources } from "../scheduling/resources.ts";
import { conditionOf } from "../state/conditions.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { DaemonOverhead, type NodeDaemons } from "./daemon-overhead.ts";

/** A NodePool that takes part in planning, with every node it could make. */
export interface PoolOptions {
  readonly pool: NodePool;
  readonly nodeClass: EC2NodeClass;
  /** Requirements and template labels of the pool together. */
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
  readonly options: readonly NodeOption[];
}

/** An instance type with one capacity type in one NodePool. */
export interface NodeOption {
  readonly pool: string;
  readonly instanceType: InstanceType;
  readonly capacityType: CapacityType;
  /** The pool's requirements narrowed to this type and capacity type; zones still open. */
  readonly requirements: Requirements;
  readonly daemonRequests: Resources;
  /** Host ports that DaemonSets take, as `ip:port/protocol`. */
  readonly daemonHostPorts: readonly string[];
  /** Allocatable less the DaemonSets. */
  readonly free: Resources;
  /** Available ones in zones the pool admits. */
  readonly offerings: readonly Offering[];
}

export interface PoolRejection {
  readonly nodePool: string;
  readonly reason: string;
}

export interface PlanningPools {
  /** Heavier first, then by name. */
  readonly pools: readonly PoolOptions[];
  /** Pools that take no part, and why. */
  readonly rejected: readonly PoolRejection[];
}

/** Expands all NodePools of a snapshot into the nodes they could make. */
export function planningPools(snapshot: Snapshot): PlanningPools {
  const pools: PoolOptions[] = [];
  const rejected: PoolRejection[] = [];
  const daemons = new DaemonOverhead(snapshot.daemonSets);
  const ordered = [...snapshot.nodePools].sort(
    (a, b) => weightOf(b) - weightOf(a) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  for (const pool of ordered) {
    const usable = usability(pool, snapshot);
    if ("reason" in usable) rejected.push({ nodePool: pool.metadata.name, reason: usable.reason });
    else pools.push(poolOptions(pool, usable.nodeClass, snapshot, daemons));
  }
  return { pools, rejected };
}

export function weightOf(pool: NodePool): number {
  return pool.spec.weight ?? 0;
}

/** Only ready, living, dynamic pools of our own class kind take part (karpenter-core §1.1). */
function usability(
  pool: NodePool,
  snapshot: Snapshot,
): { readonly nodeClass: EC2NodeClass } | { readonly reason: string } {
  const reference = pool.spec.template.spec.nodeClassRef;
  if (pool.metadata.deletionTimestamp !== undefined) return { reason: "the NodePool is being deleted" };
  if (pool.spec.replicas !== undefined) return { reason: "the NodePool is static (spec.replicas)" };
  if (reference.group !== awsGroup || reference.kind !== "EC2NodeClass") {
    return { reason: `its node class is a ${reference.kind} of ${reference.group}, which is not ours` };
  }
  const nodeClass = snapshot.nodeClasses.find((candidate) => candidate.metadata.name === reference.name);
  if (nodeClass === undefined) return { reason: `EC2NodeClass ${reference.name} does not exist` };
  const notReady = [pool, nodeClass].find((object) => conditionOf(object, "Ready")?.status === "False");
  if (notReady !== undefined) {
    return {
      reason: `${notReady.kind} ${notReady.metadata.name} is not ready: ${conditionOf(notReady, "Ready")?.message ?? ""}`,
    };
  }
  return { nodeClass };
}

function poolOptions(
  pool: NodePool,
  nodeClass: EC2NodeClass,
  snapshot: Snapshot,
  daemons: DaemonOverhead,
): PoolOptions {
  const { template } = pool.spec;
  const requirements = intersectAll(
    requirementsOf(template.spec.requirements),
    requirementsOfLabels({
      ...template.metadata?.labels,
      [label.nodePool]: pool.metadata.name,
      [label.nodeClass]: nodeClass.metadata.name,
    }),
  );
  const taints = template.spec.taints ?? [];
  const types = instanceTypesFor(snapshot.catalog, nodeClass, {
    vmMemoryOverheadPercent: snapshot.settings.vmMemoryOverheadPercent,
    reservedEnis: snapshot.settings.reservedEnis,
    unavailable: snapshot.unavailableOfferings,
    now: snapshot.now,
  });
  const options = types
    .filter((type) => firstConflict(requirements, type.requirements) === undefined)
    .flatMap((type) => typeOptions(pool, type, requirements, daemons.of(requirements, taints, type)));
  return { pool, nodeClass, requirements, taints, options };
}

function typeOptions(
  pool: NodePool,
  instanceType: InstanceType,
  poolRequirements: Requirements,
  daemons: NodeDaemons,
): readonly NodeOption[] {
  const free = subtractResources(instanceType.allocatable, daemons.requests);
  const offerings = instanceType.offerings.filter(
    (offering) =>
      offering.available &&
      admits(poolRequirements, label.zone, offering.zone) &&
      admits(poolRequirements, label.capacityType, offering.capacityType),
  );
  return [...Map.groupBy(offerings, (offering) => offering.capacityType).entries()].map(([capacityType, sold]) => ({
    pool: pool.metadata.name,
    instanceType,
    capacityType,
    requirements: intersectAll(
      poolRequirements,
      instanceType.requirements,
      new Map([[label.capacityType, requirement(label.capacityType, "In", [capacityType])]]),
    ),
    daemonRequests: daemons.requests,
    daemonHostPorts: daemons.hostPorts,
    free,
    offerings: sold,
  }));
}

function admits(requirements: Requirements, key: string, value: string): boolean {
  const wanted = requirements.get(key);
  return wanted === undefined || allows(wanted, value);
}
