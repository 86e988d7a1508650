import type { NodeClaim } from "../api/node-claim.ts";
import { isTrue } from "./conditions.ts";

/** How far a NodeClaim is on its way to a node that takes pods, for a person: `it is being launched`. */
export function claimStage(claim: NodeClaim): string {
  if (isTrue(claim, "Initialized")) return "its node is ready";
  if (isTrue(claim, "Registered")) return "its node has joined the cluster and is starting up";
  return claim.status?.providerID === undefined ? "it is being launched" : "its instance is starting";
}
