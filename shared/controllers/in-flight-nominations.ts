import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { ProvisioningPlan } from "../provisioning/plan.ts";
import { isTrue } from "../state/conditions.ts";
import { formatNominations, nominationsOf } from "../state/nominations.ts";
import type { PodRecord } from "../state/pod-record.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { nominationOf } from "./planned-objects.ts";

const writesAtOnce = 10;

/**
 * Gives pods that a plan puts on nodes which are still to come a place there, as the pods have that the nodes were made for: later
 * passes keep it, and they are nominated when the node opens (design §4.1, step 2; §4.2). Without it kube-scheduler takes their room for
 * others, and pods of the next batch lose theirs. A claim that has changed in the meantime is left to the next pass.
 */
export async function nominateToInFlight(
  ports: Ports,
  { existing }: Pick<ProvisioningPlan, "existing">,
  { nodeClaims, nodes }: Pick<Snapshot, "nodeClaims" | "nodes">,
): Promise<void> {
  const nodeNames = new Map(nodes.map(({ metadata, spec }) => [spec?.providerID ?? "", metadata.name]));
  const nameOf = ({ metadata, status }: NodeClaim) => nodeNames.get(status?.providerID ?? "-") ?? metadata.name;
  const byName = new Map(nodeClaims.filter(takesMore).map((claim) => [nameOf(claim), claim]));
  await limitedParallel(existing, writesAtOnce, async ({ name, pods }) => {
    const claim = byName.get(name);
    const pending = pods.filter((pod) => pod.nodeName === undefined);
    if (claim === undefined || pending.length === 0) return;
    try {
      await update(ports, "NodeClaim", claim.metadata, (current) => withPods(current, pending), { current: claim });
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== "Conflict") throw error;
    }
  });
}

/** Whether the claim's node is still to come, for pods that were planned. */
function takesMore(claim: NodeClaim): boolean {
  return (
    claim.metadata.deletionTimestamp === undefined && !isTrue(claim, "Initialized") && nominationsOf(claim).length > 0
  );
}

function withPods(claim: NodeClaim, pods: readonly PodRecord[]) {
  if (!takesMore(claim)) return undefined;
  const known = nominationsOf(claim);
  const uids = new Set(known.map(({ uid }) => uid));
  const added = pods.filter(({ uid }) => !uids.has(uid)).map(nominationOf);
  if (added.length === 0) return undefined;
  return { metadata: { annotations: { [annotation.nominatedPods]: formatNominations([...known, ...added]) } } };
}
