import type { Node } from "../api/core.ts";
import { label, taintKey, terminationFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseQuantity } from "../api/quantity.ts";
import type { Taint } from "../api/schema.ts";
import { parseTime } from "../api/time.ts";
import type { MergePatch } from "../ports.ts";
import { changedClaimConditions } from "../state/claim-conditions.ts";
import { isEphemeral } from "../state/cluster-nodes.ts";
import { type ConditionChange, changedConditions } from "../state/condition-changes.ts";
import { conditionOf, isTrue, transitionedAt } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";

/** The steps of a NodeClaim from launch to initialized, each a function of the objects as they are (karpenter-core §8). No I/O. */

/** Something that keeps a claim from going on, in the words of its condition. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/**
 * What every claim of ours has: the finalizer, without which its instance would outlive it, and the label that names its class
 * (karpenter-core §8: finalizer first; hydration). Undefined once it has both.
 */
export function claimMarkPatch({ metadata, spec }: NodeClaim): MergePatch | undefined {
  const finalizers = metadata.finalizers ?? [];
  const isFinalized = finalizers.includes(terminationFinalizer) || metadata.deletionTimestamp !== undefined;
  const isLabelled = metadata.labels?.[label.nodeClass] !== undefined;
  if (isFinalized && isLabelled) return undefined;
  return {
    metadata: {
      ...(!isFinalized && { finalizers: [...finalizers, terminationFinalizer] }),
      ...(!isLabelled && { labels: { [label.nodeClass]: spec.nodeClassRef.name } }),
    },
  };
}

/** The same label on a Node that registered before there was one. */
export function nodeClassLabelPatch({ spec }: NodeClaim, { metadata }: Node): MergePatch | undefined {
  if (metadata.labels?.[label.nodeClass] !== undefined) return undefined;
  return { metadata: { labels: { [label.nodeClass]: spec.nodeClassRef.name } } };
}

/** What the node still lacks before pods may come: Ready, free of startup and ephemeral taints, all requested resources there. */
export function initializationObstacle(claim: NodeClaim, node: Node): Obstacle | undefined {
  const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
  if (ready?.status !== "True") {
    return {
      reason: "NodeNotReady",
      message: `Node ${node.metadata.name} is not Ready${ready?.reason ? `: ${ready.reason}` : ""}`,
    };
  }
  const taints = node.spec?.taints ?? [];
  const startup = new Set((claim.spec.startupTaints ?? []).map(taintId));
  const left = taints.find((taint) => startup.has(taintId(taint)));
  if (left !== undefined) {
    return { reason: "StartupTaintsExist", message: `startup taint ${taintId(left)} is not removed yet` };
  }
  const ephemeral = taints.find((taint) => isEphemeral(taint) && taint.key !== taintKey.unregistered);
  if (ephemeral !== undefined) {
    return { reason: "KnownEphemeralTaintsExist", message: `taint ${taintId(ephemeral)} is not removed yet` };
  }
  const missing = missingResource(claim, node);
  if (missing === undefined) return undefined;
  return {
    reason: "ResourceNotRegistered",
    message: `resource ${missing} was requested but the node shows none of it`,
  };
}

/** Opens the node for pods; undefined once it is open. */
export function initializedNodePatch(node: Node): MergePatch | undefined {
  const taints = node.spec?.taints ?? [];
  const kept = taints.filter((taint) => taint.key !== taintKey.unregistered);
  if (node.metadata.labels?.[label.initialized] === "true" && kept.length === taints.length) return undefined;
  return { metadata: { labels: { [label.initialized]: "true" } }, spec: { taints: kept } };
}

/** A status patch that makes condition changes; undefined when the claim has them. */
export function conditionPatch(
  claim: NodeClaim,
  changes: readonly ConditionChange[],
  now: number,
): MergePatch | undefined {
  const conditions = changedConditions(claim, changes, now);
  return conditions === undefined ? undefined : { status: { conditions } };
}

/** The same for the conditions of a claim's life, and for Ready, which follows from them. */
export function lifecyclePatch(
  claim: NodeClaim,
  changes: readonly ConditionChange[],
  now: number,
): MergePatch | undefined {
  const conditions = changedClaimConditions(claim, changes, now);
  return conditions === undefined ? undefined : { status: { conditions } };
}

/** Why a claim has taken too long. */
export interface Overdue extends Obstacle {
  readonly reason: "launch_timeout" | "registration_timeout" | "initialization_timeout";
}

/**
 * Why a claim has taken too long and is to be deleted; undefined while there is hope. Clocks start at condition transitions; that of
 * registration at the launch, and again where several Nodes have kept it from registering (karpenter-core §8).
 */
export function livenessObstacle(claim: NodeClaim, settings: Settings, now: number): Overdue | undefined {
  if (isTrue(claim, "Initialized")) return undefined;
  const createdAt = claim.metadata.creationTimestamp === undefined ? now : parseTime(claim.metadata.creationTimestamp);
  const launchedAt = transitionedAt(claim, "Launched") ?? createdAt;
  if (claim.status?.providerID === undefined) {
    return overdue("launch_timeout", "launched", launchedAt, settings.launchTimeoutSeconds, now);
  }
  if (!isTrue(claim, "Registered")) {
    const isRefused = conditionOf(claim, "Registered")?.status === "False";
    const since = isRefused ? (transitionedAt(claim, "Registered") ?? launchedAt) : launchedAt;
    return overdue("registration_timeout", "registered", since, settings.registrationTimeoutSeconds, now);
  }
  const registeredAt = transitionedAt(claim, "Registered") ?? launchedAt;
  return overdue("initialization_timeout", "initialized", registeredAt, settings.initializationTimeoutSeconds, now);
}

function overdue(
  reason: Overdue["reason"],
  what: string,
  since: number,
  seconds: number,
  now: number,
): Overdue | undefined {
  if (now - since < seconds * 1_000) return undefined;
  return { reason, message: `not ${what} within ${seconds} s` };
}

function missingResource(claim: NodeClaim, node: Node): string | undefined {
  const shown = node.status?.allocatable ?? {};
  return Object.entries(claim.spec.resources?.requests ?? {})
    .filter(([name, amount]) => parseQuantity(amount) > 0n && parseQuantity(shown[name] ?? "0") === 0n)
    .map(([name]) => name)
    .sort()[0];
}

function taintId(taint: Taint): string {
  return `${taint.key}:${taint.effect}`;
}
