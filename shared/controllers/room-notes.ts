import type { Node } from "../api/core.ts";
import { annotation } from "../api/labels.ts";
import type { Ports } from "../ports.ts";
import type { ProvisioningPlan } from "../provisioning/plan.ts";
import { isTrue } from "../state/conditions.ts";
import { formatReplacement, replacementOf } from "../state/replacement.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { update } from "./optimistic-update.ts";

/**
 * Tells the drain which pods of leaving nodes have room on nodes that are Ready now: they need not wait for a new node (design
 * §4.3). Written on the leaving node, whose mark the drain reads.
 */
export async function noteRoom(ports: Ports, plan: ProvisioningPlan, snapshot: Snapshot): Promise<void> {
  const ready = new Set(snapshot.nodes.filter((node) => isTrue(node, "Ready")).map((node) => node.metadata.name));
  const roomy = plan.existing.filter(({ name }) => ready.has(name)).flatMap(({ pods }) => pods);
  const byNode = Map.groupBy(
    roomy.filter((pod) => pod.nodeName !== undefined),
    (pod) => pod.nodeName ?? "",
  );
  for (const [name, pods] of byNode) {
    const uids = pods.map((pod) => pod.uid);
    await update(ports, "Node", { name }, (node) => withRoom(node, uids));
  }
}

function withRoom(node: Node, uids: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const replacement = replacementOf(node);
  if (replacement === undefined) return undefined;
  const known = new Set(replacement.roomFor ?? []);
  if (uids.every((uid) => known.has(uid))) return undefined;
  const roomFor = [...known.union(new Set(uids))].sort();
  return { metadata: { annotations: { [annotation.replace]: formatReplacement({ ...replacement, roomFor }) } } };
}
