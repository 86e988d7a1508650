import type { Taint } from "../api/schema.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "../state/pod-record.ts";
import type { Lazy } from "./lazily.ts";
import { type NodeCost, sumOfCharges } from "./node-cost.ts";

/** A node to be launched. */
export interface PlannedNodeClaim {
  /** pool-hash of pool and pod UIDs (design §4.1, step 3). */
  readonly name: string;
  readonly nodePool: string;
  readonly pods: readonly PodRecord[];
  /** Offerings that hold the pods; the first is the plan's choice and never absent. */
  readonly offerings: readonly [RankedOffering, ...RankedOffering[]];
  /** The NodePool's requirements narrowed by the pods. */
  readonly requirements: Requirements;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** Pods and DaemonSets together. */
  readonly requests: Resources;
  /** Of the first offering's instance type. */
  readonly allocatable: Resources;
  /** Beside the price of the instance. */
  readonly nodeCost: NodeCost;
  /** Whether the NodePool's `minValues` had to be lowered (setting `minValuesPolicy`). */
  readonly minValuesRelaxed: boolean;
  /** One sentence: why this node. */
  readonly reason: string;
}

/** Why nothing takes a pod: the first requirement that fails, in the order of {@link UnschedulablePod.reasons}' pools. */
export interface Refusal {
  /** Empty for a reason that is the pod's own. */
  readonly nodePool: string;
  /** One sentence for a person. */
  readonly reason: string;
  /** What fails: a label key, a resource, `taint`, `hostPort`, `limits.cpu`, a topology key. Absent where no one thing does. */
  readonly key?: string;
  /** What the pod asks for, or what is there. */
  readonly found?: string;
  /** What would be accepted. */
  readonly accepted?: string;
  /** The instance type that lacks the fewest things, and what it lacks. */
  readonly nearestType?: string;
}

/** A refusal that holds for several NodePools alike. */
export type RefusalDetail = Omit<Refusal, "nodePool">;

export interface UnschedulablePod {
  readonly pod: PodRecord;
  /** One entry per NodePool that was tried, or one with an empty name for a reason that is the pod's own. */
  readonly reasons: readonly Refusal[];
}

/** A pod that has no node and needs none planned now. */
export interface WaitingPod {
  readonly pod: PodRecord;
  /** What it waits for, in one sentence. */
  readonly reason: string;
}

/** The answer for every provisionable pod (design §5). */
export interface ProvisioningPlan {
  readonly nodeClaims: readonly PlannedNodeClaim[];
  /** Pods that fit on nodes or NodeClaims that exist, by the name of the node (or of the claim, before it has one). */
  readonly existing: readonly { readonly name: string; readonly pods: readonly PodRecord[] }[];
  readonly unschedulable: readonly UnschedulablePod[];
  /** The other pods without a node. */
  readonly waiting: readonly WaitingPod[];
  /** Pods without a node by the one zone in which they may run, or `flexible` or `none`. */
  readonly podsByZone: ReadonlyMap<string, number>;
  /** The instances alone, by each claim's first offering. */
  readonly priceUsdPerHour: number;
  /** Of all new nodes, beside the price of the instances. */
  readonly nodeCost: NodeCost;
  /** The part of the cost that lets enough spot offerings hold each spot node's pods (setting `spotMinOfferings`). */
  readonly spotFlexibilityUsdPerHour: number;
  /** The part of the cost that keeps spot nodes out of one basket (design §4.1, step 7). */
  readonly spotSpreadUsdPerHour: number;
  /** The share of each new node's CPU and memory that is left free on purpose, for want of nominations; absent where it is none. */
  readonly packingSlackPercent?: number;
  /** What keeping the pods' preferences adds to the cost (setting `preferenceMaxCostPercent`). */
  readonly preferenceCostUsdPerHour: number;
  /**
   * No set of nodes that holds the new nodes' pods, and leaves the same slack, costs less than this, with volumes and charge: to be compared with
   * {@link planCostUsdPerHour}. Not known, and 0, when a cluster limit cut the plan.
   */
  readonly lowerBoundUsdPerHour: number;
  /** The same of the instances alone, to be compared with {@link ProvisioningPlan.priceUsdPerHour}. Worked out when it is asked for. */
  readonly instancesLowerBound: Lazy<number>;
}

/** What a plan keeps low: the price of its instances, with the volumes and the charge of its nodes. */
export function planCostUsdPerHour({
  priceUsdPerHour,
  nodeCost,
}: Pick<ProvisioningPlan, "priceUsdPerHour" | "nodeCost">): number {
  return priceUsdPerHour + sumOfCharges(nodeCost);
}
