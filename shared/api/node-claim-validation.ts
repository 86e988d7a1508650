import type { NodeClaim } from "./node-claim.ts";
import { duration } from "./node-pool.ts";
import { duplicateTaintFaults, taintFaults } from "./node-pool-validation.ts";
import { requirementFaults } from "./requirement-validation.ts";
import { type Fault, fault, within } from "./rules.ts";

/** What a NodeClaim's spec must keep beyond types: a NodePool template's rules, but that it may name its NodePool (karpenter-core §1.2). */
export function nodeClaimFaults(spec: NodeClaim["spec"]): readonly Fault[] {
  const { requirements, taints = [], startupTaints = [], terminationGracePeriod } = spec;
  const tooMany = requirements.length > mostRequirements;
  const isDuration = terminationGracePeriod === undefined || duration.safeParse(terminationGracePeriod).success;
  return [
    ...fault(["requirements"], tooMany ? `at most ${mostRequirements}` : undefined, `${requirements.length} entries`),
    ...requirements.flatMap((entry, index) => within(["requirements", index], requirementFaults(entry))),
    ...taints.flatMap((taint, index) => within(["taints", index], taintFaults(taint))),
    ...startupTaints.flatMap((taint, index) => within(["startupTaints", index], taintFaults(taint))),
    ...duplicateTaintFaults(spec),
    ...fault(["terminationGracePeriod"], isDuration ? undefined : "a duration such as 30m or 1h30m"),
  ];
}

const mostRequirements = 100;
