import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseResources } from "../scheduling/resources.ts";

/** Addresses of one /28 prefix, which a node's interface gets as a whole. */
const addressesPerPrefix = 16;

/**
 * Addresses that a claim's node takes from its subnet: its own, and one for each pod that it is made for, in whole prefixes where the
 * class has `ipPrefixCount`. A subnet with room for the node alone would start it and leave its pods without (field-scenarios B3.09).
 * In a cluster of IPv6 pods have addresses of another range.
 */
export function addressesOf(
  { spec }: Pick<NodeClaim, "spec">,
  nodeClass: EC2NodeClass | undefined,
  isIpv6 = false,
): number {
  if (isIpv6) return 1;
  const pods = parseResources(spec.resources?.requests).pods ?? 0;
  const { ipPrefixCount = 0 } = nodeClass?.spec ?? {};
  if (ipPrefixCount === 0) return 1 + pods;
  return 1 + addressesPerPrefix * Math.max(ipPrefixCount, Math.ceil(pods / addressesPerPrefix));
}

/** How the subnets of a class stand for nodes that take `perNode` addresses each. */
export interface SubnetRoom {
  /** Undefined: not known, so that it is taken to have enough. */
  readonly freeAddresses: (subnetId: string) => number | undefined;
  readonly perNode: number;
}

export interface ChosenSubnet {
  readonly subnetId: string;
  /** So many nodes have room in it. */
  readonly most: number;
}

/**
 * The subnet with the most free addresses, the first of equals; undefined when none holds a node with its pods. One whose addresses are
 * not known counts as an endless one.
 */
export function subnetFor(
  subnets: readonly string[],
  { freeAddresses, perNode }: SubnetRoom,
): ChosenSubnet | undefined {
  let best: ChosenSubnet | undefined;
  for (const subnetId of subnets) {
    const most = Math.floor((freeAddresses(subnetId) ?? Number.POSITIVE_INFINITY) / perNode);
    if (most >= 1 && (best === undefined || most > best.most)) best = { subnetId, most };
  }
  return best;
}
