import type { Node, Pod } from "../../api/core.ts";
import { annotation, label, taintKey } from "../../api/labels.ts";
import type { NodeClaim } from "../../api/node-claim.ts";
import { isTime, parseTime } from "../../api/time.ts";
import type { Ec2Instance } from "../../ports.ts";
import { instanceIdOf } from "../../state/provider-id.ts";
import type { ObservedWorld } from "./invariant.ts";

/** What several checkers ask about nodes, their claims and their instances. */

export function isLive({ state }: Ec2Instance): boolean {
  return state === "pending" || state === "running";
}

export function nodeOf({ cluster }: ObservedWorld, pod: Pod): Node | undefined {
  return pod.spec.nodeName === undefined ? undefined : cluster.server.get("Node", { name: pod.spec.nodeName });
}

function claimOf({ cluster }: ObservedWorld, node: Node): NodeClaim | undefined {
  const providerId = node.spec?.providerID;
  return cluster.server.list("NodeClaim").find(({ status }) => status?.providerID === providerId && providerId);
}

/** Its pods need a new home, and its capacity is as good as gone. */
export function isLeaving({ metadata, spec }: Node): boolean {
  return (
    metadata.deletionTimestamp !== undefined ||
    metadata.annotations?.[annotation.replace] !== undefined ||
    (spec?.taints?.some(({ key }) => key === taintKey.disrupted) ?? false)
  );
}

/**
 * Whether a deletion can harm the pod: not when its machine has ended, and not from the moment at which the claim's termination
 * timestamp leaves the pod no more than its grace (karpenter-core §7.4).
 */
export function isProtected(world: ObservedWorld, pod: Pod): boolean {
  const node = nodeOf(world, pod);
  const instanceId = instanceIdOf(node?.spec?.providerID);
  const instance = world.ec2.instances().find((one) => one.instanceId === instanceId);
  if (node === undefined || instance === undefined || !isLive(instance)) return false;
  const text = claimOf(world, node)?.metadata.annotations?.[annotation.terminationTimestamp] ?? "";
  return !isTime(text) || world.loop.now() <= parseTime(text) - graceMilliseconds(pod);
}

export function graceMilliseconds({ spec }: Pod): number {
  return (spec.terminationGracePeriodSeconds ?? 30) * 1_000;
}

export function pathOf({ metadata: { namespace, name } }: Pod): string {
  return `${namespace}/${name}`;
}

/** Whether a claim is one of more than its static NodePool is to have: no budget is about its deletion, and nothing protects it. */
export function isSurplus({ cluster: { server } }: ObservedWorld, claim: NodeClaim): boolean {
  const poolName = claim.metadata.labels?.[label.nodePool] ?? "";
  const replicas = server.get("NodePool", { name: poolName })?.spec.replicas;
  if (replicas === undefined) return false;
  const staying = server
    .list("NodeClaim")
    .filter(
      ({ metadata }) => metadata.labels?.[label.nodePool] === poolName && metadata.deletionTimestamp === undefined,
    );
  return staying.length > replicas;
}
