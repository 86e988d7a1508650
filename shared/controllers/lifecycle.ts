import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Hint } from "../hints.ts";
import { metric } from "../metrics.ts";
import { type Ec2Instance, type Ports, ProviderError } from "../ports.ts";
import { isOfEarlierGeneration } from "../state/claim-conditions.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import { isManagedClaim } from "../state/managed.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import type { Settings } from "../state/settings.ts";
import { stepOf } from "../state/step.ts";
import { mayTagAtOnce, taggedBySweep } from "./call-pacing.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { checkConsistency, consistency } from "./consistency.ts";
import { learnFromEarlyDeath } from "./early-deaths.ts";
import { tagInstance } from "./instance-tagging.ts";
import { nominateAgain, nominateForOpening, sweepNominations, withdrawNominations } from "./lifecycle-nominations.ts";
import { register } from "./lifecycle-registration.ts";
import { type LifecycleScope, report, tell, updateNode } from "./lifecycle-scope.ts";
import {
  claimMarkPatch,
  initializationObstacle,
  initializedNodePatch,
  livenessObstacle,
  nodeClassLabelPatch,
  type Obstacle,
  type Overdue,
} from "./lifecycle-steps.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { recordPodActivity } from "./pod-activity.ts";
import { recordFailedRegistrations } from "./registration-store.ts";

/**
 * Brings NodeClaims from launched to initialized, and ends those that take too long (karpenter-core §8, design §4.2). Every step is
 * computed from the objects as they are, so that a crash between two writes is healed by the next hint or sweep.
 */
export async function lifecycle(ports: Ports, settings: Settings, hints: readonly Hint[]): Promise<void> {
  const distinct = [...new Map(hints.map((hint) => [JSON.stringify({ ...hint, at: 0 }), hint])).values()];
  const changed = distinct.flatMap((hint) => (hint.kind === "instance-changed" ? [hint.instanceId] : []));
  const others = distinct.filter((hint) => hint.kind !== "instance-changed");
  await Promise.all([
    changed.length === 0 ? undefined : instancesSeen(ports, settings, changed),
    limitedParallel(others, stepsAtOnce, (hint) => follow(ports, settings, hint)),
  ]);
}

const stepsAtOnce = 5;

async function follow(
  ports: Ports,
  settings: Settings,
  hint: Exclude<Hint, { readonly kind: "instance-changed" }>,
): Promise<void> {
  switch (hint.kind) {
    case "lifecycle-sweep":
      return sweep(ports, settings);
    case "node":
      return nodeSeen(ports, settings, hint.name);
    case "node-claim":
      return claimSeen(ports, settings, (claim) => claim.metadata.name === hint.name);
    case "node-pool":
      return ports.hints.send({ kind: "provision", reason: "retry", at: ports.clock.now() });
    case "provision":
    case "termination":
      ports.telemetry.count(metric.malformedMessages, 1);
      ports.telemetry.log("error", "hint on the wrong queue", { kind: hint.kind });
  }
}

async function sweep(ports: Ports, settings: Settings): Promise<void> {
  const claims = await managedClaims(ports);
  const nodes = await ports.kubernetes.list("Node");
  const byProviderId = Map.groupBy(nodes, (node) => node.spec?.providerID ?? "");
  const nodesOf = async (claim: NodeClaim) => byProviderId.get(claim.status?.providerID ?? "") ?? [];
  const tagged = taggedBySweep(claims);
  const scope = { ports, settings, claims, nodesOf, mayTag: (claim: NodeClaim) => tagged.has(claim.metadata.name) };
  const overdue = await limitedParallel(claims, 10, (claim) =>
    orNextSweep(ports, claim.metadata.name, () => advance(scope, claim)),
  );
  await giveUp(ports, settings, overdue);
  await lookAgain(ports, settings, nodes);
}

/** One claim's failure holds up no other; undefined then. */
async function orNextSweep<T>(ports: Ports, nodeClaim: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ports.telemetry.count(metric.passFailures, 1, { controller: "lifecycle" });
    const fields = { nodeClaim, code: error.code, message: error.message };
    ports.telemetry.log("warn", "lifecycle step failed; the next sweep tries again", fields);
    return undefined;
  }
}

/** What becomes of nodes and their pods, with claims as the steps above have left them. */
async function lookAgain(ports: Ports, settings: Settings, nodes: readonly Node[]): Promise<void> {
  const claims = await managedClaims(ports);
  const pods = await ports.kubernetes.list("Pod", { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" });
  const { cleared } = await sweepNominations({ ports, settings, claims }, pods);
  if (cleared) await ports.hints.send({ kind: "provision", reason: "retry", at: ports.clock.now() });
  await recordPodActivity(ports, claims, pods);
  await checkConsistency(ports, claims, nodes, pods);
}

/** Claims of other classes are another controller's. */
async function managedClaims(ports: Ports): Promise<readonly NodeClaim[]> {
  return (await ports.kubernetes.list("NodeClaim")).filter(isManagedClaim);
}

async function nodeSeen(ports: Ports, settings: Settings, name: string): Promise<void> {
  const node = await ports.kubernetes.get("Node", { name });
  const providerId = node?.spec?.providerID;
  if (node === undefined || providerId === undefined) return;
  await claimSeen(ports, settings, (claim) => claim.status?.providerID === providerId, [node]);
}

/** One look at all instances of a batch: EC2's request bucket for looks is small, and these events are the whole account's. */
async function instancesSeen(ports: Ports, settings: Settings, instanceIds: readonly string[]): Promise<void> {
  const meant = new Set(instanceIds);
  const own = (await managedClaims(ports)).flatMap((claim) => {
    const instanceId = instanceIdOf(claim.status?.providerID);
    return instanceId !== undefined && meant.has(instanceId) ? [{ claim, instanceId }] : [];
  });
  if (own.length === 0) return;
  const ids = own.map(({ instanceId }) => instanceId);
  const seen = await ports.ec2.describeInstances({ by: "ids", instanceIds: ids });
  const instances = new Map(seen.map((instance) => [instance.instanceId, instance]));
  await limitedParallel(own, stepsAtOnce, ({ claim, instanceId }) =>
    instanceSeen(ports, settings, claim, instances.get(instanceId)),
  );
}

/** A claim whose instance is on its way out is deleted; if it is already, its next step need not wait for its time. */
async function instanceSeen(
  ports: Ports,
  settings: Settings,
  claim: NodeClaim,
  instance: Ec2Instance | undefined,
): Promise<void> {
  if (instance === undefined || instance.state === "pending" || instance.state === "running") {
    return claimSeen(ports, settings, ({ metadata }) => metadata.name === claim.metadata.name);
  }
  if (claim.metadata.deletionTimestamp === undefined) await learnFromEarlyDeath(ports, settings, claim, instance);
  const { instanceId, state, stateReason } = instance;
  const why = `instance ${instanceId} is ${state}${stateReason ? ` (${stateReason})` : ""}`;
  await deleteClaim(ports, claim, { reason: "instance_gone", why, needsReplacement: true });
}

async function claimSeen(
  ports: Ports,
  settings: Settings,
  isMeant: (claim: NodeClaim) => boolean,
  known?: readonly Node[],
): Promise<void> {
  const claims = await managedClaims(ports);
  const nodesOf = async (claim: NodeClaim) => {
    const { nodeName } = claim.status ?? {};
    const isKnown = nodeName === undefined || known?.some(({ metadata }) => metadata.name === nodeName);
    return known !== undefined && isKnown ? known : findNodes(ports, claim);
  };
  const mayTag = () => mayTagAtOnce(claims, ports.clock.now());
  for (const claim of claims.filter(isMeant)) {
    await giveUp(ports, settings, [await advance({ ports, settings, claims, nodesOf, mayTag }, claim)]);
  }
}

async function findNodes(ports: Ports, claim: NodeClaim): Promise<readonly Node[]> {
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName !== undefined) {
    const node = await ports.kubernetes.get("Node", { name: nodeName });
    return node === undefined ? [] : [node];
  }
  return (await ports.kubernetes.list("Node")).filter((node) => node.spec?.providerID === providerID);
}

interface OverdueClaim {
  readonly claim: NodeClaim;
  readonly overdue: Overdue;
}

/**
 * All steps that are due for one claim. Time limits are looked at last, so that a late controller kills nothing that has arrived; a claim
 * that is beyond one is returned.
 */
async function advance(scope: LifecycleScope, listed: NodeClaim): Promise<OverdueClaim | undefined> {
  const { ports } = scope;
  const claim = await update(ports, "NodeClaim", { name: listed.metadata.name }, claimMarkPatch, { current: listed });
  if (claim === undefined) return undefined;
  if (isOfEarlierGeneration(claim)) await tell(ports, claim, []);
  if (claim.metadata.deletionTimestamp !== undefined) {
    await startTermination(scope, claim);
    return undefined;
  }
  const nodes = claim.status?.providerID === undefined ? [] : await scope.nodesOf(claim);
  const [node] = nodes;
  if (node?.metadata.deletionTimestamp !== undefined) {
    const why = `Node ${node.metadata.name} is being deleted`;
    await deleteClaim(ports, claim, { reason: "node_deleted", why, needsReplacement: true });
    return undefined;
  }
  const current = await towardsInitialized(scope, claim, nodes);
  const overdue = livenessObstacle(current, scope.settings, ports.clock.now());
  return overdue && { claim: current, overdue };
}

/** Deletes claims that have taken too long. One that has not become a node says something of its NodePool, which is written down first. */
async function giveUp(ports: Ports, settings: Settings, claims: readonly (OverdueClaim | undefined)[]): Promise<void> {
  const ending = claims.filter((one) => one !== undefined);
  const failed = ending.filter(({ overdue }) => overdue.reason !== "initialization_timeout");
  await recordFailedRegistrations(
    ports,
    settings,
    failed.map(({ claim, overdue }) => ({ claim, reason: failureReason(claim, overdue), message: overdue.message })),
  );
  await limitedParallel(ending, stepsAtOnce, ({ claim, overdue: { reason, message } }) =>
    orNextSweep(ports, claim.metadata.name, () =>
      deleteClaim(ports, claim, { reason, why: message, needsReplacement: true }),
    ),
  );
}

function failureReason(claim: NodeClaim, { reason }: Overdue): string {
  const launched = reason === "launch_timeout" ? conditionOf(claim, "Launched")?.reason : undefined;
  return launched || "RegistrationFailed";
}

/** The claim as it is then. */
async function towardsInitialized(scope: LifecycleScope, claim: NodeClaim, nodes: readonly Node[]): Promise<NodeClaim> {
  const { ports, settings } = scope;
  if (claim.status?.providerID === undefined) return claim;
  const [node] = nodes;
  if (isTrue(claim, "Initialized")) {
    if (node === undefined) return claim;
    await updateNode(ports, node, (current) => nodeClassLabelPatch(claim, current));
    if (scope.mayTag(claim)) await tagInstance(ports, settings, claim, node.metadata.name);
    return claim;
  }
  const registration = await register(scope, claim, nodes);
  if (registration === undefined) return claim;
  const { claim: registered, node: own } = registration;
  const initialized = await initialize(scope, registered, own);
  if (scope.mayTag(registered)) await tagInstance(ports, settings, registered, own.metadata.name);
  return initialized ?? registered;
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
async function initialize(scope: LifecycleScope, claim: NodeClaim, node: Node): Promise<NodeClaim | undefined> {
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
  const initialized = { type: "Initialized", status: "True", reason: "Initialized" } as const;
  return tell(ports, claim, [initialized, consistency(claim, node)]);
}

/** A claim that somebody deleted has not started its steps: the first one is due. Its pods wait for it no longer. */
async function startTermination({ ports, settings }: LifecycleScope, claim: NodeClaim): Promise<void> {
  await withdrawNominations(ports, settings, claim);
  const { n } = stepOf(claim);
  if (n === 0)
    await ports.hints.send({ kind: "termination", nodeClaim: claim.metadata.name, step: n, at: ports.clock.now() });
}
