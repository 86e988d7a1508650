import * as z from "zod";
import {
  minValuesPolicy,
  packingSlackPercent,
  podTopologySpread,
  preferencePolicy,
  servedPodAnnotation,
  spotSpreadShare,
} from "../shared/runtime/config.ts";

const retentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

/** What an installer states about the cluster: the `journeyman` entry of the CDK context. */
const clusterConfig = z.strictObject({
  clusterName: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/, "expected the name of an EKS cluster"),
  account: z.string().regex(/^\d{12}$/, "expected an AWS account of 12 digits"),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "expected a region such as eu-west-1"),
  kubernetesVersion: z.string().regex(/^1\.\d+$/, 'expected a version such as "1.34"'),
  /** Namespace of the webhook, of the Leases and of the ConfigMaps. */
  namespace: z.string().default("journeyman"),
  /** Any image with Node 24; give a digest to pin it. */
  webhookImage: z.string().default("node:24-slim"),
  webhookServiceAccount: z.string().default("journeyman-webhook"),
  /** The webhook's pods use their node's network: for clusters whose pods the control plane cannot reach, as with an overlay network. */
  webhookHostNetwork: z.boolean().default(false),
  /** What the webhook listens on, and the nodes' security groups must let the control plane in at; of the node itself with `webhookHostNetwork`. */
  webhookPort: z.number().int().min(1024).max(65_535).default(9443),
  /** Saves a call on each cold start when all three are given. */
  endpoint: z.url({ protocol: /^https$/, error: "expected the https URL of the API server" }).exactOptional(),
  certificateAuthority: z.base64().exactOptional(),
  serviceCidr: z.union([z.cidrv4(), z.cidrv6()]).exactOptional(),
  /** For a cluster whose API server has no public endpoint. */
  vpc: z
    .strictObject({
      vpcId: z.string().startsWith("vpc-"),
      subnets: z.array(z.strictObject({ subnetId: z.string().startsWith("subnet-"), zone: z.string() })).min(1),
      securityGroupIds: z.array(z.string().startsWith("sg-")).min(1),
    })
    .exactOptional(),
  /** The VPC has endpoints for the services that the functions call, and no way to others: no IAM, no price list. */
  isolatedVpc: z.boolean().default(false),
  /** New configurations of spot placement scores in a day: this cluster's share of the account's ten or so; 3 by default, 0 for none. */
  placementScoresPerDay: z.number().int().min(0).exactOptional(),
  /**
   * Whether a launch that is only tried tells if an EC2NodeClass can be launched; Karpenter's `DISABLE_DRY_RUN` is the opposite. Without it the
   * catalog function needs no permission to launch.
   */
  dryRunNodeClasses: z.boolean().default(true),
  /**
   * Observe mode: the functions plan and log what they would do, and change nothing but their own Leases and ConfigMaps. May run beside
   * a Karpenter; without it they do nothing while one runs.
   */
  observe: z.boolean().default(false),
  /** Names, with their paths, of roles that EC2NodeClasses give their nodes, beside the one that the stack makes: `spec.role`, or an own profile's. */
  nodeRoles: z
    .array(z.string().regex(/^([\w+=,.@-]+\/)*[\w+=,.@-]{1,64}$/, "expected the name of an IAM role, not its ARN"))
    .default([]),
  alarmTopicArn: z.string().startsWith("arn:").exactOptional(),
  logRetentionDays: z.literal(retentionDays).default(30),
  logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).default("INFO"),
  /** Beyond these launching stops, visibly (design rule 9). */
  limits: z
    .strictObject({
      maxNodes: z.number().int().min(0).exactOptional(),
      maxPriceUsdPerHour: z.number().min(0).exactOptional(),
      maxLaunchesPerTenMinutes: z.number().int().min(0).exactOptional(),
    })
    .default({}),
  /** How pods are scheduled; the names and defaults are Karpenter's, but for the cost bound. */
  scheduling: z
    .strictObject({
      preferencePolicy: preferencePolicy.exactOptional(),
      /** Preferences are kept as far as they raise a plan's price by no more than this. */
      preferenceMaxCostPercent: z.number().min(0).exactOptional(),
      minValuesPolicy: minValuesPolicy.exactOptional(),
      /** At most this share of a plan's spot nodes in one (type, zone), while an alternative within 15 % exists; 0.4 by default. */
      spotSpreadShare: spotSpreadShare.exactOptional(),
      /** Spot offerings that are to hold each spot node's pods, where they exist; 5 by default. */
      spotMinOfferings: z.number().int().min(0).exactOptional(),
      /** What a node costs beside its instance and its volumes; 0 by default. */
      nodeChargeUsdPerHour: z.number().min(0).exactOptional(),
      /** What EBS volumes cost in the region, in terms of us-east-1; 1 by default. */
      volumePriceFactor: z.number().min(0).exactOptional(),
      /** Whether kube-scheduler is told which planned node each pod is to go to (`status.nominatedNodeName`); true by default. */
      nominatePods: z.boolean().exactOptional(),
      /** Without nominations, the share of each new node's room that plans leave free. */
      packingSlackPercent: packingSlackPercent.exactOptional(),
      /** `defaultConstraints` for pods that state no topology spread of their own. */
      podTopologySpread: podTopologySpread.exactOptional(),
    })
    .default({}),
  /** Serve only pods with this annotation: `key`, or `key=value`. Without it, all pods. */
  servedPodAnnotation: servedPodAnnotation.exactOptional(),
});
export type ClusterConfig = Readonly<z.output<typeof clusterConfig>>;

/** @throws Error naming every problem of the configuration at once, each with its path. */
export function parseClusterConfig(value: unknown): ClusterConfig {
  const result = clusterConfig.safeParse(value ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  journeyman.${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The CDK context has ${problems.length} problem(s):\n${problems.join("\n")}`);
}
