import { type NodePool, soundNodePool } from "./node-pool.ts";
import { onDemandShareFaults } from "./on-demand-share.ts";
import type { Problem } from "./problems.ts";
import { schemaProblems } from "./schema-problems.ts";

/** A rule that a NodePool breaks: the field, such as `spec.template.spec.requirements[0].values`, what was found and what is accepted. */
export type NodePoolFault = Pick<Problem, "path" | "found" | "expected">;

/**
 * The rules that a NodePool of a cluster breaks, though the CRD let it in. No node may be launched from it: Karpenter's condition
 * ValidationSucceeded (karpenter-core §1.1).
 */
export function nodePoolFaults(pool: NodePool): readonly NodePoolFault[] {
  const others = [...nameFaults(pool), ...onDemandShareFaults(pool)];
  const parsed = soundNodePool.safeParse(pool);
  if (parsed.success) return others;
  const ofSchema = schemaProblems(soundNodePool, pool, parsed.error.issues, { name: pool.metadata.name, document: 0 });
  return [...ofSchema, ...others];
}

const longestLabelValue = 63;

/** An object may have a longer name, a label's value may not: such a node could not be told to be of its NodePool. */
function nameFaults({ metadata: { name } }: NodePool): readonly NodePoolFault[] {
  if (name.length <= longestLabelValue) return [];
  const expected = `a name of at most ${longestLabelValue} characters, as it is the value of a label`;
  return [{ path: "metadata.name", found: `${name.length} characters`, expected }];
}

/** One sentence for all faults, for a condition's message. */
export function describeNodePoolFaults(faults: readonly NodePoolFault[]): string {
  return faults.map(({ path, found, expected }) => `${path}: found ${found}, expected ${expected}`).join("; ");
}
