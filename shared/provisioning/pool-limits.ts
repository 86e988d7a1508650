import { label } from "../api/labels.ts";
import { requirementsOf } from "../scheduling/requirements.ts";
import {
  addResources,
  formatResources,
  maxResources,
  parseResources,
  type Resources,
  subtractResources,
} from "../scheduling/resources.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { PoolOptions } from "./node-options.ts";

/** What a NodePool's limits still allow; only limited resources appear. */
export interface PoolHeadroom {
  readonly name: string;
  readonly left: Resources;
  readonly limits: Resources;
  readonly used: Resources;
}

/**
 * Limits less the capacity of the pool's nodes and claims; leaving nodes do not count (karpenter-core §2.9). `nodes` counts
 * nodes, within one batch too.
 */
export function poolHeadroom(pool: PoolOptions, nodes: readonly ClusterNode[]): PoolHeadroom {
  const { name } = pool.pool.metadata;
  const limits = parseResources(pool.pool.spec.limits);
  const own = nodes.filter((node) => node.nodePool === name && !node.leaving);
  const used = addResources(...own.map((node) => ({ ...capacityOf(node, pool), nodes: 1 })));
  const left = subtractResources(limits, used);
  const limited = Object.fromEntries(Object.keys(limits).map((resource) => [resource, left[resource] ?? 0]));
  return { name, left: limited, limits, used };
}

/** The limits of a pool with what its nodes and this plan's take of them, for a person. */
export function describeLimits({ limits, used }: PoolHeadroom, planned: Resources): string {
  const texts = Object.keys(limits)
    .sort()
    .map((resource) => {
      const taken = `${text(resource, used)} in use, ${text(resource, planned)} in this plan`;
      return `${resource} ${text(resource, limits)} (${taken})`;
    });
  return texts.join(", ");
}

/** A claim that is not launched yet counts as the largest type it may become. */
function capacityOf(node: ClusterNode, pool: PoolOptions): Resources {
  if (Object.keys(node.capacity).length > 0) return node.capacity;
  const types = requirementsOf(node.nodeClaim?.spec.requirements ?? []).get(label.instanceType)?.values ?? new Set();
  return maxResources(
    ...pool.options
      .filter((option) => types.has(option.instanceType.name))
      .map((option) => option.instanceType.capacity),
  );
}

function text(resource: string, resources: Resources): string {
  return formatResources({ [resource]: resources[resource] ?? 0 })[resource] ?? "0";
}
