import type { Action } from "../actions.ts";
import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { VolumeAttachment } from "../api/storage.ts";
import { type DrainStep, drainablePods, drainStep, isDrained } from "../disruption/drain.ts";
import { metric } from "../metrics.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import { type PodRecord, podName } from "../state/pod-record.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import { replacementOf } from "../state/replacement.ts";
import type { Settings } from "../state/settings.ts";
import { mayTerminate } from "./call-pacing.ts";
import { execute, requireDone } from "./execute.ts";
import { conditionPatch } from "./lifecycle-steps.ts";
import { removeClaim, removeNode } from "./object-removal.ts";
import { update } from "./optimistic-update.ts";
import {
  drainDelaySeconds,
  growingDelaySeconds,
  homedPods,
  instanceVerdict,
  isNodeReady,
  leavingNodePatch,
  terminationAtOf,
  terminationTimestampPatch,
} from "./termination-steps.ts";
import { launchObstacle, taggedInstances } from "./unlaunched-claims.ts";
import { volumesInTheWay } from "./volume-detachment.ts";

/** What one invocation reads at most once, however many claims it steps. */
export interface SharedReads {
  readonly claims: () => Promise<readonly NodeClaim[]>;
  readonly budgets: () => Promise<readonly PodDisruptionBudget[]>;
  readonly attachments: () => Promise<readonly VolumeAttachment[]>;
}

export type Progress =
  /** The claim is gone. */
  { readonly kind: "gone" } | { readonly kind: "again"; readonly delaySeconds: number; readonly doing: string };

interface Departure {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly reads: SharedReads;
  readonly claim: NodeClaim;
  readonly n: number;
}

/** A pod bound by a scheduler that had not seen the taint shows up within this time (karpenter-core §7.4). */
const minimumDrainMilliseconds = 5_000;

/** Does what is due for a deleting claim and says when to look again: mark, drain, detach, end the instance, remove the objects. */
export async function terminationProgress(
  ports: Ports,
  settings: Settings,
  reads: SharedReads,
  claim: NodeClaim,
  n: number,
): Promise<Progress> {
  const departure = { ports, settings, reads, claim, n };
  const instanceId = instanceIdOf(claim.status?.providerID);
  if (instanceId === undefined) return endUnlaunched(departure);
  const node = await findNode(ports, claim);
  if (
    node === undefined ||
    node.metadata.labels?.[label.registered] !== "true" ||
    isTrue(claim, "InstanceTerminating")
  ) {
    return endInstance(departure, node, instanceId);
  }
  if (!isNodeReady(node) || ports.clock.now() >= (replacementOf(node)?.deadlineAt ?? Number.POSITIVE_INFINITY)) {
    const instance = await describe(ports, instanceId);
    if (instanceVerdict(instance, claim, node, ports.clock.now()).kind === "ended") return finish(departure, node);
  }
  return (
    (await markLeaving(departure, node)) ?? (await drain(departure, node)) ?? endInstance(departure, node, instanceId)
  );
}

/** Taint, label, deadline and the Draining condition: pods are listed only in a later step, when no new ones can come. */
async function markLeaving({ ports, claim }: Departure, node: Node): Promise<Progress | undefined> {
  const reference = { name: claim.metadata.name };
  const isMarked = leavingNodePatch(node) === undefined && transitionedAt(claim, "Drained") !== undefined;
  if (isMarked && terminationTimestampPatch(claim) === undefined) return undefined;
  await update(ports, "Node", { name: node.metadata.name }, leavingNodePatch, { current: node });
  await update(ports, "NodeClaim", reference, terminationTimestampPatch);
  await setCondition(ports, claim, "Drained", "Unknown", "Draining");
  return { kind: "again", delaySeconds: 1, doing: "marked the node" };
}

/** Undefined once pods and volumes are gone, or time is up for volumes. */
async function drain(departure: Departure, node: Node): Promise<Progress | undefined> {
  const { ports, reads, claim, n } = departure;
  const now = ports.clock.now();
  const pods = await podsOn(ports, node.metadata.name);
  const replacement = replacementOf(node);
  const terminationAt = terminationAtOf(claim);
  const isWaiting = drainablePods(pods, now).length > 0;
  const step = drainStep({
    now,
    pods,
    podDisruptionBudgets: isWaiting ? await reads.budgets() : [],
    homed: isWaiting && replacement !== undefined ? homedPods(await reads.claims(), replacement) : new Set(),
    ...(terminationAt === undefined ? {} : { terminationAt }),
    ...(replacement === undefined ? {} : { replacement }),
  });
  if (!isDrained(step)) {
    await evictPods(ports, step, node);
    const delaySeconds = drainDelaySeconds(step, n, replacement, now);
    return { kind: "again", delaySeconds, doing: describeDrain(step) };
  }
  const drainingSince = transitionedAt(claim, "Drained") ?? now;
  if (!isTrue(claim, "Drained") && now - drainingSince < minimumDrainMilliseconds) {
    return { kind: "again", delaySeconds: 2, doing: "watching an empty node for late pods" };
  }
  if (!isTrue(claim, "Drained")) {
    await setCondition(ports, claim, "Drained", "True", "Drained");
    ports.telemetry.count(metric.nodesDrained, 1, { nodepool: claim.metadata.labels?.[label.nodePool] ?? "" });
  }
  return detach(departure, node, pods, Math.min(replacement?.deadlineAt ?? Infinity, terminationAt ?? Infinity));
}

async function detach(
  { ports, reads, claim, n }: Departure,
  node: Node,
  pods: readonly PodRecord[],
  deadlineAt: number,
): Promise<Progress | undefined> {
  const volumes = await volumesInTheWay(ports, node.metadata.name, await reads.attachments(), pods);
  if (volumes.length === 0) {
    await setCondition(ports, claim, "VolumesDetached", "True", "VolumesDetached");
    return undefined;
  }
  if (ports.clock.now() >= deadlineAt) {
    await setCondition(ports, claim, "VolumesDetached", "False", "TerminationGracePeriodElapsed");
    return undefined;
  }
  await setCondition(ports, claim, "VolumesDetached", "Unknown", "AwaitingVolumeDetachment");
  return { kind: "again", delaySeconds: growingDelaySeconds(n), doing: `waiting for volumes ${volumes.join(", ")}` };
}

async function endInstance(departure: Departure, node: Node | undefined, instanceId: string): Promise<Progress> {
  const { ports, reads, claim, n } = departure;
  const verdict = instanceVerdict(await describe(ports, instanceId), claim, node, ports.clock.now());
  switch (verdict.kind) {
    case "ended":
      return finish(departure, node);
    case "leave":
      return { kind: "again", delaySeconds: 10, doing: verdict.reason };
    case "wait":
      return { kind: "again", delaySeconds: Math.max(5, growingDelaySeconds(n)), doing: verdict.reason };
    case "terminate":
      if (!mayTerminate(await reads.claims(), ports.clock.now())) {
        return { kind: "again", delaySeconds: 5, doing: "waiting, as many instances are being ended" };
      }
      await terminateInstances(ports, [instanceId], `NodeClaim ${claim.metadata.name} is drained`);
      await setCondition(ports, claim, "InstanceTerminating", "True", "InstanceTerminating");
      return { kind: "again", delaySeconds: 5, doing: `terminating ${instanceId}` };
  }
}

/** A claim whose status names no instance may have one all the same. */
async function endUnlaunched(departure: Departure): Promise<Progress> {
  const { ports, settings, claim } = departure;
  const instances = await taggedInstances(ports, settings, claim);
  if (instances.length === 0) return finish(departure, undefined);
  const ids = instances.filter(({ state }) => state !== "shutting-down").map(({ instanceId }) => instanceId);
  if (ids.length > 0) await terminateInstances(ports, ids, `NodeClaim ${claim.metadata.name} is being deleted`);
  return { kind: "again", delaySeconds: 5, doing: "ending instances that the claim's status does not name" };
}

/** Removes the Nodes, then the claim; but a claim whose launch record is needed stays (design §4.1, step 6). */
async function finish({ ports, settings, reads, claim, n }: Departure, found: Node | undefined): Promise<Progress> {
  for (const node of await allNodes(ports, claim, found)) {
    const waiting = await removeNode(ports, node, await podsOn(ports, node.metadata.name), await reads.attachments());
    if (waiting !== undefined) return { kind: "again", delaySeconds: 2, doing: waiting };
  }
  const obstacle = launchObstacle(claim, await reads.claims(), settings, ports.clock.now());
  if (obstacle !== undefined) {
    await ports.hints.send({ kind: "provision", reason: "claim-unlaunched", at: ports.clock.now() });
    return { kind: "again", delaySeconds: Math.max(5, growingDelaySeconds(n)), doing: obstacle };
  }
  await removeClaim(ports, claim);
  return { kind: "gone" };
}

async function evictPods(ports: Ports, step: DrainStep, node: Node): Promise<void> {
  const why = `Node ${node.metadata.name} is leaving`;
  const evictions = step.evict.map(({ uid, name, namespace }): Action => {
    return { kind: "evict", reference: { name, namespace }, uid, why };
  });
  const deletions = step.forceDelete.map(({ pod: { uid, name, namespace }, gracePeriodSeconds }): Action => {
    return { kind: "delete", objectKind: "Pod", reference: { name, namespace }, uid, gracePeriodSeconds, why };
  });
  const outcomes = await execute(ports, [...evictions, ...deletions], { continueOnError: true });
  for (const { result } of outcomes) ports.telemetry.count(metric.evictionRequests, 1, { result });
}

async function terminateInstances(ports: Ports, instanceIds: readonly string[], why: string): Promise<void> {
  requireDone(await execute(ports, [{ kind: "terminate-instances", instanceIds, why }]));
}

async function describe(ports: Ports, instanceId: string): Promise<Ec2Instance | undefined> {
  const [instance] = await ports.ec2.describeInstances({ by: "ids", instanceIds: [instanceId] });
  return instance;
}

/** By name once registered; before that, or if the name is not ours any more, by provider id. */
async function findNode(ports: Ports, claim: NodeClaim): Promise<Node | undefined> {
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName !== undefined) {
    const node = await ports.kubernetes.get("Node", { name: nodeName });
    return node?.spec?.providerID === providerID ? node : undefined;
  }
  if (providerID === undefined) return undefined;
  return (await ports.kubernetes.list("Node")).find((node) => node.spec?.providerID === providerID);
}

/** Several may have the provider id of a claim that never registered: it does not register then. */
async function allNodes(ports: Ports, { status }: NodeClaim, found: Node | undefined): Promise<readonly Node[]> {
  if (found === undefined) return [];
  if (status?.nodeName !== undefined) return [found];
  return (await ports.kubernetes.list("Node")).filter(({ spec }) => spec?.providerID === status?.providerID);
}

async function podsOn(ports: Ports, nodeName: string): Promise<readonly PodRecord[]> {
  const decoder = new PodDecoder();
  const pods = await ports.kubernetes.list("Pod", { fieldSelector: `spec.nodeName=${nodeName}` });
  return pods.map((pod) => decoder.decode(pod));
}

async function setCondition(
  ports: Ports,
  claim: NodeClaim,
  type: string,
  status: "True" | "False" | "Unknown",
  reason: string,
): Promise<void> {
  const change = (current: NodeClaim) => conditionPatch(current, [{ type, status, reason }], ports.clock.now());
  await update(ports, "NodeClaim", { name: claim.metadata.name }, change, { subresource: "status" });
}

function describeDrain(step: DrainStep): string {
  const waiting = step.waitingFor.slice(0, 3).map(({ pod, reason }) => `${podName(pod)}: ${reason}`);
  const acts = `evicting ${step.evict.length}, force-deleting ${step.forceDelete.length}`;
  return `${acts}, waiting for ${step.waitingFor.length}${waiting.length > 0 ? ` (${waiting.join("; ")})` : ""}`;
}
