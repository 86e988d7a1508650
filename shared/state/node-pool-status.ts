import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodePool } from "../api/node-pool.ts";
import { describeNodePoolFaults, nodePoolFaults } from "../api/node-pool-faults.ts";
import type { Condition, ResourceList } from "../api/schema.ts";
import { stableJson } from "../api/stable-json.ts";
import { describeBreaker, isOpen, type LaunchBreaker } from "../cloud/launch-breaker.ts";
import { addResources, formatResources } from "../scheduling/resources.ts";
import type { ClusterNode } from "./cluster-nodes.ts";
import { type ConditionChange, changedConditions } from "./condition-changes.ts";
import { conditionOf } from "./conditions.ts";
import { isManagedClass } from "./managed.ts";
import { type RegistrationResult, registrationHealth } from "./registration-health.ts";

/** How the launches of a NodePool fare. */
export interface LaunchHealth {
  readonly breaker: LaunchBreaker | undefined;
  /** Of any NodePool. */
  readonly registrations: readonly RegistrationResult[];
  readonly now: number;
}

/** What a NodePool's status should say. */
export interface NodePoolStatus {
  readonly conditions: readonly ConditionChange[];
  /** Capacity of the NodePool's nodes together; `nodes` counts them. */
  readonly resources: ResourceList;
  readonly nodes: number;
  readonly nodeClassObservedGeneration?: number;
}

/**
 * Karpenter's conditions and counts (karpenter-core §1.1): Ready is ValidationSucceeded and NodeClassReady; NodeRegistrationHealthy only
 * tells. A node that is leaving counts for nothing. Undefined for a NodePool whose class is another provider's.
 */
export function nodePoolStatus(
  pool: NodePool,
  nodeClasses: readonly EC2NodeClass[],
  nodes: readonly ClusterNode[],
  launches: LaunchHealth,
): NodePoolStatus | undefined {
  const { nodeClassRef } = pool.spec.template.spec;
  if (!isManagedClass(nodeClassRef)) return undefined;
  const { name } = nodeClassRef;
  const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === name);
  const own = nodes.filter((node) => node.nodePool === pool.metadata.name && !node.leaving && isLaunched(node));
  const parts = [validation(pool), classReadiness(name, nodeClass)];
  const health = launchHealth(pool, launches);
  const isStopped = isOpen(launches.breaker, launches.now);
  const registration = registrationHealth(pool, nodeClass, launches.registrations);
  const generation = nodeClass?.metadata.generation;
  return {
    conditions: [
      ...parts,
      ...health,
      ...(registration === undefined ? [] : [registration]),
      readiness(isStopped ? [...parts, ...health] : parts),
    ],
    resources: formatResources(addResources(none, ...own.map(({ capacity }) => ({ ...capacity, nodes: 1 })))),
    nodes: own.length,
    ...(generation === undefined ? {} : { nodeClassObservedGeneration: generation }),
  };
}

/** The merge patch that makes a NodePool say so; undefined when it does already. */
export function nodePoolStatusPatch(pool: NodePool, wanted: NodePoolStatus, now: number) {
  const { status } = pool;
  const conditions = changedConditions(pool, wanted.conditions, now);
  const { resources, nodes, nodeClassObservedGeneration = status?.nodeClassObservedGeneration } = wanted;
  const isCounted = stableJson(status?.resources ?? {}) === stableJson(resources) && status?.nodes === nodes;
  const isObserved = status?.nodeClassObservedGeneration === nodeClassObservedGeneration;
  if (conditions === undefined && isCounted && isObserved) return undefined;
  const gone = Object.keys(status?.resources ?? {}).filter((name) => !(name in resources));
  return {
    status: {
      ...(conditions === undefined ? {} : { conditions }),
      resources: { ...resources, ...Object.fromEntries(gone.map((name) => [name, null])) },
      nodes,
      ...(nodeClassObservedGeneration === undefined ? {} : { nodeClassObservedGeneration }),
    },
  };
}

/** The NodePool as it is with that status: what was written by an earlier pass, or by Karpenter, may be out of date. */
export function withConditions(pool: NodePool, { conditions }: NodePoolStatus, now: number): NodePool {
  const changed = changedConditions(pool, conditions, now);
  return changed === undefined ? pool : { ...pool, status: { ...pool.status, conditions: [...changed] } };
}

const none = { cpu: 0, memory: 0, pods: 0, "ephemeral-storage": 0, nodes: 0 };

function isLaunched({ node, nodeClaim }: ClusterNode): boolean {
  return node !== undefined || nodeClaim?.status?.providerID !== undefined;
}

function validation(pool: NodePool): ConditionChange {
  const type = "ValidationSucceeded";
  const faults = nodePoolFaults(pool);
  if (faults.length === 0) return { type, status: "True", reason: type };
  return { type, status: "False", reason: "NodePoolValidationFailed", message: describeNodePoolFaults(faults) };
}

function classReadiness(name: string, nodeClass: EC2NodeClass | undefined): ConditionChange {
  const type = "NodeClassReady";
  const title = `EC2NodeClass ${name}`;
  if (nodeClass === undefined) {
    return { type, status: "False", reason: "NodeClassNotFound", message: `${title} does not exist` };
  }
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    return { type, status: "False", reason: "NodeClassTerminating", message: `${title} is being deleted` };
  }
  const ready: Partial<Condition> = conditionOf(nodeClass, "Ready") ?? {};
  if (ready.status === "True") return { type, status: "True", reason: type };
  if (ready.status !== "False") {
    return {
      type,
      status: "False",
      reason: "NodeClassReadinessUnknown",
      message: `whether ${title} is ready is not known`,
    };
  }
  const reason = ready.reason || "NodeClassNotReady";
  return { type, status: "False", reason, message: `${title} is not ready: ${ready.message || reason}` };
}

/** Our own condition: there once launches have failed. While the breaker is open, the NodePool is not ready. */
function launchHealth(pool: NodePool, { breaker }: LaunchHealth): readonly ConditionChange[] {
  const type = "LaunchHealthy";
  if (breaker !== undefined) {
    return [{ type, status: "False", reason: breaker.reason, message: describeBreaker(breaker) }];
  }
  return conditionOf(pool, type) === undefined ? [] : [{ type, status: "True", reason: type }];
}

function readiness(parts: readonly ConditionChange[]): ConditionChange {
  const failed = parts.filter(({ status }) => status !== "True");
  if (failed.length === 0) return { type: "Ready", status: "True", reason: "Ready" };
  const texts = failed.map(({ type, status, reason, message = "" }) => `${type}=${status}, ${reason}: ${message}`);
  return { type: "Ready", status: "False", reason: "UnhealthyDependents", message: texts.join("; ") };
}
