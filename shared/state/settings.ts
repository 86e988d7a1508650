import type { DefaultSpreadConstraint } from "../api/scheduler-config.ts";

/** What an operator may set for a cluster. Defaults as design §4 states them. */
export interface Settings {
  readonly clusterName: string;
  readonly region: string;
  /** The AWS account; events of another are dropped. Unknown: not checked. */
  readonly accountId?: string;
  /** Namespace of Journeyman's own objects: Leases and ConfigMaps. */
  readonly namespace: string;
  readonly kubernetesVersion: string;
  readonly batchIdleMilliseconds: number;
  readonly batchMaxMilliseconds: number;
  readonly maxNodes?: number;
  readonly maxPriceUsdPerHour?: number;
  readonly maxLaunchesPerTenMinutes?: number;
  readonly launchTimeoutSeconds: number;
  readonly registrationTimeoutSeconds: number;
  readonly initializationTimeoutSeconds: number;
  /** Share of an instance's memory that the hypervisor keeps (karpenter-aws §2.2). */
  readonly vmMemoryOverheadPercent: number;
  readonly reservedEnis: number;
  /** At most this share of a plan's spot nodes in one (type, zone), while an alternative within 15 % exists. */
  readonly spotSpreadShare: number;
  /** A spot node's pods are chosen so that so many spot offerings hold them, where each of them alone has as many. 0: no matter. */
  readonly spotMinOfferings: number;
  /** What a node costs beside its instance and its volumes, such as an agent that is priced by host. */
  readonly nodeChargeUsdPerHour: number;
  /** What EBS volumes cost in the region, in terms of the list prices of us-east-1. 0: volumes cost nothing. */
  readonly volumePriceFactor: number;
  /** Whether kube-scheduler is told by `status.nominatedNodeName` which planned node each pod is to go to. */
  readonly nominatePods: boolean;
  /** Without nominations, this share of a new node's room stays free in a plan, for pods that kube-scheduler puts elsewhere. */
  readonly packingSlackPercent: number;
  /** Whether a RunInstances that is only tried tells if nodes of an EC2NodeClass can be launched. */
  readonly dryRunNodeClasses: boolean;
  /** Serve only pods with this annotation: `key`, or `key=value`. Absent: all pods. */
  readonly servedPodAnnotation?: string;
  /** `Respect`: soft constraints are kept while they can be. `Ignore`: node and pod preferences count for nothing. */
  readonly preferencePolicy: (typeof preferencePolicies)[number];
  /** Preferences are kept as far as they raise a plan's price by no more than this. */
  readonly preferenceMaxCostPercent: number;
  /** `BestEffort`: a NodePool's `minValues` are lowered to what can be reached. */
  readonly minValuesPolicy: (typeof minValuesPolicies)[number];
  /** Spread constraints of pods that state none; the selector is each workload's own (karpenter-core §5). */
  readonly defaultTopologySpread?: readonly DefaultSpreadConstraint[];
  /** New configurations of spot placement scores in any 24 hours: this cluster's share of the account's ten or so. 0: no scores. */
  readonly placementScoresPerDay: number;
  /** The functions reach no AWS service but through endpoints of their VPC, so that neither IAM nor the price list is asked. */
  readonly isolatedVpc: boolean;
  /** Plans and logs, and changes nothing but its own Leases and ConfigMaps: to be tried beside a Karpenter. */
  readonly observe: boolean;
  /** A duration such as `30m` for the claims of NodePools that state none. Absent: draining has no end. */
  readonly terminationGracePeriod?: string;
}

/** The form of {@link Settings.servedPodAnnotation}. */
export const servedPodAnnotationPattern = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?(=.*)?$/;

/** More of each node unused is no slack but a mistake. */
export const mostSlackPercent = 50;

export function isSlackPercent(percent: number): boolean {
  return percent >= 0 && percent <= mostSlackPercent;
}

export const preferencePolicies = ["Respect", "Ignore"] as const;
export const minValuesPolicies = ["Strict", "BestEffort"] as const;

/** The form of an AWS region's name; whether there is such a region is not known here. */
export const regionPattern = /^(us|us-gov|eu|ap|sa|ca|me|af|il|mx|cn)-[a-z]+-\d$/;

/** From here on the webhook's match conditions are stable in Kubernetes. */
export const oldestKubernetesVersion = "1.30";

/** Whether this is a minor version such as `1.34`, and not older than {@link oldestKubernetesVersion}. */
export function isKubernetesVersion(text: string): boolean {
  return /^1\.\d{2}$/.test(text) && text >= oldestKubernetesVersion;
}

export const defaultSettings: Settings = {
  clusterName: "cluster",
  region: "us-east-1",
  namespace: "journeyman",
  kubernetesVersion: "1.34",
  batchIdleMilliseconds: 500,
  batchMaxMilliseconds: 5_000,
  launchTimeoutSeconds: 300,
  registrationTimeoutSeconds: 900,
  initializationTimeoutSeconds: 900,
  vmMemoryOverheadPercent: 0.075,
  reservedEnis: 0,
  spotSpreadShare: 0.4,
  spotMinOfferings: 5,
  nodeChargeUsdPerHour: 0,
  volumePriceFactor: 1,
  nominatePods: true,
  packingSlackPercent: 3,
  dryRunNodeClasses: true,
  preferencePolicy: "Respect",
  preferenceMaxCostPercent: 10,
  minValuesPolicy: "Strict",
  placementScoresPerDay: 3,
  isolatedVpc: false,
  observe: false,
};
