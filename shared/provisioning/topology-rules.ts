import { label } from "../api/labels.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { ClassTopology, Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";

/**
 * The rule that keeps a pod of this class out of a domain, by the counts so far; undefined when it may lie there (karpenter-core
 * §5; the predicates of kube-scheduler's PodTopologySpread and InterPodAffinity).
 */
export function domainRefusal(
  topology: Topology,
  classTopology: ClassTopology,
  constraints: PodConstraints,
  key: string,
  domain: string,
): TopologyGroup | undefined {
  const blockedByOwner = classTopology.matched.find(
    (group) => group.key === key && group.kind === "anti-affinity" && countIn(group.owners, domain) > 0,
  );
  if (blockedByOwner !== undefined) return blockedByOwner;
  return classTopology.owned.find((group) => group.key === key && !admits(topology, group, constraints, domain));
}

/** Whether a pod with this rule needs a node that has the rule's label at all; anti-affinity is content without. */
export function needsDomain({ owned }: ClassTopology, key: string): boolean {
  return owned.some((group) => group.key === key && group.kind !== "anti-affinity");
}

function admits(topology: Topology, group: TopologyGroup, constraints: PodConstraints, domain: string): boolean {
  switch (group.kind) {
    case "spread":
      return spreadAdmits(topology, group, constraints, domain);
    case "affinity":
      return countIn(group.counts, domain) > 0 || (group.matches(constraints) && isEmptyEverywhere(group));
    case "anti-affinity":
      return countIn(group.counts, domain) === 0;
  }
}

function spreadAdmits(topology: Topology, group: TopologyGroup, constraints: PodConstraints, domain: string): boolean {
  const self = group.matches(constraints) ? 1 : 0;
  return countIn(group.counts, domain) + self - globalMinimum(topology, group) <= group.maxSkew;
}

/** Of the hostname it is 0: an empty new node is always possible. */
export function globalMinimum(topology: Topology, group: TopologyGroup): number {
  if (group.key === label.hostname) return 0;
  const domains = topology.domainsOf(group);
  if (domains.size === 0 || domains.size < group.minDomains) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const domain of domains) least = Math.min(least, countIn(group.counts, domain));
  return least;
}

/** The first member of a group that is attracted to itself may choose its domain (kube-scheduler's self-affinity exception). */
export function isEmptyEverywhere(group: TopologyGroup): boolean {
  return [...group.counts.values()].every((count) => count === 0);
}

export function countIn(counts: ReadonlyMap<string, number>, domain: string): number {
  return counts.get(domain) ?? 0;
}
