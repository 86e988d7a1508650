import type { InstanceType } from "../../cloud/instance-type.ts";
import { addResources, fits, formatResources, type Resources } from "../../scheduling/resources.ts";
import { clusterNodes } from "../../state/cluster-nodes.ts";
import type { NodeOption, PoolOptions } from "../node-options.ts";
import { poolHeadroom } from "../pool-limits.ts";
import type { Edit } from "./edit.ts";
import { type Question, suitableOptions } from "./question.ts";

/**
 * Limits of the NodePool raised: one of them, or all that are short where that is more than one. Each to what the cheapest node that
 * holds the pod needs, and further for the pods that are left over with it, as they may come first.
 */
export function limitEdits(question: Question, options: PoolOptions): readonly Edit[] {
  const { snapshot, pod } = question;
  const { limits, used } = poolHeadroom(options, clusterNodes(snapshot));
  const taken = addResources(used, plannedCapacity(question, options));
  const holding = suitableOptions(question, options).filter(({ free }) => fits(pod.constraints.requests, free));
  const [cheapest] = holding.toSorted((a, b) => lowestPrice(a) - lowestPrice(b));
  if (cheapest === undefined) return [];
  const least = (resource: string) =>
    Math.min(...holding.map(({ instanceType }) => capacityOf(instanceType)[resource] ?? 0));
  return nodeCounts(question, options).flatMap((nodes): readonly Edit[] => {
    const raisedTo = (resource: string, each: number) => (taken[resource] ?? 0) + nodes * each;
    const isShort = (resource: string, each: number) => raisedTo(resource, each) > (limits[resource] ?? 0);
    const single = Object.keys(limits)
      .sort()
      .filter((resource) => isShort(resource, least(resource)))
      .map((resource) => raised(options, { [resource]: raisedTo(resource, least(resource)) }));
    const capacity = capacityOf(cheapest.instanceType);
    const short = Object.keys(limits).filter((resource) => isShort(resource, capacity[resource] ?? 0));
    const all = short.map((resource) => [resource, raisedTo(resource, capacity[resource] ?? 0)] as const);
    return short.length > 1 ? [...single, raised(options, Object.fromEntries(all))] : single;
  });
}

/** One node, then a quarter more again and again, up to one for each pod that this NodePool's limits have left over. */
function nodeCounts({ unschedulable }: Question, { pool }: PoolOptions): readonly number[] {
  const rivals = unschedulable.filter(({ reasons }) =>
    reasons.some(({ nodePool, key = "" }) => nodePool === pool.metadata.name && key.startsWith("limits.")),
  ).length;
  const counts = [1];
  for (let nodes = 2; nodes < rivals; nodes += Math.max(1, Math.floor(nodes / 4))) counts.push(nodes);
  return [...new Set([...counts, Math.max(1, rivals)])];
}

function raised({ pool }: PoolOptions, amounts: Resources): Edit {
  const target = { kind: "NodePool", name: pool.metadata.name } as const;
  const limits = pool.spec.limits ?? {};
  const to = formatResources(amounts);
  const [resource, another] = Object.keys(to);
  const at = ["spec", "limits"];
  if (resource === undefined || another !== undefined) {
    return { target, at, from: limits, to: { ...limits, ...to }, size: "raise" };
  }
  return { target, at: [...at, resource], from: limits[resource], to: to[resource], size: "raise" };
}

function lowestPrice({ offerings }: NodeOption): number {
  return Math.min(...offerings.map(({ priceUsdPerHour }) => priceUsdPerHour));
}

/** Capacity of the nodes that the plan makes from this NodePool. */
function plannedCapacity({ planned }: Question, { pool, options }: PoolOptions): Resources {
  const types = new Map(options.map(({ instanceType }) => [instanceType.name, instanceType]));
  const own = planned.filter(({ nodePool }) => nodePool === pool.metadata.name);
  return addResources(
    ...own.flatMap(({ offerings: [chosen] }) => {
      const type = types.get(chosen.instanceType);
      return type === undefined ? [] : [capacityOf(type)];
    }),
  );
}

function capacityOf({ capacity }: InstanceType): Resources {
  return { ...capacity, nodes: 1 };
}
