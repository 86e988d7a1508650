import type { Node } from "../api/core.ts";
import { taintKey } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Candidate } from "../disruption/candidates.ts";
import { planDisruption } from "../disruption/disruption-plan.ts";
import { surplusStaticClaims } from "../disruption/static-deprovisioning.ts";
import { metric } from "../metrics.ts";
import type { MergePatch, Ports } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import { disruptedTaint, isDoNotDisruptActive } from "../state/pod-eviction.ts";
import { podName } from "../state/pod-record.ts";
import { isReschedulable } from "../state/pod-roles.ts";
import { replacementOf } from "../state/replacement.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { holdsLease, type LeaseOptions, withLease } from "./lease.ts";
import { conditionPatch } from "./lifecycle-steps.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { readSnapshot } from "./read-snapshot.ts";

/** The minute tick of voluntary disruption (design §4.4): undoes what was left half done, plans, and carries one command out. */
export async function disrupt(
  ports: Ports,
  settings: Settings,
  read: (ports: Ports, settings: Settings) => Promise<Snapshot> = readSnapshot,
): Promise<void> {
  const lease = { name: "journeyman-disruption", namespace: settings.namespace, durationSeconds: 70 };
  await withLease(ports, lease, async () => {
    const snapshot = await read(ports, settings);
    await rollBack(ports, snapshot);
    await removeSurplus(ports, lease, snapshot);
    const { command, decisions } = planDisruption(snapshot);
    for (const decision of decisions) ports.telemetry.log("debug", "disruption decision", { ...decision });
    if (command === undefined) return;
    ports.telemetry.count(metric.disruptionDecisions, command.candidates.length, { reason: command.reason });
    await limitedParallel(command.candidates, 10, (candidate) => removeEmpty(ports, lease, candidate));
  });
}

/** Nodes that static NodePools have too many of. Their pods get new places first, as far as drains let them. */
async function removeSurplus(ports: Ports, lease: LeaseOptions, snapshot: Snapshot): Promise<void> {
  const surplus = surplusStaticClaims(snapshot);
  if (surplus.length === 0 || !(await holdsLease(ports, lease))) return;
  await limitedParallel(surplus, 10, ({ claim, why }) =>
    deleteClaim(ports, claim, { reason: "overprovisioned", why, needsReplacement: true }),
  );
}

/**
 * The taint first, the pods second: what kube-scheduler bound before it saw the taint is found, and the node is given back. A pod
 * bound after this look is drained like any other.
 */
async function removeEmpty(ports: Ports, lease: LeaseOptions, { claim, node }: Candidate): Promise<void> {
  const tainted = await update(ports, "Node", { name: node.metadata.name }, taintPatch);
  if (tainted === undefined) return;
  const changes = [{ type: "DisruptionReason", status: "True", reason: "Empty" }] as const;
  await updateStatus(ports, claim, (current) => conditionPatch(current, changes, ports.clock.now()));
  const occupant = await occupantOf(ports, node.metadata.name);
  if (occupant !== undefined) {
    ports.telemetry.log("info", "node is not empty any more", { nodeClaim: claim.metadata.name, occupant });
    return giveBack(ports, claim, node.metadata.name);
  }
  if (!(await holdsLease(ports, lease))) return;
  await deleteClaim(ports, claim, { reason: "empty", why: "its node is empty", needsReplacement: false });
}

/** A pod that needs the node, seen by a fresh list. */
async function occupantOf(ports: Ports, nodeName: string): Promise<string | undefined> {
  const decoder = new PodDecoder();
  const now = ports.clock.now();
  const pods = await ports.kubernetes.list("Pod", { fieldSelector: `spec.nodeName=${nodeName}` });
  const occupant = pods
    .map((pod) => decoder.decode(pod))
    .filter((pod) => pod.phase !== "Succeeded" && pod.phase !== "Failed")
    .find((pod) => isDoNotDisruptActive(pod, now) || isReschedulable(pod));
  return occupant && podName(occupant);
}

/** A node that carries the taint without a mark, while its claim stays, is a command that a crash cut off (karpenter-core §6.1). */
async function rollBack(ports: Ports, snapshot: Snapshot): Promise<void> {
  const claims = new Map(snapshot.nodeClaims.map((claim) => [claim.status?.providerID ?? "", claim]));
  for (const node of snapshot.nodes.filter(isLeftTainted)) {
    const claim = claims.get(node.spec?.providerID ?? "\0");
    const current = claim && (await ports.kubernetes.get("NodeClaim", { name: claim.metadata.name }));
    if (current === undefined || current.metadata.deletionTimestamp !== undefined) continue;
    ports.telemetry.log("warn", "disruption rolled back", { nodeClaim: current.metadata.name });
    await giveBack(ports, current, node.metadata.name);
  }
}

async function giveBack(ports: Ports, claim: NodeClaim, nodeName: string): Promise<void> {
  await update(ports, "Node", { name: nodeName }, (node) => (isLeftTainted(node) ? withoutTaint(node) : undefined));
  const changes = [{ type: "DisruptionReason", status: "False", reason: "RolledBack" }] as const;
  await updateStatus(ports, claim, (current) => conditionPatch(current, changes, ports.clock.now()));
}

function isLeftTainted(node: Node): boolean {
  return (
    node.metadata.deletionTimestamp === undefined &&
    replacementOf(node) === undefined &&
    (node.spec?.taints?.some(({ key }) => key === taintKey.disrupted) ?? false)
  );
}

function taintPatch(node: Node): MergePatch | undefined {
  const taints = node.spec?.taints ?? [];
  const merged = mergeTaints(taints, [disruptedTaint]);
  return merged.length === taints.length ? undefined : { spec: { taints: merged } };
}

function withoutTaint(node: Node): MergePatch {
  return { spec: { taints: node.spec?.taints?.filter(({ key }) => key !== taintKey.disrupted) ?? [] } };
}

function updateStatus(ports: Ports, claim: NodeClaim, change: (current: NodeClaim) => MergePatch | undefined) {
  return update(ports, "NodeClaim", { name: claim.metadata.name }, change, { subresource: "status" });
}
