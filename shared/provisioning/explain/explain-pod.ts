import type { PodRecord } from "../../state/pod-record.ts";
import type { Snapshot } from "../../state/snapshot.ts";
import { planningPools } from "../node-options.ts";
import type { ProvisioningPlan, Refusal } from "../plan.ts";
import { planProvisioning } from "../scheduler.ts";
import { type FixLimits, type FoundFixes, findFixes, type Placement, placementOf } from "./fixes.ts";
import { smallerWorld } from "./smaller-world.ts";

/** Where a pod stands, and why. */
export type PodExplanation =
  /** `next` is there when its node is leaving and it will move. */
  | { readonly kind: "running"; readonly pod: PodRecord; readonly node: string; readonly next?: Placement }
  | { readonly kind: "placeable"; readonly pod: PodRecord; readonly placement: Placement }
  | { readonly kind: "waiting"; readonly pod: PodRecord; readonly reason: string }
  | ({ readonly kind: "no-place"; readonly pod: PodRecord; readonly refusals: readonly Refusal[] } & FoundFixes);

const mostFixes = 3;

/** The more pods and NodePools a plan has, the longer it takes, and the fewer can be made while a person waits. */
function limitsFor(snapshot: Snapshot): FixLimits {
  const pending = snapshot.pods.filter(({ nodeName }) => nodeName === undefined).length;
  const affordable = Math.min(4_000 / (pending + 50), 2_000 / snapshot.nodePools.length);
  return { tries: Math.max(12, Math.min(60, Math.floor(affordable))), fixes: mostFixes };
}

/** What the planner would do with one pod of a snapshot, and the smallest changes that would help where it can do nothing. */
export function explainPod(snapshot: Snapshot, pod: PodRecord): PodExplanation {
  const plan = planProvisioning(snapshot);
  const placement = placementOf(plan, pod);
  if (pod.nodeName !== undefined && !plan.unschedulable.some((entry) => entry.pod.uid === pod.uid)) {
    return { kind: "running", pod, node: pod.nodeName, ...(placement === undefined ? {} : { next: placement }) };
  }
  if (placement !== undefined) return { kind: "placeable", pod, placement };
  const refused = plan.unschedulable.find((entry) => entry.pod.uid === pod.uid);
  if (refused !== undefined) return noPlace(snapshot, plan, pod, refused.reasons);
  const waiting = plan.waiting.find((entry) => entry.pod.uid === pod.uid);
  return { kind: "waiting", pod, reason: waiting?.reason ?? "the planner has nothing to do for it" };
}

function noPlace(
  snapshot: Snapshot,
  plan: ProvisioningPlan,
  pod: PodRecord,
  refusals: readonly Refusal[],
): PodExplanation {
  const small = smallerWorld(snapshot, pod);
  const { nodeClaims, unschedulable } = small === snapshot ? plan : planProvisioning(small);
  const { pools } = planningPools(small);
  const question = { snapshot: small, pod, refusals, pools, planned: nodeClaims, unschedulable };
  return { kind: "no-place", pod, refusals, ...findFixes(question, limitsFor(small)) };
}
