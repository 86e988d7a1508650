import { offeringKey } from "../../shared/cloud/instance-type.ts";
import type { NodeCost } from "../../shared/provisioning/node-cost.ts";
import { type PlannedNodeClaim, type ProvisioningPlan, planCostUsdPerHour } from "../../shared/provisioning/plan.ts";
import { formatResources, type Resources } from "../../shared/scheduling/resources.ts";
import { podName } from "../../shared/state/pod-record.ts";

/**
 * What `plan -o json` prints (design §6), in USD per hour. A price, and the bound beside it, is the instances' alone; a cost has the
 * nodes' volumes and charges in it.
 */
export interface PlanReport {
  readonly nodeClaims: readonly NodeClaimReport[];
  readonly existingNodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
  readonly unschedulable: readonly UnschedulableReport[];
  readonly totals: {
    readonly pods: number;
    readonly scheduled: number;
    /** New ones. */
    readonly nodes: number;
    readonly priceUsdPerHour: number;
    readonly lowerBoundUsdPerHour: number;
    readonly nodeCost: NodeCost;
    /** What the plan keeps low: the price with the volumes and the charges of the nodes. */
    readonly costUsdPerHour: number;
    readonly costLowerBoundUsdPerHour: number;
    /** The part of the cost that lets enough spot offerings hold each spot node's pods. */
    readonly spotFlexibilityUsdPerHour: number;
    /** The part of the cost that keeps spot nodes apart (design §4.1, step 7). */
    readonly spotSpreadUsdPerHour: number;
    /** The part of the cost that keeps pods' preferences. */
    readonly preferenceCostUsdPerHour: number;
    /** The share of each new node's CPU and memory that is left free, for want of nominations. */
    readonly packingSlackPercent?: number;
  };
  /** The other pods without a node: none is planned for them now, and they are not among the totals. */
  readonly waiting: readonly WaitingReport[];
}

export interface NodeClaimReport {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly priceUsdPerHour: number;
  readonly pods: readonly string[];
  /** Of pods and DaemonSets together; `cpu`, `memory`, and extended resources where some are asked for. */
  readonly requests: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** Requests over allocatable, 0 to 1. */
  readonly utilization: Readonly<Record<string, number>>;
  readonly priceUsdPerPodHour: number;
  /** Other offerings that hold these pods, best first: `instanceType/zone/capacityType`. */
  readonly alternatives: readonly string[];
  readonly reason: string;
  /** Beside the price: volumes and charge. Of the price: what DaemonSets take. */
  readonly nodeCost: NodeCost;
}

export interface UnschedulableReport {
  readonly pod: string;
  /** One for each NodePool; an empty name stands for a reason that is the pod's own. */
  readonly reasons: readonly { readonly nodePool: string; readonly reason: string }[];
}

export interface WaitingReport {
  readonly pod: string;
  /** What it waits for, or why it is left alone. */
  readonly reason: string;
}

export function planReport(plan: ProvisioningPlan): PlanReport {
  const scheduled = [...plan.nodeClaims, ...plan.existing].reduce((sum, { pods }) => sum + pods.length, 0);
  return {
    nodeClaims: plan.nodeClaims.map(nodeClaimReport),
    existingNodes: plan.existing.map(({ name, pods }) => ({ name, pods: pods.map(podName) })),
    unschedulable: plan.unschedulable.map(({ pod, reasons }) => ({
      pod: podName(pod),
      reasons: reasons.map(({ nodePool, reason }) => ({ nodePool, reason })),
    })),
    totals: {
      pods: scheduled + plan.unschedulable.length,
      scheduled,
      nodes: plan.nodeClaims.length,
      priceUsdPerHour: rounded(plan.priceUsdPerHour),
      lowerBoundUsdPerHour: rounded(plan.instancesLowerBound.value),
      nodeCost: roundedCost(plan.nodeCost),
      costUsdPerHour: rounded(planCostUsdPerHour(plan)),
      costLowerBoundUsdPerHour: rounded(plan.lowerBoundUsdPerHour),
      spotFlexibilityUsdPerHour: rounded(plan.spotFlexibilityUsdPerHour),
      spotSpreadUsdPerHour: rounded(plan.spotSpreadUsdPerHour),
      preferenceCostUsdPerHour: rounded(plan.preferenceCostUsdPerHour),
      ...(plan.packingSlackPercent !== undefined && { packingSlackPercent: plan.packingSlackPercent }),
    },
    waiting: plan.waiting.map(({ pod, reason }) => ({ pod: podName(pod), reason })),
  };
}

function nodeClaimReport(claim: PlannedNodeClaim): NodeClaimReport {
  const [chosen, ...others] = claim.offerings;
  const { requests, allocatable } = claim;
  const resources = reportedResources(requests);
  return {
    name: claim.name,
    nodePool: claim.nodePool,
    instanceType: chosen.instanceType,
    zone: chosen.zone,
    capacityType: chosen.capacityType,
    priceUsdPerHour: rounded(chosen.priceUsdPerHour),
    pods: claim.pods.map(podName),
    requests: formatted(requests, resources),
    allocatable: formatted(allocatable, [...resources, "pods"]),
    utilization: Object.fromEntries(
      [...resources, "pods"].map((name) => [name, rounded(share(requests[name] ?? 0, allocatable[name] ?? 0))]),
    ),
    priceUsdPerPodHour: rounded(chosen.priceUsdPerHour / Math.max(1, claim.pods.length)),
    alternatives: others.map((offering) => offeringKey(offering.instanceType, offering)),
    reason: claim.reason,
    nodeCost: roundedCost(claim.nodeCost),
  };
}

/** CPU and memory always; what else is asked for, such as GPUs, where it is. */
function reportedResources(requests: Resources): readonly string[] {
  const others = Object.keys(requests).filter((name) => !["cpu", "memory", "pods"].includes(name));
  return ["cpu", "memory", ...others.filter((name) => (requests[name] ?? 0) > 0).sort()];
}

function formatted(resources: Resources, names: readonly string[]): Readonly<Record<string, string>> {
  const list = formatResources(resources);
  return Object.fromEntries(names.map((name) => [name, list[name] ?? "0"]));
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** As it is reported. */
export function roundedCost({ volumesUsdPerHour, chargeUsdPerHour, daemonSetsUsdPerHour }: NodeCost): NodeCost {
  return {
    volumesUsdPerHour: rounded(volumesUsdPerHour),
    chargeUsdPerHour: rounded(chargeUsdPerHour),
    daemonSetsUsdPerHour: rounded(daemonSetsUsdPerHour),
  };
}

/** Six decimals: a millionth of a dollar, and no trace of floating point. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}
