import type { OpenClass } from "./placement.ts";
import type { Refusal } from "./plan.ts";
import { mergedByPool, refusedByAll } from "./refusals.ts";

/** What the NodePools that might have taken these pods said, at the last level of relaxation. */
function triedRefusals({ levels, refusals }: OpenClass): readonly Refusal[] {
  const tried = levels.at(-1)?.ways.flatMap(({ index, options }) => {
    return refusals[index] ?? refusedByAll(options, { reason: "not tried" });
  });
  return mergedByPool(tried ?? []);
}

/** One refusal for each NodePool, or one without a NodePool. */
export function allRefusals(entry: OpenClass): readonly [Refusal, ...Refusal[]] {
  const [first, ...others] = [...(entry.levels.at(-1)?.rejections() ?? []), ...triedRefusals(entry)];
  return first === undefined ? [{ nodePool: "", reason: "there is no NodePool" }] : [first, ...others];
}
