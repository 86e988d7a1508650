import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import { zonesSold } from "./option-domains.ts";
import type { Topology } from "./topology.ts";
import { suitsNode } from "./topology-group.ts";
import { domainRefusal } from "./topology-rules.ts";
import type { Level } from "./ways.ts";

/** Pods of one class, at the level where only what they require counts. */
export interface RequiredLevel {
  readonly level: Level;
  readonly pods: number;
}

/**
 * Pending pods by the one zone in which they may run as the cluster is before this plan (the dimension `zone` of Karpenter's
 * pending_pods_by_effective_zone_count): the zone's name, `flexible` where there are several, `none` where there is none.
 */
export function podsByEffectiveZone(
  classes: readonly RequiredLevel[],
  nodes: readonly ClusterNode[],
  topology: Topology,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { level, pods } of classes) {
    const [zone = "none", another] = zonesOf(level, nodes, topology);
    const name = another === undefined ? zone : "flexible";
    counts.set(name, (counts.get(name) ?? 0) + pods);
  }
  return counts;
}

function launchableZones(ways: Level["ways"]): readonly string[] {
  return ways.flatMap(({ options, requirements }) => {
    const wanted = requirements.get(label.zone);
    return zonesSold(options).filter((zone) => wanted === undefined || allows(wanted, zone));
  });
}

function zonesOf({ constraints, ways }: Level, nodes: readonly ClusterNode[], topology: Topology): readonly string[] {
  const launchable = launchableZones(ways);
  const existing = nodes
    .filter((node) => !node.leaving && suitsNode(constraints.nodeAlternatives, node))
    .filter(({ taints }) => firstUntolerated(taints, constraints.tolerations) === undefined)
    .flatMap(({ labels }) => labels[label.zone] || []);
  const classTopology = topology.of(constraints);
  const isAdmitted = (key: string, domain: string | undefined) =>
    domain === undefined || domainRefusal(topology, classTopology, key, domain) === undefined;
  return [...new Set([...launchable, ...existing])].filter(
    (zone) => isAdmitted(label.zone, zone) && isAdmitted(label.zoneId, topology.zoneIds.get(zone)),
  );
}
