/** Names that Kubernetes, Karpenter and Journeyman share. Karpenter's are kept to the letter, so that a cluster can change hands. */

export const group = "karpenter.sh";
export const awsGroup = "karpenter.k8s.aws";
export const ownGroup = "journeyman.sh";

export const label = {
  nodePool: "karpenter.sh/nodepool",
  capacityType: "karpenter.sh/capacity-type",
  registered: "karpenter.sh/registered",
  initialized: "karpenter.sh/initialized",
  doNotSyncTaints: "karpenter.sh/do-not-sync-taints",
  nodeClass: "karpenter.k8s.aws/ec2nodeclass",
  zone: "topology.kubernetes.io/zone",
  zoneId: "topology.k8s.aws/zone-id",
  region: "topology.kubernetes.io/region",
  instanceType: "node.kubernetes.io/instance-type",
  arch: "kubernetes.io/arch",
  os: "kubernetes.io/os",
  hostname: "kubernetes.io/hostname",
  windowsBuild: "node.kubernetes.io/windows-build",
  excludeFromLoadBalancers: "node.kubernetes.io/exclude-from-external-load-balancers",
  reservationId: "karpenter.k8s.aws/capacity-reservation-id",
  reservationType: "karpenter.k8s.aws/capacity-reservation-type",
  reservationInterruptible: "karpenter.k8s.aws/capacity-reservation-interruptible",
  tenancy: "karpenter.k8s.aws/instance-tenancy",
  placementGroupId: "karpenter.k8s.aws/placement-group-id",
  placementGroupPartition: "karpenter.k8s.aws/placement-group-partition",
} as const;

export const annotation = {
  doNotDisrupt: "karpenter.sh/do-not-disrupt",
  nodePoolHash: "karpenter.sh/nodepool-hash",
  nodePoolHashVersion: "karpenter.sh/nodepool-hash-version",
  terminationTimestamp: "karpenter.sh/nodeclaim-termination-timestamp",
  /** On a NodeClaim: NodeOverlays have changed the price, or the capacity, of what it may become. */
  minValuesRelaxed: "karpenter.sh/nodeclaim-min-values-relaxed",
  priceOverlayApplied: "karpenter.sh/price-overlay-applied",
  capacityOverlayApplied: "karpenter.sh/capacity-overlay-applied",
  /** On a NodeClaim: the pods it is meant for (design §4.1, step 2). */
  nominatedPods: "journeyman.sh/nominated-pods",
  /** On a NodeClaim: why it was made, at most 1 KiB. */
  reason: "journeyman.sh/reason",
  /** On a NodeClaim: the launch record, the write-ahead ledger (design §4.1, step 5). */
  launch: "journeyman.sh/launch",
  /** On a NodeClaim: the subnet of its instance, for the count of addresses. */
  subnet: "journeyman.sh/subnet",
  /** On a Node: it is leaving and its pods need a new home; reason and deadline. */
  replace: "journeyman.sh/replace",
  /** On any stepped object: `{n, dueAt}` (design rule 7). */
  step: "journeyman.sh/step",
  /** On a NodeClaim: digest of the pods last seen on its node, which tells when one came or went. */
  podsDigest: "journeyman.sh/pods-digest",
  /** On a Pod: `true` keeps the planner from making nodes for it. */
  doNotProvision: "journeyman.sh/do-not-provision",
  /** On a NodePool: `replace` makes a rebalance recommendation replace the node (design §4.3). */
  onRebalance: "journeyman.sh/on-rebalance",
  /** On a NodePool: its first so many nodes are not spot, though it allows spot. */
  onDemandBase: "journeyman.sh/on-demand-base",
  /** On a NodePool: so many per cent of its nodes beyond the first are not spot either. */
  onDemandPercentage: "journeyman.sh/on-demand-percentage",
  /** On an EC2NodeClass: what its `placementGroupSelector` found (placement-group.ts). Karpenter's status has no field for it. */
  placementGroup: "journeyman.sh/placement-group",
} as const;

export const taintKey = {
  disrupted: "karpenter.sh/disrupted",
  unregistered: "karpenter.sh/unregistered",
} as const;

export const terminationFinalizer = "karpenter.sh/termination";
/** On an EC2NodeClass. */
export const nodeClassFinalizer = "karpenter.k8s.aws/termination";

/** EC2 tags on everything we launch. */
export const tag = {
  nodePool: "karpenter.sh/nodepool",
  nodeClaim: "karpenter.sh/nodeclaim",
  nodeClass: "karpenter.k8s.aws/ec2nodeclass",
  clusterName: "eks:eks-cluster-name",
  launchGroup: "journeyman.sh/launch-group",
  name: "Name",
} as const;

/** Karpenter's ownership tag: `kubernetes.io/cluster/NAME = owned`. */
export function clusterOwnershipTag(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`;
}

/** Older or vendor spellings of a label, read as the current one (karpenter-core §1.6). */
export const labelAliases: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": label.zone,
  "failure-domain.beta.kubernetes.io/region": label.region,
  "beta.kubernetes.io/arch": label.arch,
  "beta.kubernetes.io/os": label.os,
  "beta.kubernetes.io/instance-type": label.instanceType,
  "topology.ebs.csi.aws.com/zone": label.zone,
};

/** The label a key is read as. */
export function canonicalLabel(key: string): string {
  return Object.hasOwn(labelAliases, key) ? (labelAliases[key] ?? key) : key;
}

const wellKnownAwsNames = [
  "instance-cpu",
  "instance-cpu-manufacturer",
  "instance-cpu-sustained-clock-speed-mhz",
  "instance-memory",
  "instance-ebs-bandwidth",
  "instance-network-bandwidth",
  "instance-category",
  "instance-generation",
  "instance-family",
  "instance-size",
  "instance-local-nvme",
  "instance-capability-flex",
  "instance-hypervisor",
  "instance-encryption-in-transit-supported",
  "instance-gpu-name",
  "instance-gpu-manufacturer",
  "instance-gpu-count",
  "instance-gpu-memory",
  "instance-accelerator-name",
  "instance-accelerator-manufacturer",
  "instance-accelerator-count",
  "instance-tenancy",
  "capacity-reservation-id",
  "capacity-reservation-type",
  "capacity-reservation-interruptible",
  "placement-group-id",
  "placement-group-partition",
  "ec2nodeclass",
  "nitro-sandbox",
] as const;

/** Keys that a NodePool need not define for a pod to ask for them: instance types resolve them (karpenter-core §3). */
export const wellKnownLabels: ReadonlySet<string> = new Set([
  label.nodePool,
  label.capacityType,
  label.zone,
  label.zoneId,
  label.region,
  label.instanceType,
  label.arch,
  label.os,
  label.windowsBuild,
  ...wellKnownAwsNames.map((name) => `${awsGroup}/${name}`),
]);
