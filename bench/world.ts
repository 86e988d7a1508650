import type { Pod } from "../shared/api/core.ts";
import { ec2NodeClass } from "../shared/api/ec2-node-class.ts";
import { type NodePool, nodePool } from "../shared/api/node-pool.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import type { CapacityType } from "../shared/ports.ts";
import { PodDecoder } from "../shared/state/pod-decoding.ts";
import { defaultSettings, type Settings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import type { Suite, Workload } from "./suite.ts";
import { pendingPods } from "./workloads.ts";

/** One input of a suite. */
export interface SuiteCase {
  readonly workload: Workload;
  readonly market: CapacityType;
  readonly pods: number;
}

/** All inputs: by workload, then market, then number of pods. */
export function casesOf({
  workloads,
  markets,
  sizes,
}: Pick<Suite, "workloads" | "markets"> & { readonly sizes: readonly number[] }): readonly SuiteCase[] {
  return workloads.flatMap((workload) =>
    markets.flatMap((market) => sizes.map((pods) => ({ workload, market, pods }))),
  );
}

/** A cluster with a case's pending pods, its NodePools over the whole built-in catalog, and nothing else. */
export function worldOf(
  suite: Suite,
  { workload, market, pods }: SuiteCase,
  settings: Partial<Settings> = {},
): Snapshot {
  return clusterOf(pendingPods(workload, pods, suite.seed), {
    settings: { ...defaultSettings, ...settings },
    nodePools: workload.nodePools.map((name) => poolOf(suite, name, market)),
    nodeClasses: [defaultNodeClass()],
    catalog: embeddedCatalog(),
  });
}

/** A cluster with these pending pods, these classes and NodePools, and nothing else. */
export function clusterOf(
  pods: readonly Pod[],
  known: Pick<Snapshot, "settings" | "nodePools" | "nodeClasses" | "catalog">,
): Snapshot {
  const decoder = new PodDecoder();
  return {
    ...known,
    now: Date.UTC(2026, 0),
    pods: pods.map((pod) => decoder.decode(pod)),
    nodes: [],
    nodeClaims: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    capacityBuffers: [],
    namespaces: new Map([["bench", {}]]),
    nodeOverlays: [],
    unavailableOfferings: [],
  };
}

function defaultNodeClass() {
  const discovered = [{ tags: { "karpenter.sh/discovery": "bench" } }];
  return ec2NodeClass.parse({
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: discovered,
      securityGroupSelectorTerms: discovered,
    },
  });
}

function poolOf({ nodePools }: Suite, name: string, market: CapacityType): NodePool {
  const ofMarket = { key: "karpenter.sh/capacity-type", operator: "In", values: [market] };
  return nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [...(nodePools[name] ?? []), ofMarket],
        },
      },
    },
  });
}
