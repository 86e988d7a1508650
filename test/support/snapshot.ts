import type { Node, Pod } from "../../shared/api/core.ts";
import type { EC2NodeClass } from "../../shared/api/ec2-node-class.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { NodePool } from "../../shared/api/node-pool.ts";
import type { PodDisruptionBudget } from "../../shared/api/policy.ts";
import type { DaemonSet } from "../../shared/api/workloads.ts";
import type { Catalog, UnavailableOffering } from "../../shared/cloud/catalog.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import { PodDecoder } from "../../shared/state/pod-decoding.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { catalogOf } from "./catalog.ts";
import { nodeClass } from "./node-classes.ts";
import { nodePool } from "./node-pools.ts";

export interface World {
  readonly now?: number;
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
  readonly nodeClaims?: readonly NodeClaim[];
  readonly pools?: readonly NodePool[];
  readonly nodeClasses?: readonly EC2NodeClass[];
  readonly daemonSets?: readonly DaemonSet[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly catalog?: Catalog;
  readonly unavailable?: readonly UnavailableOffering[];
}

/** One NodePool without requirements on on-demand nodes of the small catalog, and what `world` says. */
export function snapshotWith(world: World = {}): Snapshot {
  const decoder = new PodDecoder();
  return {
    now: world.now ?? 0,
    settings: { ...defaultSettings, vmMemoryOverheadPercent: 0 },
    pods: (world.pods ?? []).map((pod) => decoder.decode(pod)),
    nodes: world.nodes ?? [],
    nodeClaims: world.nodeClaims ?? [],
    nodePools: world.pools ?? [nodePool()],
    nodeClasses: world.nodeClasses ?? [plainClass()],
    daemonSets: world.daemonSets ?? [],
    podDisruptionBudgets: world.budgets ?? [],
    namespaces: new Map(Object.entries(world.namespaces ?? { default: {} })),
    catalog: world.catalog ?? catalogOf(),
    unavailableOfferings: world.unavailable ?? [],
  };
}

export function planFor(world: World) {
  return planProvisioning(snapshotWith(world));
}

/** An EC2NodeClass whose nodes keep nothing for themselves: allocatable is capacity. */
function plainClass(): EC2NodeClass {
  const nothing = { cpu: "0", memory: "0", "ephemeral-storage": "0" };
  return nodeClass({
    kubelet: {
      kubeReserved: nothing,
      systemReserved: nothing,
      evictionHard: { "memory.available": "0", "nodefs.available": "0" },
    },
  });
}
