import { label } from "../api/labels.ts";
import type { ClassTopology } from "./class-topology.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";

/**
 * The rule that keeps a pod of this class out of a domain, by the counts so far; undefined when it may lie there (karpenter-core
 * §5; the predicates of kube-scheduler's PodTopologySpread and InterPodAffinity).
 */
export function domainRefusal(
  topology: Topology,
  classTopology: ClassTopology,
  key: string,
  domain: string,
): TopologyGroup | undefined {
  const { blocking, owned } = classTopology.rulesOf(key);
  for (const group of blocking) if (group.owners.of(domain) > 0) return group;
  for (const group of owned) if (!admits(topology, group, classTopology, domain)) return group;
  return undefined;
}

/** Whether a pod with this rule needs a node that has the rule's label at all; anti-affinity is content without. */
export function needsDomain(classTopology: ClassTopology, key: string): boolean {
  return classTopology.rulesOf(key).owned.some(({ kind }) => kind !== "anti-affinity");
}

function admits(topology: Topology, group: TopologyGroup, own: ClassTopology, domain: string): boolean {
  switch (group.kind) {
    case "spread":
      return spreadAdmits(topology, group, own, domain);
    case "affinity":
      return group.counts.of(domain) > 0 || (own.isCountedBy(group) && isEmptyEverywhere(group));
    case "anti-affinity":
      return group.counts.of(domain) === 0;
  }
}

function spreadAdmits(topology: Topology, group: TopologyGroup, own: ClassTopology, domain: string): boolean {
  const self = own.isCountedBy(group) ? 1 : 0;
  return group.counts.of(domain) + self - globalMinimum(topology, group) <= group.maxSkew;
}

/** Of the hostname it is 0: an empty new node is always possible. */
export function globalMinimum(topology: Topology, group: TopologyGroup): number {
  if (group.key === label.hostname) return 0;
  const domains = topology.domainsOf(group);
  if (domains.size === 0 || domains.size < group.minDomains) return 0;
  return group.counts.leastAmong(domains);
}

/** The first member of a group that is attracted to itself may choose its domain (kube-scheduler's self-affinity exception). */
export function isEmptyEverywhere(group: TopologyGroup): boolean {
  return group.counts.total === 0;
}
