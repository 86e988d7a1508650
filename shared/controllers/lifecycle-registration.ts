import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { type Ports, ProviderError } from "../ports.ts";
import { isTrue } from "../state/conditions.ts";
import { type LifecycleScope, report, tell, updateNode, updateStatus } from "./lifecycle-scope.ts";
import { learnMemory } from "./memory-store.ts";
import { writeWarning } from "./object-events.ts";
import { withPartition } from "./placement-partition.ts";
import { lacksUnregisteredTaint, registeredStatus, registrationPatch } from "./registration-steps.ts";
import { recordRegistered } from "./registration-store.ts";

/** A claim with the Node that is registered as its own. */
export interface Registration {
  readonly claim: NodeClaim;
  readonly node: Node;
}

/**
 * Matches a launched claim with its Node and gives the Node all that its kubelet may not set (karpenter-core §8). Undefined while there is
 * none that it could be matched with, which the claim then says.
 */
export async function register(
  { ports, settings }: LifecycleScope,
  launched: NodeClaim,
  nodes: readonly Node[],
): Promise<Registration | undefined> {
  const [node] = nodes;
  if (node === undefined) {
    await tell(ports, launched, absent(launched));
    return undefined;
  }
  if (nodes.length > 1) {
    const names = nodes.map(({ metadata }) => metadata.name).sort();
    const message = `Nodes ${names.join(", ")} all have provider id ${launched.status?.providerID}`;
    await report(ports, launched, "Registered", "False", { reason: "MultipleNodesFound", message });
    return undefined;
  }
  const claim = await withPartition(ports, launched);
  if (claim === undefined) return undefined;
  await warnOfMissingTaint(ports, claim, node);
  const registered = await updateNode(ports, node, (current) => registrationPatch(claim, current));
  if (registered === undefined) return undefined;
  if (!isTrue(claim, "Registered")) {
    await learnMemory(ports, settings, claim, registered);
    await remember(() => recordRegistered(ports, settings, claim), ports, claim);
  }
  const current = await updateStatus(ports, claim, (fresh) => registeredStatus(fresh, registered, ports.clock.now()));
  return current && { claim: current, node: registered };
}

function absent(claim: NodeClaim) {
  const message = `no Node has provider id ${claim.status?.providerID} yet`;
  const obstacle = { status: "Unknown", reason: "NodeNotFound", message } as const;
  const initialized = { type: "Initialized", ...obstacle };
  // A registered node that is gone is looked after by its deletion and by collection.
  return isTrue(claim, "Registered") ? [initialized] : [{ type: "Registered", ...obstacle }, initialized];
}

/** Pods may be on the node that its claim's taints would have kept away. It is registered all the same. */
async function warnOfMissingTaint(ports: Ports, claim: NodeClaim, node: Node): Promise<void> {
  if (!lacksUnregisteredTaint(node) || node.metadata.labels?.[label.initialized] === "true") return;
  const message = `Node ${node.metadata.name} came without the taint karpenter.sh/unregistered:NoExecute, which its user data must set`;
  await writeWarning(ports, claim, { reason: "UnregisteredTaintMissing", message });
}

/** What is known of the NodePool is an aid: what cannot be written holds no node up. */
async function remember(work: () => Promise<void>, ports: Ports, claim: NodeClaim): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const fields = { nodeClaim: claim.metadata.name, code: error.code, message: error.message };
    ports.telemetry.log("warn", "registration not remembered", fields);
  }
}
