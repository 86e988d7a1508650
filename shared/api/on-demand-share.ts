import { annotation } from "./labels.ts";
import type { NodePool } from "./node-pool.ts";

/** How many of a NodePool's nodes are not to be spot, though the pool allows it. */
export interface OnDemandShare {
  /** The first so many nodes. */
  readonly base: number;
  /** Of the nodes beyond those. */
  readonly percentage: number;
}

/** What the annotations ask; undefined where neither is there. One that cannot be read asks nothing, and is a fault of the NodePool. */
export function onDemandShareOf({ metadata }: Pick<NodePool, "metadata">): OnDemandShare | undefined {
  const { [annotation.onDemandBase]: base, [annotation.onDemandPercentage]: percentage } = metadata.annotations ?? {};
  if (base === undefined && percentage === undefined) return undefined;
  return { base: wholeNumber(base, mostNodes) ?? 0, percentage: wholeNumber(percentage, 100) ?? 0 };
}

/** Nodes of `total` that are not to be spot. */
export function onDemandWanted({ base, percentage }: OnDemandShare, total: number): number {
  return Math.min(base, total) + Math.ceil((Math.max(0, total - base) * percentage) / 100);
}

/** What is wrong with the annotations. */
export function onDemandShareFaults({ metadata: { annotations = {} } }: Pick<NodePool, "metadata">): readonly {
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}[] {
  const rules = [
    [annotation.onDemandBase, mostNodes, "a whole number of nodes, such as 2"],
    [annotation.onDemandPercentage, 100, "a whole number from 0 to 100"],
  ] as const;
  return rules.flatMap(([key, most, expected]) => {
    const found = annotations[key];
    if (found === undefined || wholeNumber(found, most) !== undefined) return [];
    return [{ path: `metadata.annotations["${key}"]`, found: JSON.stringify(found), expected }];
  });
}

const mostNodes = 100_000;

function wholeNumber(text: string | undefined, most: number): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}
