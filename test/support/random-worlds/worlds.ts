import fc from "fast-check";
import type { World } from "../snapshot.ts";
import { existingNodes, worldOf } from "./nodes.ts";
import { hostPort, nodeRule, odd, type PodRule, preference, topologyRule } from "./pod-rules.ts";
import { catalogs, daemonSets, nodePools, unavailable } from "./pools.ts";
import { volumeObjects, volumeRule } from "./volumes.ts";
import { podsOf, workloads } from "./workloads.ts";

const namespaces = { default: {}, other: { trust: "high" } };

interface Ingredients {
  readonly rules: readonly PodRule[];
  readonly nodes: boolean;
  readonly minValues: boolean;
}

function worldsOf({ rules, nodes, minValues }: Ingredients): fc.Arbitrary<World> {
  const workload = workloads(...rules);
  return fc
    .record({
      pending: fc.array(workload, { minLength: 1, maxLength: 4 }),
      existing: nodes ? existingNodes(workload) : fc.constant([]),
      pools: nodePools({ minValues }),
      catalog: catalogs,
      marks: unavailable,
      daemons: daemonSets,
      attachable: fc.integer({ min: 1, max: 3 }),
      policy: fc.constantFrom("Respect", "Ignore"),
    })
    .map(({ pending, existing, pools, catalog, marks, daemons, attachable, policy }) => {
      const pods = pending.flatMap(podsOf);
      const world = worldOf(existing, pods);
      return {
        ...world,
        pods: [...pods, ...world.pods],
        pools,
        catalog,
        unavailable: marks,
        daemonSets: daemons,
        namespaces,
        settings: { preferencePolicy: policy },
        ...volumeObjects(
          world.nodes.map(({ metadata }) => metadata.name),
          attachable,
        ),
      };
    });
}

/** Spread, affinity and anti-affinity, on empty clusters. */
export const topologyWorlds = worldsOf({ rules: [topologyRule, nodeRule], nodes: false, minValues: false });

/** The same beside nodes that run pods, start, or leave, and claims that keep places. */
export const busyWorlds = worldsOf({ rules: [topologyRule, nodeRule, hostPort], nodes: true, minValues: false });

/** Volumes, host ports, odd requests and NodePools that ask for several types. */
export const oddWorlds = worldsOf({ rules: [volumeRule, hostPort, odd, nodeRule], nodes: true, minValues: true });

/** Everything at once, preferences too. */
export const mixedWorlds = worldsOf({
  rules: [topologyRule, nodeRule, preference, hostPort, odd, volumeRule],
  nodes: true,
  minValues: false,
});
