import type { PodConstraints } from "../state/pod-record.ts";
import type { ClassTopology, Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";

/**
 * Whether a pod of this class may lie in a domain, by the counts so far (karpenter-core §5; the predicates of kube-scheduler's
 * PodTopologySpread and InterPodAffinity). `eligible` are the domains of the key that the pod could use at all; undefined for
 * the hostname, where an empty new domain is always possible and the minimum therefore 0.
 */
export function domainRefusal(
  topology: Topology,
  classTopology: ClassTopology,
  constraints: PodConstraints,
  key: string,
  domain: string,
  eligible: readonly string[] | undefined,
): TopologyGroup | undefined {
  const blockedByOwner = classTopology.matched.find(
    (group) => group.key === key && group.kind === "anti-affinity" && countIn(group.owners, domain) > 0,
  );
  if (blockedByOwner !== undefined) return blockedByOwner;
  return classTopology.owned.find(
    (group) => group.key === key && !admits(topology, group, constraints, domain, eligible),
  );
}

function admits(
  topology: Topology,
  group: TopologyGroup,
  constraints: PodConstraints,
  domain: string,
  eligible: readonly string[] | undefined,
): boolean {
  switch (group.kind) {
    case "spread":
      return spreadAdmits(topology, group, constraints, domain, eligible);
    case "affinity":
      return countIn(group.counts, domain) > 0 || (group.matches(constraints) && isEmptyEverywhere(group));
    case "anti-affinity":
      return countIn(group.counts, domain) === 0;
  }
}

function spreadAdmits(
  topology: Topology,
  group: TopologyGroup,
  constraints: PodConstraints,
  domain: string,
  eligible: readonly string[] | undefined,
): boolean {
  const self = group.matches(constraints) ? 1 : 0;
  return countIn(group.counts, domain) + self - globalMinimum(topology, group, eligible) <= group.maxSkew;
}

function globalMinimum(topology: Topology, group: TopologyGroup, eligible: readonly string[] | undefined): number {
  if (eligible === undefined) return 0;
  const domains = new Set([...eligible, ...topology.domainsOnNodes(group)]);
  if (domains.size < group.minDomains) return 0;
  return Math.min(...[...domains].map((domain) => countIn(group.counts, domain)));
}

/** The first member of a group that is attracted to itself may choose its domain (kube-scheduler's self-affinity exception). */
function isEmptyEverywhere(group: TopologyGroup): boolean {
  return [...group.counts.values()].every((count) => count === 0);
}

export function countIn(counts: ReadonlyMap<string, number>, domain: string): number {
  return counts.get(domain) ?? 0;
}
