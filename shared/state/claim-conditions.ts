import type { NodeClaim } from "../api/node-claim.ts";
import type { Condition } from "../api/schema.ts";
import { type ConditionChange, changedConditions } from "./condition-changes.ts";
import { conditionOf } from "./conditions.ts";

/** What makes a NodeClaim Ready (karpenter-core §1.2), in the order in which they come about. */
const parts = ["Launched", "Registered", "Initialized"] as const;

/**
 * A NodeClaim's conditions with changes made, and with Ready as it follows from them: False where a part is, Unknown where one is or is
 * not there yet. What the claim says of itself is said of its present generation. Undefined when nothing changes.
 */
export function changedClaimConditions(
  claim: NodeClaim,
  changes: readonly ConditionChange[],
  now: number,
): readonly Condition[] | undefined {
  const after = new Map(changes.map((change) => [change.type, change]));
  const told = parts.map((type) => after.get(type) ?? standing(claim, type));
  const unchanged = told.filter((part) => part !== undefined).filter(({ type }) => !after.has(type));
  return changedConditions(claim, [...changes, ...unchanged, readiness(told)], now);
}

/** Whether a condition of its life is about an earlier generation: it was told before the claim was deleted, say. */
export function isOfEarlierGeneration(claim: NodeClaim): boolean {
  const { generation } = claim.metadata;
  return [...parts, "Ready"].some((type) => {
    const { observedGeneration } = conditionOf(claim, type) ?? {};
    return observedGeneration !== undefined && observedGeneration !== generation;
  });
}

function standing(claim: NodeClaim, type: string): ConditionChange | undefined {
  const found = conditionOf(claim, type);
  if (found === undefined) return undefined;
  const { status, reason = "", message = "" } = found;
  return { type, status, reason, message };
}

function readiness(told: readonly (ConditionChange | undefined)[]): ConditionChange {
  const type = "Ready";
  const failed = told.filter((part) => part?.status === "False");
  const open = parts.filter((_, index) => (told[index]?.status ?? "Unknown") === "Unknown");
  if (failed.length === 0 && open.length === 0) return { type, status: "True", reason: type };
  const texts = parts.flatMap((part, index) => {
    const { status = "Unknown", message = "" } = told[index] ?? {};
    return status === "True" ? [] : [`${part}=${status}${message === "" ? "" : `: ${message}`}`];
  });
  const message = texts.join("; ");
  if (failed.length > 0) return { type, status: "False", reason: "UnhealthyDependents", message };
  return { type, status: "Unknown", reason: "ReconcilingDependents", message };
}
