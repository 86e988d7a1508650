import { parseAmiAlias } from "./ami-alias.ts";
import type { EC2NodeClass } from "./ec2-node-class.ts";
import type { NodePool } from "./node-pool.ts";
import { isRawObject } from "./raw-objects.ts";
import { shortHash } from "./short-hash.ts";
import { stableJson } from "./stable-json.ts";

/**
 * Value of the hash-version annotations. Karpenter's hash is one of Go structs that we cannot repeat; with a version of our own
 * neither side sees drift in the other's nodes, and each stamps its own (karpenter-core §6.7, karpenter-aws §12.2).
 */
export const hashVersion = "journeyman-v1";

/** What a change of makes a NodePool's nodes drift: its template but for the requirements, which are compared with the nodes themselves. */
export function nodePoolHash({ spec: { template } }: NodePool): string {
  const { labels, annotations } = template.metadata ?? {};
  const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = template.spec;
  return hashOf({
    labels,
    annotations,
    nodeClassRef,
    taints,
    startupTaints,
    expireAfter,
    terminationGracePeriod,
  });
}

/**
 * What a change of makes a class's nodes drift (karpenter-aws §1.1, column H). Selectors of images, subnets, security groups and
 * reservations are left out: nodes are compared with what they select. The cluster's CA bundle, part of Karpenter's hash, is not.
 */
export function ec2NodeClassHash({ spec }: EC2NodeClass): string {
  const {
    subnetSelectorTerms: _subnets,
    securityGroupSelectorTerms: _securityGroups,
    capacityReservationSelectorTerms: _reservations,
    amiSelectorTerms,
    ipPrefixCount: _prefixes,
    ...hashed
  } = spec;
  const alias = amiSelectorTerms.find((term) => term.alias !== undefined)?.alias ?? "";
  return hashOf({ ...hashed, amiFamily: spec.amiFamily ?? parseAmiAlias(alias)?.family });
}

function hashOf(value: object): string {
  return shortHash(stableJson(withoutOrder(value)), 16);
}

/** Lists as sets, and nothing where there is nothing, so that only a change of meaning changes the hash. */
function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrder).map(stableJson).sort();
  if (!isRawObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, withoutOrder(inner)] as const)
      .filter(([, inner]) => !isEmpty(inner)),
  );
}

/** What Go's hash leaves out too: an explicit empty list is no change. An explicit `false` is one, where unset means "as the subnet says". */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRawObject(value) ? Object.keys(value).length === 0 : value === undefined || value === "";
}
