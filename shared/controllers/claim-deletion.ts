import type { Action } from "../actions.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { metric } from "../metrics.ts";
import type { Ports } from "../ports.ts";
import { stepOf } from "../state/step.ts";
import { execute, requireDone } from "./execute.ts";

export interface ClaimDeletion {
  /** A word for the metric: `registration_timeout`, `interruption`, `empty`, ... */
  readonly reason: string;
  /** A sentence for the log. */
  readonly why: string;
  /** Its pods need new capacity: tell the planner. */
  readonly needsReplacement: boolean;
}

/**
 * Deletes a NodeClaim and sends it on its way out. The deletionTimestamp is the durable intent: if a hint is lost, the collection
 * tick sees a deleting claim whose step is overdue. A failed call is thrown, so that the caller's message is tried again.
 */
export async function deleteClaim(ports: Ports, claim: NodeClaim, deletion: ClaimDeletion): Promise<void> {
  requireDone(await execute(ports, deletionActions(claim, deletion, ports.clock.now())));
  const { labels = {} } = claim.metadata;
  const dimensions = { nodepool: labels[label.nodePool] ?? "", capacity_type: labels[label.capacityType] ?? "" };
  ports.telemetry.count(metric.nodeClaimsDisrupted, 1, { reason: deletion.reason, ...dimensions });
}

function deletionActions(claim: NodeClaim, deletion: ClaimDeletion, at: number): readonly Action[] {
  const { name, uid } = claim.metadata;
  const remove: Action = {
    kind: "delete",
    objectKind: "NodeClaim",
    reference: { name },
    why: deletion.why,
    ...(uid === undefined ? {} : { uid }),
  };
  const terminate: Action = {
    kind: "send-hint",
    hint: { kind: "termination", nodeClaim: name, step: stepOf(claim).n, at },
    why: "the claim is being deleted",
  };
  const replan: Action = {
    kind: "send-hint",
    hint: { kind: "provision", reason: "node-leaving", at },
    why: "its pods need new capacity",
  };
  return deletion.needsReplacement ? [remove, replan, terminate] : [remove, terminate];
}
