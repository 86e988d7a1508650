import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { PlannedNodeClaim } from "../provisioning/plan.ts";
import { isTrue } from "../state/conditions.ts";
import { execute, requireDone } from "./execute.ts";
import { type Planning, plannedObject } from "./planned-objects.ts";

const mostCopies = 9;

/**
 * Writes a planned claim. A claim of that name with the same nominations is this very intent, left by a pass that did not finish: it
 * is adopted. With other nominations, on its way out, or with a node that its pods did not come to, the name is taken and the next
 * copy's is tried (design §4.1, step 3).
 */
export async function createClaim(ports: Ports, planned: PlannedNodeClaim, planning: Planning): Promise<NodeClaim> {
  const object = plannedObject(planned, planning);
  for (let copy = 1; copy <= mostCopies; copy++) {
    const name = copy === 1 ? planned.name : `${planned.name}-${copy}`;
    const named = { ...object, metadata: { ...object.metadata, name } };
    const outcomes = await execute(ports, [{ kind: "create", object: named, why: planned.reason }]);
    requireDone(outcomes);
    const [outcome] = outcomes;
    const stored = outcome?.result === "done" || outcome?.result === "already" ? outcome.object : undefined;
    if (stored?.kind !== "NodeClaim") throw new RangeError(`creating NodeClaim ${name} gave no NodeClaim`);
    if (outcome?.result === "done") {
      ports.telemetry.count(metric.nodeClaimsCreated, 1, { reason: "provisioned", nodepool: planned.nodePool });
    }
    if (isSameIntent(stored, named)) return stored;
  }
  throw new ProviderError(
    "Conflict",
    "AlreadyExists",
    `NodeClaim ${planned.name} and its copies to -${mostCopies} are all taken`,
  );
}

function isSameIntent(stored: NodeClaim, wanted: NodeClaim): boolean {
  const nominations = (claim: NodeClaim) => claim.metadata.annotations?.[annotation.nominatedPods];
  const isUnderWay = stored.metadata.deletionTimestamp === undefined && !isTrue(stored, "Initialized");
  return isUnderWay && nominations(stored) === nominations(wanted);
}
