import type { Pod } from "../../shared/api/core.ts";
import type { Resources } from "../../shared/scheduling/resources.ts";
import { ApiServer } from "../../shared/simulator/api-server.ts";
import { EventLoop } from "../../shared/simulator/event-loop.ts";
import { Random } from "../../shared/simulator/random.ts";
import { simulatedCluster } from "../../shared/simulator/simulated-cluster.ts";
import { startAt } from "./simulated-aws.ts";

/** An API server alone, without any controller. */
export function apiServerAlone() {
  const loop = new EventLoop(startAt);
  return { loop, server: new ApiServer({ loop, random: new Random(1) }) };
}

/** A cluster with its controllers, in virtual time. */
export function clusterInVirtualTime(seed = 1) {
  const loop = new EventLoop(startAt);
  const cluster = simulatedCluster({ loop, random: new Random(seed) });
  const { server } = cluster;
  return {
    loop,
    server,
    nodeGone: cluster.nodeGone,
    advance: (seconds: number) => loop.runUntil(loop.now() + seconds * 1_000),
    pods: (): Pod[] => server.list("Pod"),
    pod: (name: string): Pod | undefined => server.get("Pod", { namespace: "default", name }),
    /** A node of 4 cpus in zone a, unless stated otherwise; Ready after 9 s at most. */
    addNode: (
      name: string,
      input: { readonly zone?: string; readonly resources?: Resources; readonly volumes?: number } = {},
    ) => {
      const resources = { cpu: 4_000, memory: 16 * 2 ** 30, pods: 58, ...input.resources };
      cluster.registerNode({
        name,
        providerId: `aws:///${input.zone ?? "a"}/i-${name}`,
        labels: { "topology.kubernetes.io/zone": input.zone ?? "a", "kubernetes.io/os": "linux" },
        taints: [],
        capacity: resources,
        allocatable: resources,
        attachLimits: input.volumes === undefined ? {} : { "ebs.csi.aws.com": input.volumes },
      });
    },
  };
}

/** Pod names by node, sorted, "" for those without one. */
export function placement(pods: readonly Pod[]): Record<string, string[]> {
  const byNode: Record<string, string[]> = {};
  for (const { spec, metadata } of pods) {
    byNode[spec.nodeName ?? ""] = [...(byNode[spec.nodeName ?? ""] ?? []), metadata.name].sort();
  }
  return byNode;
}
