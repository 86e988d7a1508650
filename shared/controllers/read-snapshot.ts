import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { Condition } from "../api/schema.ts";
import { embeddedCatalog } from "../cloud/embedded-catalog.ts";
import type { Ports } from "../ports.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { readUnavailableOfferings } from "./unavailable-store.ts";

/**
 * Reads the world afresh. Nodes and claims are listed before pods: a pod that binds in between is then seen where it is, and its
 * node at worst as emptier than it is, which errs towards launching too little (karpenter-core §2.2).
 */
export async function readSnapshot(ports: Ports, settings: Settings): Promise<Snapshot> {
  const { kubernetes } = ports;
  const [nodes, nodeClaims, nodePools, nodeClasses, daemonSets, podDisruptionBudgets, namespaces, unavailable] =
    await Promise.all([
      kubernetes.list("Node"),
      kubernetes.list("NodeClaim"),
      kubernetes.list("NodePool"),
      kubernetes.list("EC2NodeClass"),
      kubernetes.list("DaemonSet"),
      kubernetes.list("PodDisruptionBudget"),
      kubernetes.list("Namespace"),
      readUnavailableOfferings(ports, settings),
    ]);
  const pods = await kubernetes.list("Pod", { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" });
  const decoder = new PodDecoder();
  return {
    now: ports.clock.now(),
    settings,
    pods: pods.map((pod) => decoder.decode(pod)),
    nodes,
    nodeClaims,
    nodePools,
    nodeClasses: nodeClasses.map(withReadiness),
    daemonSets,
    podDisruptionBudgets,
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
    catalog: embeddedCatalog(settings.region),
    unavailableOfferings: unavailable,
  };
}

/**
 * Offline a class without status counts as ready. In a cluster it is one that nobody has resolved: its subnets and images are not
 * known, so that nothing may be planned on it.
 */
function withReadiness(nodeClass: EC2NodeClass): EC2NodeClass {
  if (isTrue(nodeClass, "Ready")) return nodeClass;
  const known = conditionOf(nodeClass, "Ready");
  const message = known?.message || "its subnets, security groups and images are not resolved yet";
  const ready: Condition = { type: "Ready", status: "False", reason: known?.reason || "NotResolved", message };
  const others = nodeClass.status?.conditions?.filter(({ type }) => type !== "Ready") ?? [];
  return { ...nodeClass, status: { ...nodeClass.status, conditions: [...others, ready] } };
}
