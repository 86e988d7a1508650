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
import { getOrMake } from "./get-or-make.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";
import { reservedNodes } from "./reserved-places.ts";

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

/**
 * Why pods were left without a node although nodes for them exist: one refusal for each NodePool, with the first limit that even the
 * smallest of its nodes would break. Pods of many classes have the same options, and are told the same.
 */
export class LimitRefusals {
  readonly #headroom: ReadonlyMap<string, PoolHeadroom>;
  readonly #planned: () => ReadonlyMap<string, Resources>;
  readonly #known = new Map<readonly NodeOption[], readonly Refusal[]>();

  /** `planned` is the capacity of this plan's nodes by NodePool. */
  constructor(headroom: readonly PoolHeadroom[], planned: () => ReadonlyMap<string, Resources>) {
    this.#headroom = new Map(headroom.map((pool) => [pool.name, pool]));
    this.#planned = planned;
  }

  of(options: readonly NodeOption[]): readonly Refusal[] {
    return getOrMake(this.#known, options, () =>
      [...Map.groupBy(options, ({ pool }) => pool)].map(([nodePool, own]) => ({
        nodePool,
        ...this.#refusal(nodePool, own),
      })),
    );
  }

  #refusal(nodePool: string, own: readonly NodeOption[]): RefusalDetail {
    if (own.every(({ reservationId }) => reservationId !== undefined)) return usedUp(own);
    const pool = this.#headroom.get(nodePool);
    if (pool === undefined || Object.keys(pool.limits).length === 0) return { reason: "no node can hold it" };
    return limitRefusal(pool, own, this.#planned().get(nodePool) ?? {});
  }
}

/** For pods that only nodes of reservations would suit. */
function usedUp(options: readonly NodeOption[]): RefusalDetail {
  const ids = [...reservedNodes(options)].map(([id, nodes]) => `${id} (${nodes})`).sort();
  return {
    reason: `this plan's nodes take all places of the capacity reservations: ${ids.join(", ")}`,
    key: label.capacityType,
    found: "reserved",
    accepted: "on-demand or spot as well, or a larger reservation",
  };
}

function limitRefusal(pool: PoolHeadroom, options: readonly NodeOption[], planned: Resources): RefusalDetail {
  const { limits, used } = pool;
  const reason = `the NodePool's limits are reached: ${describeLimits(pool, planned)}`;
  const resources = Object.keys(limits).sort();
  const before = addResources(used, planned);
  const smallest = [...new Set(options.map(({ instanceType }) => instanceType))]
    .map((instanceType) => {
      const capacity: Resources = { ...instanceType.capacity, nodes: 1 };
      const needs = Object.fromEntries(resources.map((name) => [name, (before[name] ?? 0) + (capacity[name] ?? 0)]));
      return { instanceType, needs, broken: resources.filter((name) => (needs[name] ?? 0) > (limits[name] ?? 0)) };
    })
    .reduce((best, option) => (isNearer(option, best) ? option : best));
  const [broken] = smallest.broken;
  if (broken === undefined) return { reason };
  return {
    reason,
    key: `limits.${broken}`,
    found: `${text(broken, limits)} (${taken(broken, used, planned)})`,
    accepted: `${text(broken, smallest.needs)} or more, for one ${smallest.instanceType.name}`,
    nearestType: smallest.instanceType.name,
  };
}

interface LimitedOption {
  readonly instanceType: { readonly name: string };
  readonly needs: Resources;
  readonly broken: readonly string[];
}

/** Fewer limits broken, then by the less of the first of them, then by name. */
function isNearer(a: LimitedOption, b: LimitedOption): boolean {
  if (a.broken.length !== b.broken.length) return a.broken.length < b.broken.length;
  const [resource = ""] = b.broken;
  const less = (a.needs[resource] ?? 0) - (b.needs[resource] ?? 0);
  return less < 0 || (less === 0 && a.instanceType.name < b.instanceType.name);
}

/** The limits of a pool with what its nodes and this plan's take of them, for a person. */
function describeLimits({ limits, used }: PoolHeadroom, planned: Resources): string {
  const texts = Object.keys(limits)
    .sort()
    .map((resource) => `${resource} ${text(resource, limits)} (${taken(resource, used, planned)})`);
  return texts.join(", ");
}

function taken(resource: string, used: Resources, planned: Resources): string {
  return `${text(resource, used)} in use, ${text(resource, planned)} in this plan`;
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
