import type { Node } from "../api/core.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { MergePatch, Ports } from "../ports.ts";
import type { ConditionChange } from "../state/condition-changes.ts";
import type { Settings } from "../state/settings.ts";
import { lifecyclePatch, type Obstacle } from "./lifecycle-steps.ts";
import { update } from "./optimistic-update.ts";

/** What the steps of one NodeClaim work with. */
export interface LifecycleScope {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly claims: readonly NodeClaim[];
  /** Nodes with the claim's provider id; more than one is a fault to report. */
  readonly nodesOf: (claim: NodeClaim) => Promise<readonly Node[]>;
  /** Whether EC2's request bucket has room for tagging the claim's instance now. */
  readonly mayTag: (claim: NodeClaim) => boolean;
}

/** Tells on the claim what keeps it from going on. */
export function report(ports: Ports, claim: NodeClaim, type: string, status: "False" | "Unknown", obstacle: Obstacle) {
  return tell(ports, claim, [{ type, status, ...obstacle }]);
}

export function tell(ports: Ports, claim: NodeClaim, changes: readonly ConditionChange[]) {
  return updateStatus(ports, claim, (fresh) => lifecyclePatch(fresh, changes, ports.clock.now()));
}

export function updateNode(ports: Ports, node: Node, change: (current: Node) => MergePatch | undefined) {
  return update(ports, "Node", { name: node.metadata.name }, change, { current: node });
}

export function updateStatus(ports: Ports, claim: NodeClaim, change: (current: NodeClaim) => MergePatch | undefined) {
  return update(ports, "NodeClaim", { name: claim.metadata.name }, change, { current: claim, subresource: "status" });
}
