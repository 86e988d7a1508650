import type { Node } from "../api/core.ts";
import { annotation, label, ownGroup, taintKey, terminationFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseQuantity } from "../api/quantity.ts";
import type { OwnerReference, Taint } from "../api/schema.ts";
import { parseTime } from "../api/time.ts";
import type { MergePatch } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import { isEphemeral } from "../state/cluster-nodes.ts";
import { type ConditionChange, changedConditions } from "../state/condition-changes.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";

/** The steps of a NodeClaim from launch to initialized, each a function of the objects as they are (karpenter-core §8). No I/O. */

/** Something that keeps a claim from going on, in the words of its condition. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/**
 * What registration writes on a Node: all that a kubelet may not set for itself. The `unregistered` taint stays until the node is
 * initialized (design §4.2). Undefined once the node carries the label: what others change later is theirs.
 */
export function registrationPatch(claim: NodeClaim, node: Node): MergePatch | undefined {
  const { metadata } = node;
  if (metadata.labels?.[label.registered] === "true") return undefined;
  const ownAnnotation = (key: string) => key.startsWith(`${ownGroup}/`) || key === annotation.terminationTimestamp;
  const annotations = Object.entries(claim.metadata.annotations ?? {}).filter(([key]) => !ownAnnotation(key));
  const syncsTaints = metadata.labels?.[label.doNotSyncTaints] !== "true";
  const claimTaints = [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])];
  return {
    metadata: {
      finalizers: [...new Set([...(metadata.finalizers ?? []), terminationFinalizer])],
      ownerReferences: withOwner(metadata.ownerReferences ?? [], claim),
      labels: { ...claim.metadata.labels, [label.registered]: "true" },
      annotations: Object.fromEntries(annotations),
    },
    ...(syncsTaints ? { spec: { taints: mergeTaints(node.spec?.taints ?? [], claimTaints) } } : {}),
  };
}

/** What the claim's status says of its registered node; undefined when it says so already. */
export function registeredStatus(claim: NodeClaim, node: Node, now: number): MergePatch | undefined {
  const conditions = changedConditions(claim, [{ type: "Registered", status: "True", reason: "Registered" }], now);
  const isNamed = claim.status?.nodeName === node.metadata.name;
  if (conditions === undefined && isNamed) return undefined;
  return { status: { nodeName: node.metadata.name, ...(conditions === undefined ? {} : { conditions }) } };
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

/** Why a claim has taken too long and is to be deleted; undefined while there is hope. Clocks start at condition transitions. */
export function livenessObstacle(claim: NodeClaim, settings: Settings, now: number): Obstacle | undefined {
  if (isTrue(claim, "Initialized")) return undefined;
  const createdAt = claim.metadata.creationTimestamp === undefined ? now : parseTime(claim.metadata.creationTimestamp);
  const launchedAt = transitionedAt(claim, "Launched") ?? createdAt;
  if (claim.status?.providerID === undefined) {
    return overdue("launch_timeout", "launched", launchedAt, settings.launchTimeoutSeconds, now);
  }
  if (!isTrue(claim, "Registered")) {
    return overdue("registration_timeout", "registered", launchedAt, settings.registrationTimeoutSeconds, now);
  }
  const registeredAt = transitionedAt(claim, "Registered") ?? launchedAt;
  return overdue("initialization_timeout", "initialized", registeredAt, settings.initializationTimeoutSeconds, now);
}

function overdue(reason: string, what: string, since: number, seconds: number, now: number): Obstacle | undefined {
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

function withOwner(references: readonly OwnerReference[], claim: NodeClaim): readonly OwnerReference[] {
  const uid = claim.metadata.uid ?? "";
  if (references.some((reference) => reference.uid === uid)) return references;
  const { apiVersion, kind } = claim;
  return [...references, { apiVersion, kind, name: claim.metadata.name, uid, blockOwnerDeletion: true }];
}

function taintId(taint: Taint): string {
  return `${taint.key}:${taint.effect}`;
}
