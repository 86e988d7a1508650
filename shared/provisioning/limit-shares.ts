import type { Resources } from "../scheduling/resources.ts";
import type { NodeOption } from "./node-options.ts";
import type { Packing, PackingProblem } from "./packing/problem.ts";

/**
 * By NodePool, how much more of each limited resource every one of a packing's nodes may count than it was planned with: an even share of
 * what the packing leaves. Whatever the nodes become within it, all of them together keep the limits.
 */
export function limitShares(
  { pools, columns, limitDimensions }: Pick<PackingProblem, "pools" | "columns" | "limitDimensions">,
  packing: Pick<Packing, "nodes">,
): ReadonlyMap<string, Resources> {
  const left = pools.map(({ headroom }) => Float64Array.from(headroom));
  const nodes = new Int32Array(pools.length);
  for (const { column: index } of packing.nodes) {
    const column = columns[index];
    const ofPool = left[column?.pool ?? -1];
    if (column === undefined || ofPool === undefined) continue;
    nodes[column.pool] = (nodes[column.pool] ?? 0) + 1;
    for (const [dimension, use] of column.limitUse.entries()) ofPool[dimension] = (ofPool[dimension] ?? 0) - use;
  }
  const shareOf = (pool: number, dimension: number) =>
    Math.max(0, (left[pool]?.[dimension] ?? 0) / Math.max(1, nodes[pool] ?? 0));
  return new Map(
    pools.map(({ name }, pool) => [
      name,
      Object.fromEntries(
        limitDimensions
          .map((resource, dimension) => [resource, shareOf(pool, dimension)] as const)
          .filter(([, share]) => Number.isFinite(share)),
      ),
    ]),
  );
}

/** Whether a node that was planned as one option may become another: it counts no more than that and its share of the limits. */
export function isWithinShare(option: NodeOption, chosen: NodeOption, share: Resources): boolean {
  const [capacity, planned] = [option.instanceType.capacity, chosen.instanceType.capacity];
  for (const resource in share) {
    if ((capacity[resource] ?? 0) > (planned[resource] ?? 0) + (share[resource] ?? 0)) return false;
  }
  return true;
}
