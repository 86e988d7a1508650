import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { allows, requirementsOf } from "../scheduling/requirements.ts";
import { parseResources } from "../scheduling/resources.ts";

/** What a NodeClaim asks of its instance beside the offering: NodeClaims of one request must agree on it. */
export interface LaunchTraits {
  /** Its pods talk over Elastic Fabric Adapters. */
  readonly usesEfa: boolean;
  /** Its pods run in Nitro Enclaves. */
  readonly usesEnclaves: boolean;
  readonly tenancy: "default" | "dedicated";
  /** The one partition of its placement group that it must be in. */
  readonly partition?: number;
}

export const efaResource = "vpc.amazonaws.com/efa";
const enclaveResource = "eks.amazonaws.com/nitro-sandbox";

/** From the claim's spec alone, which never changes (karpenter-aws §4.1, §4.3). */
export function launchTraits({ spec }: NodeClaim): LaunchTraits {
  const requests = parseResources(spec.resources?.requests);
  const requirements = requirementsOf(spec.requirements);
  const tenancy = requirements.get(label.tenancy);
  const [partition, another] = [...(requirements.get(label.placementGroupPartition)?.values ?? [])];
  const isOnlyPartition = another === undefined && /^[1-9]\d*$/.test(partition ?? "");
  return {
    usesEfa: (requests[efaResource] ?? 0) > 0,
    usesEnclaves: (requests[enclaveResource] ?? 0) > 0,
    tenancy: tenancy === undefined || allows(tenancy, "default") ? "default" : "dedicated",
    ...(isOnlyPartition && { partition: Number(partition) }),
  };
}
