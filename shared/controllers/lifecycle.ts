import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Hint } from "../hints.ts";
import { metric } from "../metrics.ts";
import { type MergePatch, type Ports, ProviderError } from "../ports.ts";
import { isTrue } from "../state/conditions.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import type { Settings } from "../state/settings.ts";
import { stepOf } from "../state/step.ts";
import { mayTagAtOnce, taggedBySweep } from "./call-pacing.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { learnFromEarlyDeath } from "./early-deaths.ts";
import { tagInstance } from "./instance-tagging.ts";
import { nominateAgain, nominateForOpening, sweepNominations, withdrawNominations } from "./lifecycle-nominations.ts";
import {
  conditionPatch,
  initializationObstacle,
  initializedNodePatch,
  livenessObstacle,
  type Obstacle,
  registeredStatus,
  registrationPatch,
} from "./lifecycle-steps.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { learnMemory } from "./memory-store.ts";
import { update } from "./optimistic-update.ts";
import { recordPodActivity } from "./pod-activity.ts";

interface Scope {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly claims: readonly NodeClaim[];
  /** Nodes with the claim's provider id; more than one is a fault to report. */
  readonly nodesOf: (claim: NodeClaim) => Promise<readonly Node[]>;
  /** Whether EC2's request bucket has room for tagging the claim's instance now. */
  readonly mayTag: (claim: NodeClaim) => boolean;
}

/**
 * Brings NodeClaims from launched to initialized, and ends those that take too long (karpenter-core §8, design §4.2). Every step is
 * computed from the objects as they are, so that a crash between two writes is healed by the next hint or sweep.
 */
export async function lifecycle(ports: Ports, settings: Settings, hints: readonly Hint[]): Promise<void> {
  const distinct = new Map(hints.map((hint) => [JSON.stringify({ ...hint, at: 0 }), hint]));
  await limitedParallel([...distinct.values()], 5, (hint) => follow(ports, settings, hint));
}

async function follow(ports: Ports, settings: Settings, hint: Hint): Promise<void> {
  switch (hint.kind) {
    case "lifecycle-sweep":
      return sweep(ports, settings);
    case "node":
      return nodeSeen(ports, settings, hint.name);
    case "node-claim":
      return claimSeen(ports, settings, (claim) => claim.metadata.name === hint.name);
    case "instance-changed":
      return instanceSeen(ports, settings, hint.instanceId);
    case "node-pool":
      return ports.hints.send({ kind: "provision", reason: "retry", at: ports.clock.now() });
    case "provision":
    case "termination":
      ports.telemetry.count(metric.malformedMessages, 1);
      ports.telemetry.log("error", "hint on the wrong queue", { kind: hint.kind });
  }
}

async function sweep(ports: Ports, settings: Settings): Promise<void> {
  const claims = await ports.kubernetes.list("NodeClaim");
  const nodes = Map.groupBy(await ports.kubernetes.list("Node"), (node) => node.spec?.providerID ?? "");
  const nodesOf = async (claim: NodeClaim) => nodes.get(claim.status?.providerID ?? "") ?? [];
  const tagged = taggedBySweep(claims);
  const scope = { ports, settings, claims, nodesOf, mayTag: (claim: NodeClaim) => tagged.has(claim.metadata.name) };
  await limitedParallel(claims, 10, async (claim) => {
    try {
      await advance(scope, claim);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      ports.telemetry.count(metric.passFailures, 1, { controller: "lifecycle" });
      const fields = { nodeClaim: claim.metadata.name, code: error.code, message: error.message };
      ports.telemetry.log("warn", "lifecycle step failed; the next sweep tries again", fields);
    }
  });
  await lookAtPods(ports, settings);
}

/** What becomes of the pods themselves, with claims as the steps above have left them. */
async function lookAtPods(ports: Ports, settings: Settings): Promise<void> {
  const claims = await ports.kubernetes.list("NodeClaim");
  const pods = await ports.kubernetes.list("Pod", { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" });
  const { cleared } = await sweepNominations({ ports, settings, claims }, pods);
  if (cleared) await ports.hints.send({ kind: "provision", reason: "retry", at: ports.clock.now() });
  await recordPodActivity(ports, claims, pods);
}

async function nodeSeen(ports: Ports, settings: Settings, name: string): Promise<void> {
  const node = await ports.kubernetes.get("Node", { name });
  const providerId = node?.spec?.providerID;
  if (node === undefined || providerId === undefined) return;
  await claimSeen(ports, settings, (claim) => claim.status?.providerID === providerId, [node]);
}

/** A claim whose instance is on its way out is deleted; if it is already, its next step need not wait for its time. */
async function instanceSeen(ports: Ports, settings: Settings, instanceId: string): Promise<void> {
  const isMeant = (claim: NodeClaim) => instanceIdOf(claim.status?.providerID) === instanceId;
  const claim = (await ports.kubernetes.list("NodeClaim")).find(isMeant);
  if (claim === undefined) return;
  const [instance] = await ports.ec2.describeInstances({ by: "ids", instanceIds: [instanceId] });
  if (instance === undefined || instance.state === "pending" || instance.state === "running") {
    return claimSeen(ports, settings, isMeant);
  }
  if (claim.metadata.deletionTimestamp === undefined) await learnFromEarlyDeath(ports, settings, claim, instance);
  const why = `instance ${instanceId} is ${instance.state}${instance.stateReason ? ` (${instance.stateReason})` : ""}`;
  await deleteClaim(ports, claim, { reason: "instance_gone", why, needsReplacement: true });
}

async function claimSeen(
  ports: Ports,
  settings: Settings,
  isMeant: (claim: NodeClaim) => boolean,
  known?: readonly Node[],
): Promise<void> {
  const claims = await ports.kubernetes.list("NodeClaim");
  const nodesOf = async (claim: NodeClaim) => known ?? findNodes(ports, claim);
  const mayTag = () => mayTagAtOnce(claims, ports.clock.now());
  for (const claim of claims.filter(isMeant)) await advance({ ports, settings, claims, nodesOf, mayTag }, claim);
}

async function findNodes(ports: Ports, claim: NodeClaim): Promise<readonly Node[]> {
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName !== undefined) {
    const node = await ports.kubernetes.get("Node", { name: nodeName });
    return node === undefined ? [] : [node];
  }
  return (await ports.kubernetes.list("Node")).filter((node) => node.spec?.providerID === providerID);
}

/** All steps that are due for one claim. Time limits are looked at last, so that a late controller kills nothing that has arrived. */
async function advance(scope: Scope, claim: NodeClaim): Promise<void> {
  const { ports, settings } = scope;
  if (claim.metadata.deletionTimestamp !== undefined) return startTermination(scope, claim);
  const nodes = claim.status?.providerID === undefined ? [] : await scope.nodesOf(claim);
  const [node] = nodes;
  if (node?.metadata.deletionTimestamp !== undefined) {
    const why = `Node ${node.metadata.name} is being deleted`;
    return deleteClaim(ports, claim, { reason: "node_deleted", why, needsReplacement: true });
  }
  const current = await towardsInitialized(scope, claim, nodes);
  const overdue = current && livenessObstacle(current, settings, ports.clock.now());
  if (current === undefined || overdue === undefined) return;
  await deleteClaim(ports, current, { reason: overdue.reason, why: overdue.message, needsReplacement: true });
}

async function towardsInitialized(
  scope: Scope,
  claim: NodeClaim,
  nodes: readonly Node[],
): Promise<NodeClaim | undefined> {
  const { ports } = scope;
  const [node] = nodes;
  if (node === undefined) return claim;
  if (isTrue(claim, "Initialized")) {
    if (scope.mayTag(claim)) await tagInstance(ports, scope.settings, claim, node.metadata.name);
    return claim;
  }
  if (nodes.length > 1) {
    const names = nodes.map(({ metadata }) => metadata.name).sort();
    const message = `Nodes ${names.join(", ")} all have provider id ${claim.status?.providerID}`;
    return report(ports, claim, "Registered", "False", { reason: "MultipleNodesFound", message });
  }
  const registered = await updateNode(ports, node, (current) => registrationPatch(claim, current));
  if (registered === undefined) return claim;
  if (!isTrue(claim, "Registered")) await learnMemory(ports, scope.settings, claim, registered);
  const current = await updateStatus(ports, claim, (fresh) => registeredStatus(fresh, registered, ports.clock.now()));
  if (current === undefined) return undefined;
  const initialized = await initialize(scope, current, registered);
  if (scope.mayTag(current)) await tagInstance(ports, scope.settings, current, registered.metadata.name);
  return initialized;
}

/** How soon a node that waits for others is looked at again. */
const secondsBetweenLooks = 2;

function waitingForOthers(name: string, claims: readonly string[]): Obstacle {
  const [first = "none", ...others] = claims;
  const these = others.length === 0 ? first : `${first} and ${others.length} more`;
  const message = `Node ${name} waits for the node of NodeClaim ${these}, so that its pods spread as planned`;
  return { reason: "OtherNodesNotReady", message };
}

/**
 * Opens the node for its pods. Their nominations are set before the taint goes, so that kube-scheduler tries this node first, and
 * again after it, because the scheduler clears a nomination when an attempt fails (design §4.2).
 */
async function initialize(scope: Scope, claim: NodeClaim, node: Node): Promise<NodeClaim | undefined> {
  const { ports } = scope;
  if (node.metadata.labels?.[label.initialized] !== "true") {
    const obstacle = initializationObstacle(claim, node);
    if (obstacle !== undefined) return report(ports, claim, "Initialized", "Unknown", obstacle);
    const nominations = await nominateForOpening(scope, claim, node);
    if (nominations.awaited.length > 0) {
      const { name } = node.metadata;
      await ports.hints.send({ kind: "node", name, at: ports.clock.now() }, { delaySeconds: secondsBetweenLooks });
      return report(ports, claim, "Initialized", "Unknown", waitingForOthers(name, nominations.awaited));
    }
    const open = await updateNode(ports, node, initializedNodePatch);
    if (open === undefined) return claim;
    await nominateAgain(scope, nominations);
    ports.telemetry.count(metric.nodesCreated, 1, { nodepool: claim.metadata.labels?.[label.nodePool] ?? "" });
  }
  const changes = [
    { type: "Initialized", status: "True", reason: "Initialized" },
    { type: "Ready", status: "True", reason: "Ready" },
  ] as const;
  return updateStatus(ports, claim, (fresh) => conditionPatch(fresh, changes, ports.clock.now()));
}

/** A claim that somebody deleted has not started its steps: the first one is due. Its pods wait for it no longer. */
async function startTermination({ ports, settings }: Scope, claim: NodeClaim): Promise<void> {
  await withdrawNominations(ports, settings, claim);
  const { n } = stepOf(claim);
  if (n === 0)
    await ports.hints.send({ kind: "termination", nodeClaim: claim.metadata.name, step: n, at: ports.clock.now() });
}

function report(ports: Ports, claim: NodeClaim, type: string, status: "False" | "Unknown", obstacle: Obstacle) {
  const changes = [{ type, status, ...obstacle }];
  return updateStatus(ports, claim, (fresh) => conditionPatch(fresh, changes, ports.clock.now()));
}

function updateNode(ports: Ports, node: Node, change: (current: Node) => MergePatch | undefined) {
  return update(ports, "Node", { name: node.metadata.name }, change, { current: node });
}

function updateStatus(ports: Ports, claim: NodeClaim, change: (current: NodeClaim) => MergePatch | undefined) {
  return update(ports, "NodeClaim", { name: claim.metadata.name }, change, { current: claim, subresource: "status" });
}
