import { type Conditions, PolicyStatement } from "aws-cdk-lib/aws-iam";

export interface Ec2Scope {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly clusterName: string;
  /** Of the nodes' own role, and of others that EC2NodeClasses may give their nodes. */
  readonly nodeRoleArns: string[];
}

/**
 * Karpenter's controller policy, less what fleets and launch templates need (karpenter-aws §8.2): the same tags confine both, so that
 * both may own one fleet. The tag keys are Karpenter's; infra does not read shared/api.
 */
export function launchStatements(scope: Ec2Scope): PolicyStatement[] {
  const created = ["instance", "volume", "network-interface", "spot-instances-request"].map((type) =>
    regional(scope, type),
  );
  return [
    new PolicyStatement({
      sid: "AllowScopedEC2InstanceAccessActions",
      actions: ["ec2:RunInstances"],
      resources: [
        `arn:${scope.partition}:ec2:${scope.region}::image/*`,
        `arn:${scope.partition}:ec2:${scope.region}::snapshot/*`,
        ...["security-group", "subnet", "capacity-reservation", "placement-group"].map((type) => regional(scope, type)),
      ],
    }),
    new PolicyStatement({
      sid: "AllowScopedEC2InstanceActionsWithTags",
      actions: ["ec2:RunInstances"],
      resources: created,
      conditions: requestTags(scope),
    }),
    new PolicyStatement({
      sid: "AllowScopedResourceCreationTagging",
      actions: ["ec2:CreateTags"],
      resources: created,
      conditions: requestTags(scope, { "ec2:CreateAction": "RunInstances" }),
    }),
    passRoleStatement(scope),
  ];
}

/** Of a launch, and of a role's way into an instance profile. */
export function passRoleStatement({ nodeRoleArns }: Ec2Scope): PolicyStatement {
  return new PolicyStatement({
    sid: "AllowPassingInstanceRole",
    actions: ["iam:PassRole"],
    resources: nodeRoleArns,
    conditions: { StringEquals: { "iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"] } },
  });
}

/** Names and claims of instances that are ours already. */
export function taggingStatement(scope: Ec2Scope): PolicyStatement {
  return new PolicyStatement({
    sid: "AllowScopedResourceTagging",
    actions: ["ec2:CreateTags"],
    resources: [regional(scope, "instance")],
    conditions: {
      ...ownedTags(scope),
      StringEqualsIfExists: { "aws:RequestTag/eks:eks-cluster-name": scope.clusterName },
      "ForAllValues:StringEquals": { "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"] },
    },
  });
}

export function terminationStatement(scope: Ec2Scope): PolicyStatement {
  return new PolicyStatement({
    sid: "AllowScopedDeletion",
    actions: ["ec2:TerminateInstances"],
    resources: [regional(scope, "instance")],
    conditions: ownedTags(scope),
  });
}

/** Describe actions take no resource; the region is all there is to confine them by. */
export function describeStatement(scope: Ec2Scope): PolicyStatement {
  return new PolicyStatement({
    sid: "AllowRegionalReadActions",
    actions: ["ec2:DescribeInstances", "ec2:DescribeInstanceStatus"],
    resources: ["*"],
    conditions: { StringEquals: { "aws:RequestedRegion": scope.region } },
  });
}

/** What the catalog function reads of EC2 and of the price list: no action of these takes a resource. */
export function catalogStatements(scope: Ec2Scope): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: "AllowReadingWhatEC2Sells",
      actions: [
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeInstanceTypes",
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeSpotPriceHistory",
        "ec2:GetSpotPlacementScores",
      ],
      resources: ["*"],
      conditions: { StringEquals: { "aws:RequestedRegion": scope.region } },
    }),
    new PolicyStatement({
      sid: "AllowReadingThePriceList",
      actions: ["pricing:GetProducts"],
      resources: ["*"],
      // The price list has endpoints in these regions alone (karpenter-aws §3).
      conditions: {
        StringEquals: { "aws:RequestedRegion": ["us-east-1", "eu-central-1", "ap-south-1", "cn-northwest-1"] },
      },
    }),
  ];
}

/** What EC2NodeClasses are resolved with, and instance profiles of the cluster's own (karpenter-aws §8.2). */
export function nodeClassStatements(scope: Ec2Scope): PolicyStatement[] {
  const { partition, region, account } = scope;
  const profiles = [`arn:${partition}:iam::${account}:instance-profile/*`];
  const [requested, held] = [profileTags(scope, "RequestTag"), profileTags(scope, "ResourceTag")];
  return [
    new PolicyStatement({
      sid: "AllowReadingWhatClassesSelect",
      actions: [
        "ec2:DescribeSubnets",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeImages",
        "ec2:DescribeCapacityReservations",
        "ec2:DescribePlacementGroups",
      ],
      resources: ["*"],
      conditions: { StringEquals: { "aws:RequestedRegion": region } },
    }),
    new PolicyStatement({
      sid: "AllowSSMReadActions",
      actions: ["ssm:GetParameter"],
      resources: [`arn:${partition}:ssm:${region}::parameter/aws/service/*`],
      conditions: { StringEquals: { "aws:RequestedRegion": region } },
    }),
    new PolicyStatement({
      sid: "AllowScopedInstanceProfileCreationActions",
      actions: ["iam:CreateInstanceProfile"],
      resources: profiles,
      conditions: requested,
    }),
    // Only what is ours already: or else any profile of the account could be made ours, and taken away.
    new PolicyStatement({
      sid: "AllowScopedInstanceProfileTagActions",
      actions: ["iam:TagInstanceProfile"],
      resources: profiles,
      conditions: {
        StringEquals: { ...held.StringEquals, ...requested.StringEquals },
        StringLike: { ...held.StringLike, ...requested.StringLike },
      },
    }),
    new PolicyStatement({
      sid: "AllowScopedInstanceProfileActions",
      actions: ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
      resources: profiles,
      conditions: held,
    }),
    new PolicyStatement({
      sid: "AllowInstanceProfileReadActions",
      actions: ["iam:GetInstanceProfile", "iam:ListInstanceProfiles"],
      resources: profiles,
      conditions: { StringEquals: { "aws:PrincipalAccount": account } },
    }),
  ];
}

function profileTags({ clusterName, region }: Ec2Scope, kind: "RequestTag" | "ResourceTag") {
  return {
    StringEquals: {
      [`aws:${kind}/kubernetes.io/cluster/${clusterName}`]: "owned",
      ...(kind === "RequestTag" && { "aws:RequestTag/eks:eks-cluster-name": clusterName }),
      [`aws:${kind}/topology.kubernetes.io/region`]: region,
    },
    StringLike: { [`aws:${kind}/karpenter.k8s.aws/ec2nodeclass`]: "*" },
  };
}

function regional({ partition, region, account }: Ec2Scope, type: string): string {
  return `arn:${partition}:ec2:${region}:${account}:${type}/*`;
}

function requestTags({ clusterName }: Ec2Scope, more: Readonly<Record<string, string>> = {}): Conditions {
  return {
    StringEquals: {
      [`aws:RequestTag/kubernetes.io/cluster/${clusterName}`]: "owned",
      "aws:RequestTag/eks:eks-cluster-name": clusterName,
      ...more,
    },
    StringLike: { "aws:RequestTag/karpenter.sh/nodepool": "*" },
  };
}

function ownedTags({ clusterName }: Ec2Scope): Conditions {
  return {
    StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: "owned" },
    StringLike: { "aws:ResourceTag/karpenter.sh/nodepool": "*" },
  };
}
