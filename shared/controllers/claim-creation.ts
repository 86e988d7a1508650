import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { PlannedNodeClaim } from "../provisioning/plan.ts";
import { isTrue } from "../state/conditions.ts";
import { execute, requireDone } from "./execute.ts";
import { type Planning, plannedObject } from "./planned-objects.ts";

const mostAttempts = 9;

/**
 * Writes a planned claim. A claim of that name with the same nominations is this very intent, left by a pass that did not finish: it
 * is adopted. With other nominations, on its way out, or with a node that its pods did not come to, the name is taken and the next
 * copy's is tried (design §4.1, step 3). Pods of buffers keep their UIDs, so that their claims have any number of copies: those that
 * the snapshot shows are not tried.
 */
export async function createClaim(ports: Ports, planned: PlannedNodeClaim, planning: Planning): Promise<NodeClaim> {
  const object = plannedObject(planned, planning);
  const known = new Map(planning.snapshot.nodeClaims.map((claim) => [claim.metadata.name, claim]));
  let attempts = 0;
  for (let copy = 1; attempts < mostAttempts; copy++) {
    const name = copy === 1 ? planned.name : `${planned.name}-${copy}`;
    const named = { ...object, metadata: { ...object.metadata, name } };
    const earlier = known.get(name);
    if (earlier !== undefined && !isSameIntent(earlier, named)) continue;
    attempts++;
    const stored = await storedClaim(ports, named, planned);
    if (isSameIntent(stored, named)) return stored;
  }
  throw new ProviderError(
    "Conflict",
    "AlreadyExists",
    `NodeClaim ${planned.name} and ${mostAttempts} copies of it are all taken`,
  );
}

/**
 * Writes a claim of a static NodePool. Its name is that of a place among the replicas, so that whatever has the name fills the place:
 * it is adopted.
 */
export async function createStaticClaim(
  ports: Ports,
  planned: PlannedNodeClaim,
  planning: Planning,
): Promise<NodeClaim> {
  return storedClaim(ports, plannedObject(planned, planning), planned);
}

/** The claim as written now, or the one that has its name. */
async function storedClaim(ports: Ports, object: NodeClaim, planned: PlannedNodeClaim): Promise<NodeClaim> {
  const outcomes = await execute(ports, [{ kind: "create", object, why: planned.reason }]);
  requireDone(outcomes);
  const [outcome] = outcomes;
  const stored = outcome?.result === "done" || outcome?.result === "already" ? outcome.object : undefined;
  if (stored?.kind !== "NodeClaim")
    throw new RangeError(`creating NodeClaim ${object.metadata.name} gave no NodeClaim`);
  if (outcome?.result === "done") {
    const reason = planned.pods.length === 0 ? "static" : "provisioned";
    ports.telemetry.count(metric.nodeClaimsCreated, 1, { reason, nodepool: planned.nodePool });
  }
  return stored;
}

function isSameIntent(stored: NodeClaim, wanted: NodeClaim): boolean {
  const nominations = (claim: NodeClaim) => claim.metadata.annotations?.[annotation.nominatedPods];
  const isUnderWay = stored.metadata.deletionTimestamp === undefined && !isTrue(stored, "Initialized");
  return isUnderWay && nominations(stored) === nominations(wanted);
}
