import type { PodConstraints } from "../state/pod-record.ts";
import type { ClassTopology } from "./class-topology.ts";
import type { DomainCounts } from "./domain-counts.ts";
import type { RefusalDetail } from "./plan.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { globalMinimum } from "./topology-rules.ts";

/** Why no domain of a key admits a pod. `refusing` is the rule that keeps it out, by domain. */
export function domainsRefusal(
  topology: Topology,
  classTopology: ClassTopology,
  constraints: PodConstraints,
  key: string,
  refusing: ReadonlyMap<string, TopologyGroup | undefined>,
): RefusalDetail {
  const contradiction = selfContradiction(classTopology, constraints, key);
  if (contradiction !== undefined) return contradiction;
  const domains = [...refusing.keys()];
  const [group] = [...refusing.values()].filter((rule) => rule !== undefined);
  if (group === undefined) return { reason: `no ${key} admits it`, key, found: domains.join(", ") };
  const isOwn = classTopology.owned.includes(group);
  const reason = `${isOwn ? "" : "another pod's "}${group.description} admits none of ${domains.join(", ")}`;
  return { reason, key, ...(isOwn ? ownFacts(topology, group, domains) : othersFacts(group, domains, key)) };
}

/** For a node that has no value of a topology key. */
export function noDomainRefusal(key: string): RefusalDetail {
  return {
    reason: `no node that could take it has a value for the topology key ${key}`,
    key,
    found: "no node with a value",
    accepted: `a NodePool with a template label or a requirement of the key ${key}`,
  };
}

/** A pod that must be near its own kind and must not: the first of them may run, no other. */
export function selfContradiction(
  { owned }: ClassTopology,
  constraints: PodConstraints,
  key: string,
): RefusalDetail | undefined {
  const own = owned.filter((group) => group.key === key && group.matches(constraints));
  if (!own.some(({ kind }) => kind === "affinity") || !own.some(({ kind }) => kind === "anti-affinity"))
    return undefined;
  return {
    reason: `its pod affinity and its pod anti-affinity on ${key} both select its own kind: only one such pod can ever run`,
    key,
    found: "affinity and anti-affinity to its own labels",
    accepted: "one of the two",
  };
}

function ownFacts(topology: Topology, group: TopologyGroup, domains: readonly string[]) {
  const found = counted(group.counts, domains);
  switch (group.kind) {
    case "spread": {
      const least = globalMinimum(topology, group);
      const others = [...topology.domainsOf(group)].filter((domain) => !domains.includes(domain)).sort();
      const elsewhere = others.length === 0 ? "" : `; out of its reach: ${counted(group.counts, others)}`;
      return {
        found: `matching pods: ${found}${elsewhere}`,
        accepted: `at most ${least + group.maxSkew} in a domain with it: the fewest, ${least}, and maxSkew ${group.maxSkew}`,
      };
    }
    case "affinity": {
      const there = group.counts.domains();
      const where = there.length === 0 ? "none runs anywhere" : `they run in ${there.toSorted().join(", ")}`;
      return { found: `no such pod in ${domains.join(", ")}`, accepted: `a domain with such a pod: ${where}` };
    }
    case "anti-affinity":
      return { found: `matching pods: ${found}`, accepted: "a domain without a matching pod" };
  }
}

function othersFacts(group: TopologyGroup, domains: readonly string[], key: string) {
  return {
    found: `pods that keep it away: ${counted(group.owners, domains)}`,
    accepted: `a ${key} without pods that have this anti-affinity`,
  };
}

function counted(counts: DomainCounts, domains: readonly string[]): string {
  return domains.map((domain) => `${domain} ${counts.of(domain)}`).join(", ");
}
