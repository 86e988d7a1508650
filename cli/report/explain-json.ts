import { formatPath } from "../../shared/api/problems.ts";
import { offeringKey } from "../../shared/cloud/instance-type.ts";
import type { PodExplanation } from "../../shared/provisioning/explain/explain-pod.ts";
import type { Fix, Placement } from "../../shared/provisioning/explain/fixes.ts";
import type { NodeCost } from "../../shared/provisioning/node-cost.ts";
import type { PlannedNodeClaim, Refusal } from "../../shared/provisioning/plan.ts";
import { type PodRecord, podName } from "../../shared/state/pod-record.ts";
import { roundedCost } from "./plan-json.ts";

/** What `explain pod -o json` prints (design §6). */
export interface ExplanationReport {
  readonly pod: string;
  /** The workload whose template an edit of the pod belongs in: `Deployment web`. */
  readonly owner?: string;
  readonly situation: "running" | "existing-node" | "new-node" | "waiting" | "no-place" | "ended";
  /** Where it runs, or would run, of those that exist. */
  readonly node?: string;
  readonly newNode?: NewNodeReport;
  /** What it waits for, or that it has succeeded or failed. */
  readonly reason?: string;
  /** For every NodePool the first requirement that fails. */
  readonly refusals?: readonly Refusal[];
  /** Single-field edits that make it placeable, the smallest first. */
  readonly fixes?: readonly FixReport[];
  /** Edits that were tried by planning again. */
  readonly tried?: number;
}

export interface NewNodeReport {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** Of the instance alone. */
  readonly priceUsdPerHour: number;
  readonly nodeCost: NodeCost;
  /** Other pods on it. */
  readonly sharedWith: readonly string[];
  /** Other offerings that hold its pods, best first: `instanceType/zone/capacityType`. */
  readonly alternatives: readonly string[];
  readonly reason: string;
}

export interface FixReport {
  /** `Pod namespace/name` or `NodePool name`. */
  readonly object: string;
  /** Such as `spec.nodeSelector.disk`; the index after a list's last makes a new entry. */
  readonly path: string;
  /** null: there is nothing yet. */
  readonly from: unknown;
  /** null: the field, or the entry of the list, is taken away. */
  readonly to: unknown;
  /** Where planning again put the pod. */
  readonly verifiedBy: VerifiedBy;
}

/** A new node or one that exists. */
export type VerifiedBy =
  | { readonly nodePool: string; readonly instanceType: string; readonly priceUsdPerHour: number }
  | { readonly node: string };

export function explanationReport(explanation: PodExplanation): ExplanationReport {
  const { pod } = explanation;
  const about = { pod: podName(pod), ...(pod.owner === undefined ? {} : { owner: ownerTitle(pod.owner) }) };
  switch (explanation.kind) {
    case "running": {
      const { node, next } = explanation;
      const moved = next?.kind === "new-node" ? { newNode: newNodeReport(next.claim, pod) } : {};
      const leaving = next === undefined ? {} : { reason: leavingText(next) };
      return { ...about, situation: "running", node, ...moved, ...leaving };
    }
    case "placeable":
      return { ...about, ...placementReport(explanation.placement, pod) };
    case "waiting":
      return { ...about, situation: "waiting", reason: explanation.reason };
    case "no-place": {
      const { refusals, tried } = explanation;
      const node = pod.nodeName === undefined ? {} : { node: pod.nodeName };
      return {
        ...about,
        situation: "no-place",
        ...node,
        refusals,
        fixes: explanation.fixes.map((fix) => fixReport(fix, pod)),
        tried,
      };
    }
  }
}

function ownerTitle({ kind, name }: NonNullable<PodRecord["owner"]>): string {
  return `${kind} ${name}`;
}

function leavingText(next: Placement): string {
  const where = next.kind === "new-node" ? `new node ${next.claim.name}` : next.name;
  return `its node is leaving; it has a place on ${where}`;
}

function placementReport(placement: Placement, pod: PodRecord) {
  switch (placement.kind) {
    case "new-node":
      return { situation: "new-node", newNode: newNodeReport(placement.claim, pod) } as const;
    case "existing-node":
      return { situation: "existing-node", node: placement.name } as const;
  }
}

function newNodeReport(claim: PlannedNodeClaim, { uid }: PodRecord): NewNodeReport {
  const [{ instanceType, zone, capacityType, priceUsdPerHour }, ...others] = claim.offerings;
  return {
    name: claim.name,
    nodePool: claim.nodePool,
    instanceType,
    zone,
    capacityType,
    priceUsdPerHour: rounded(priceUsdPerHour),
    nodeCost: roundedCost(claim.nodeCost),
    sharedWith: claim.pods.filter((other) => other.uid !== uid).map(podName),
    alternatives: others.map((offering) => offeringKey(offering.instanceType, offering)),
    reason: claim.reason,
  };
}

function fixReport({ edit, placement }: Fix, pod: PodRecord): FixReport {
  const { target, at, from = null, to = null } = edit;
  return {
    object: target.kind === "Pod" ? `Pod ${podName(pod)}` : `NodePool ${target.name}`,
    path: formatPath(at),
    from,
    to,
    verifiedBy: verifiedBy(placement),
  };
}

function verifiedBy(placement: Placement): VerifiedBy {
  if (placement.kind === "existing-node") return { node: placement.name };
  const { nodePool, offerings } = placement.claim;
  const [{ instanceType, priceUsdPerHour }] = offerings;
  return { nodePool, instanceType, priceUsdPerHour: rounded(priceUsdPerHour) };
}

/** Six decimals: a millionth of a dollar, and no trace of floating point. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}
