import * as z from "zod";
import { duration } from "../api/node-pool.ts";
import { schedulerConfig } from "../api/scheduler-config.ts";
import type { ClusterEndpoint } from "../ports.ts";
import {
  defaultSettings,
  isSlackPercent,
  minValuesPolicies,
  mostSlackPercent,
  preferencePolicies,
  type Settings,
  servedPodAnnotationPattern,
} from "../state/settings.ts";

/** The group that Kubernetes sees our Lambda roles in: RBAC binds to it, and the webhook leaves its requests out. */
export const controllersGroup = "journeyman:controllers";

/** The source of the events that the webhook puts on the cluster's bus. */
export const webhookEventSource = "journeyman.webhook";

/** All messages of the provisioning queue are one group, so that passes run one at a time (design §4.1). */
export const provisioningMessageGroup = "planner";

const text = z.string().min(1);
const wholeNumber = z.string().regex(/^\d+$/, "expected a whole number").transform(Number);
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/, "expected a number such as 0.075")
  .transform(Number);
const flag = z.enum(["true", "false"]).transform((value) => value === "true");
const httpsUrl = z.url({ protocol: /^https$/, error: "expected an https URL" });

/** See `Settings`. */
export const preferencePolicy = z.enum(preferencePolicies);
export const { podTopologySpread } = schedulerConfig.shape;
export const minValuesPolicy = z.enum(minValuesPolicies);
export const servedPodAnnotation = z
  .string()
  .regex(servedPodAnnotationPattern, "expected an annotation such as example.com/served or example.com/served=yes");

export const spotSpreadShare = z.number().positive("expected a share above 0").max(1, "expected a share up to 1");

const slackPercentExpected = `expected a percentage from 0 to ${mostSlackPercent}`;
export const packingSlackPercent = z.number().refine(isSlackPercent, slackPercentExpected);

const json = z.string().transform((source, context): unknown => {
  try {
    return JSON.parse(source);
  } catch {
    context.addIssue({ code: "custom", message: "expected JSON" });
    return z.NEVER;
  }
});

const logLevel = z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).default("INFO");

/** The environment of the Lambda functions: what the stack sets and {@link readFunctionConfig} reads. */
const functionEnvironment = z.object({
  AWS_REGION: text,
  /** Names the function in logs and metrics. */
  JOURNEYMAN_FUNCTION: text,
  JOURNEYMAN_CLUSTER_NAME: text,
  /** Events of other accounts are dropped. */
  JOURNEYMAN_ACCOUNT_ID: z.string().regex(/^\d{12}$/, "expected the 12 digits of an account"),
  /** All three or none; without them EKS is asked at the first call. */
  JOURNEYMAN_CLUSTER_ENDPOINT: httpsUrl.exactOptional(),
  /** Base64 of the PEM, as `eks:DescribeCluster` gives it. */
  JOURNEYMAN_CLUSTER_CA: z.base64().exactOptional(),
  JOURNEYMAN_SERVICE_CIDR: text.exactOptional(),
  JOURNEYMAN_KUBERNETES_VERSION: z.string().regex(/^1\.\d+$/, "expected a version such as 1.34"),
  JOURNEYMAN_NAMESPACE: text.default(defaultSettings.namespace),
  JOURNEYMAN_PROVISIONING_QUEUE_URL: text,
  JOURNEYMAN_LATER_QUEUE_URL: text,
  JOURNEYMAN_LIFECYCLE_QUEUE_URL: text,
  JOURNEYMAN_TERMINATION_QUEUE_URL: text,
  JOURNEYMAN_LOG_LEVEL: logLevel,
  JOURNEYMAN_MAX_NODES: wholeNumber.exactOptional(),
  JOURNEYMAN_MAX_PRICE_USD_PER_HOUR: decimal.exactOptional(),
  JOURNEYMAN_MAX_LAUNCHES_PER_TEN_MINUTES: wholeNumber.exactOptional(),
  JOURNEYMAN_BATCH_IDLE_MILLISECONDS: wholeNumber.exactOptional(),
  JOURNEYMAN_BATCH_MAX_MILLISECONDS: wholeNumber.exactOptional(),
  JOURNEYMAN_VM_MEMORY_OVERHEAD_PERCENT: decimal.exactOptional(),
  JOURNEYMAN_RESERVED_ENIS: wholeNumber.exactOptional(),
  JOURNEYMAN_TERMINATION_GRACE_PERIOD: duration.exactOptional(),
  /** Karpenter's scheduler configuration, as JSON. */
  JOURNEYMAN_SCHEDULER_CONFIG: json.pipe(schedulerConfig).exactOptional(),
  JOURNEYMAN_SERVED_POD_ANNOTATION: servedPodAnnotation.exactOptional(),
  JOURNEYMAN_PREFERENCE_POLICY: preferencePolicy.exactOptional(),
  JOURNEYMAN_PREFERENCE_MAX_COST_PERCENT: decimal.exactOptional(),
  JOURNEYMAN_MIN_VALUES_POLICY: minValuesPolicy.exactOptional(),
  JOURNEYMAN_SPOT_SPREAD_SHARE: decimal.pipe(spotSpreadShare).exactOptional(),
  JOURNEYMAN_SPOT_MIN_OFFERINGS: wholeNumber.exactOptional(),
  JOURNEYMAN_NODE_CHARGE_USD_PER_HOUR: decimal.exactOptional(),
  JOURNEYMAN_VOLUME_PRICE_FACTOR: decimal.exactOptional(),
  JOURNEYMAN_NOMINATE_PODS: flag.exactOptional(),
  JOURNEYMAN_PLACEMENT_SCORES_PER_DAY: wholeNumber.exactOptional(),
  JOURNEYMAN_ISOLATED_VPC: flag.exactOptional(),
  JOURNEYMAN_DRY_RUN_NODE_CLASSES: flag.exactOptional(),
  JOURNEYMAN_OBSERVE: flag.exactOptional(),
  JOURNEYMAN_PACKING_SLACK_PERCENT: decimal.refine(isSlackPercent, slackPercentExpected).exactOptional(),
});

/** What the stack sets on a function. The region is Lambda's own variable. */
export type FunctionEnvironment = Environment<Omit<z.input<typeof functionEnvironment>, "AWS_REGION">>;

/** Values that are set, of names that may be left out. */
type Environment<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

export interface FunctionConfig {
  readonly functionName: string;
  readonly settings: Settings;
  readonly cluster?: ClusterEndpoint;
  readonly queueUrls: QueueUrls;
  readonly logLevel: z.infer<typeof logLevel>;
}

export interface QueueUrls {
  readonly provisioning: string;
  readonly later: string;
  readonly lifecycle: string;
  readonly termination: string;
}

/** @throws Error naming every variable that is missing or wrong, never its value. */
export function readFunctionConfig(source: NodeJS.ProcessEnv = process.env): FunctionConfig {
  const env = parseEnvironment(functionEnvironment, source);
  const cluster = clusterOf(env);
  return {
    functionName: env.JOURNEYMAN_FUNCTION,
    settings: settingsOf(env),
    ...(cluster !== undefined && { cluster }),
    queueUrls: {
      provisioning: env.JOURNEYMAN_PROVISIONING_QUEUE_URL,
      later: env.JOURNEYMAN_LATER_QUEUE_URL,
      lifecycle: env.JOURNEYMAN_LIFECYCLE_QUEUE_URL,
      termination: env.JOURNEYMAN_TERMINATION_QUEUE_URL,
    },
    logLevel: env.JOURNEYMAN_LOG_LEVEL,
  };
}

function clusterOf(env: z.output<typeof functionEnvironment>): ClusterEndpoint | undefined {
  const { JOURNEYMAN_CLUSTER_ENDPOINT: endpoint, JOURNEYMAN_CLUSTER_CA: certificateAuthority } = env;
  const serviceCidr = env.JOURNEYMAN_SERVICE_CIDR;
  if (endpoint === undefined || certificateAuthority === undefined || serviceCidr === undefined) return undefined;
  return { name: env.JOURNEYMAN_CLUSTER_NAME, endpoint, certificateAuthority, serviceCidr };
}

function settingsOf(env: z.output<typeof functionEnvironment>): Settings {
  return {
    ...defaultSettings,
    clusterName: env.JOURNEYMAN_CLUSTER_NAME,
    accountId: env.JOURNEYMAN_ACCOUNT_ID,
    region: env.AWS_REGION,
    namespace: env.JOURNEYMAN_NAMESPACE,
    kubernetesVersion: env.JOURNEYMAN_KUBERNETES_VERSION,
    ...definedOnly({
      maxNodes: env.JOURNEYMAN_MAX_NODES,
      maxPriceUsdPerHour: env.JOURNEYMAN_MAX_PRICE_USD_PER_HOUR,
      maxLaunchesPerTenMinutes: env.JOURNEYMAN_MAX_LAUNCHES_PER_TEN_MINUTES,
      batchIdleMilliseconds: env.JOURNEYMAN_BATCH_IDLE_MILLISECONDS,
      batchMaxMilliseconds: env.JOURNEYMAN_BATCH_MAX_MILLISECONDS,
      vmMemoryOverheadPercent: env.JOURNEYMAN_VM_MEMORY_OVERHEAD_PERCENT,
      reservedEnis: env.JOURNEYMAN_RESERVED_ENIS,
      terminationGracePeriod: env.JOURNEYMAN_TERMINATION_GRACE_PERIOD,
      defaultTopologySpread: env.JOURNEYMAN_SCHEDULER_CONFIG?.podTopologySpread.defaultConstraints,
      servedPodAnnotation: env.JOURNEYMAN_SERVED_POD_ANNOTATION,
      preferencePolicy: env.JOURNEYMAN_PREFERENCE_POLICY,
      preferenceMaxCostPercent: env.JOURNEYMAN_PREFERENCE_MAX_COST_PERCENT,
      minValuesPolicy: env.JOURNEYMAN_MIN_VALUES_POLICY,
      spotSpreadShare: env.JOURNEYMAN_SPOT_SPREAD_SHARE,
      spotMinOfferings: env.JOURNEYMAN_SPOT_MIN_OFFERINGS,
      nodeChargeUsdPerHour: env.JOURNEYMAN_NODE_CHARGE_USD_PER_HOUR,
      volumePriceFactor: env.JOURNEYMAN_VOLUME_PRICE_FACTOR,
      nominatePods: env.JOURNEYMAN_NOMINATE_PODS,
      packingSlackPercent: env.JOURNEYMAN_PACKING_SLACK_PERCENT,
      placementScoresPerDay: env.JOURNEYMAN_PLACEMENT_SCORES_PER_DAY,
      isolatedVpc: env.JOURNEYMAN_ISOLATED_VPC,
      observe: env.JOURNEYMAN_OBSERVE,
      dryRunNodeClasses: env.JOURNEYMAN_DRY_RUN_NODE_CLASSES,
    }),
  };
}

const dnsNames = z.string().transform((source) => source.split(",").filter((name) => name !== ""));

const webhookEnvironment = z.object({
  AWS_REGION: text,
  JOURNEYMAN_EVENT_BUS: text,
  JOURNEYMAN_NAMESPACE: text.default(defaultSettings.namespace),
  /** The Service in front of the webhook; its Secret has the same name. */
  JOURNEYMAN_WEBHOOK_SERVICE: text.default("journeyman-webhook"),
  JOURNEYMAN_PORT: wholeNumber.default(9443),
  /** How long a replica that is told to end still answers. */
  JOURNEYMAN_DRAIN_MILLISECONDS: wholeNumber.default(5_000),
  /** Further names to be called by, with commas between: where the API server is given a URL instead of the Service. */
  JOURNEYMAN_WEBHOOK_NAMES: dnsNames.default([]),
  /** Holds `token` and `ca.crt`. */
  JOURNEYMAN_SERVICE_ACCOUNT_DIRECTORY: text.default("/var/run/secrets/kubernetes.io/serviceaccount"),
  KUBERNETES_SERVICE_HOST: text,
  KUBERNETES_SERVICE_PORT: wholeNumber.default(443),
});

/** What the webhook's Deployment sets; the kubelet, the Pod Identity agent and the SDK agree on the rest by themselves. */
export type WebhookEnvironment = Environment<
  Omit<z.input<typeof webhookEnvironment>, "KUBERNETES_SERVICE_HOST" | "KUBERNETES_SERVICE_PORT">
>;

export interface WebhookConfig {
  readonly region: string;
  readonly eventBusName: string;
  readonly namespace: string;
  readonly serviceName: string;
  /** What the API server calls the webhook: the names that its certificate must have. */
  readonly dnsNames: readonly string[];
  readonly port: number;
  readonly drainMilliseconds: number;
  readonly apiServerUrl: string;
  readonly serviceAccountDirectory: string;
}

/** @throws Error naming every variable that is missing or wrong, never its value. */
export function readWebhookConfig(source: NodeJS.ProcessEnv = process.env): WebhookConfig {
  const env = parseEnvironment(webhookEnvironment, source);
  const { JOURNEYMAN_NAMESPACE: namespace, JOURNEYMAN_WEBHOOK_SERVICE: serviceName } = env;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  return {
    region: env.AWS_REGION,
    eventBusName: env.JOURNEYMAN_EVENT_BUS,
    namespace,
    serviceName,
    dnsNames: [`${serviceName}.${namespace}.svc`, ...env.JOURNEYMAN_WEBHOOK_NAMES],
    port: env.JOURNEYMAN_PORT,
    drainMilliseconds: env.JOURNEYMAN_DRAIN_MILLISECONDS,
    apiServerUrl: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    serviceAccountDirectory: env.JOURNEYMAN_SERVICE_ACCOUNT_DIRECTORY,
  };
}

function parseEnvironment<T>(schema: z.ZodType<T>, source: NodeJS.ProcessEnv): T {
  const set = Object.entries(source).filter(([, value]) => value !== undefined && value !== "");
  const result = schema.safeParse(Object.fromEntries(set));
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment has ${problems.length} problem(s):\n${problems.join("\n")}`);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedOnly<T extends object>(values: T): Defined<T>;
function definedOnly(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
