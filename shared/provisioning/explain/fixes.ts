import { stableJson } from "../../api/stable-json.ts";
import type { PodRecord } from "../../state/pod-record.ts";
import type { PlannedNodeClaim, ProvisioningPlan } from "../plan.ts";
import { planProvisioning } from "../scheduler.ts";
import { withEdit } from "./apply-edit.ts";
import { compareEdits, type Edit } from "./edit.ts";
import { placementEdits } from "./placement-edits.ts";
import { poolEdits } from "./pool-edits.ts";
import type { Question } from "./question.ts";
import { requestEdits } from "./request-edits.ts";
import { selectorEdits } from "./selector-edits.ts";

/** Where a plan puts a pod. */
export type Placement =
  | { readonly kind: "new-node"; readonly claim: PlannedNodeClaim }
  /** `name` is a Node's, or a NodeClaim's that has no Node yet. */
  | { readonly kind: "existing-node"; readonly name: string };

/** An edit with which the pod has a place, and which one: found by planning again. */
export interface Fix {
  readonly edit: Edit;
  readonly placement: Placement;
}

export interface FoundFixes {
  /** The smallest first. */
  readonly fixes: readonly Fix[];
  readonly tried: number;
}

export interface FixLimits {
  /** Plans made at most. */
  readonly tries: number;
  /** Fixes of the pod at most, and of NodePools. */
  readonly fixes: number;
}

/**
 * The smallest changes with which a pod that has no place gets one. Every single-field edit that the refusals suggest is tried by
 * planning the world again with it, in the order of {@link compareEdits}; what does not help is not told.
 */
export function findFixes(question: Question, limits: FixLimits): FoundFixes {
  const fixes: Fix[] = [];
  let tried = 0;
  for (const edit of candidateEdits(question)) {
    const alike = fixes.filter((fix) => fix.edit.target.kind === edit.target.kind);
    if (alike.length >= limits.fixes || alike.some((fix) => isLarger(edit, fix.edit))) continue;
    if (tried >= limits.tries) break;
    const world = withEdit(question.snapshot, question.pod, edit);
    if (world === undefined) continue;
    tried += 1;
    const placement = placementOf(planProvisioning(world), question.pod);
    if (placement !== undefined) fixes.push({ edit, placement });
  }
  return { fixes, tried };
}

/** The same field raised or lowered further, or set to yet another value, is no news. */
function isLarger(edit: Edit, found: Edit): boolean {
  return (
    edit.to !== undefined &&
    stableJson(edit.target) === stableJson(found.target) &&
    stableJson(edit.at) === stableJson(found.at)
  );
}

/** Smallest first, no two alike. */
function candidateEdits(question: Question): readonly Edit[] {
  const all = [
    ...selectorEdits(question),
    ...placementEdits(question),
    ...requestEdits(question),
    ...poolEdits(question),
  ].toSorted(compareEdits);
  const distinct = new Map<string, Edit>();
  for (const edit of all) {
    const key = stableJson([edit.target, edit.at, edit.to ?? null]);
    if (!distinct.has(key)) distinct.set(key, edit);
  }
  return [...distinct.values()];
}

export function placementOf(plan: ProvisioningPlan, { uid }: PodRecord): Placement | undefined {
  const claim = plan.nodeClaims.find(({ pods }) => pods.some((pod) => pod.uid === uid));
  if (claim !== undefined) return { kind: "new-node", claim };
  const node = plan.existing.find(({ pods }) => pods.some((pod) => pod.uid === uid));
  return node === undefined ? undefined : { kind: "existing-node", name: node.name };
}
