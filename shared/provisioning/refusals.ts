import type { NodeOption } from "./node-options.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";

/** One refusal for each NodePool that these options are of. */
export function refusedByAll(options: readonly NodeOption[], detail: RefusalDetail): readonly Refusal[] {
  return poolsOf(options).map((nodePool) => ({ nodePool, ...detail }));
}

/** One refusal for each NodePool: the first one's facts, with the sentences of all. */
export function mergedByPool(refusals: readonly Refusal[]): readonly Refusal[] {
  return [...Map.groupBy(refusals, ({ nodePool }) => nodePool).values()].flatMap((same) => {
    const reason = [...new Set(same.map((refusal) => refusal.reason))].join("; ");
    return same.slice(0, 1).map((first) => ({ ...first, reason }));
  });
}

/** Names of the NodePools of some options, in their order. */
export function poolsOf(options: readonly NodeOption[]): readonly string[] {
  return [...new Set(options.map(({ pool }) => pool))];
}
