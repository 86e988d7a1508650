import type { FunctionEnvironment } from "../shared/runtime/config.ts";
import type { FunctionName } from "./bundling.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { WorkQueue } from "./constructs/work-queue.ts";

/** Those that hints are sent to. */
type QueuesOfHints = Readonly<Record<"provisioning" | "later" | "lifecycle" | "termination", WorkQueue>>;

/** What a function is told by its environment: the configuration, and where the queues are. */
export function environmentOf(name: FunctionName, config: ClusterConfig, queues: QueuesOfHints): FunctionEnvironment {
  const { maxNodes, maxPriceUsdPerHour, maxLaunchesPerTenMinutes } = config.limits;
  const {
    preferencePolicy,
    preferenceMaxCostPercent,
    minValuesPolicy,
    podTopologySpread,
    nominatePods,
    packingSlackPercent,
  } = config.scheduling;
  return {
    ...accountEnvironment(config),
    JOURNEYMAN_FUNCTION: name,
    JOURNEYMAN_CLUSTER_NAME: config.clusterName,
    JOURNEYMAN_ACCOUNT_ID: config.account,
    JOURNEYMAN_KUBERNETES_VERSION: config.kubernetesVersion,
    JOURNEYMAN_NAMESPACE: config.namespace,
    JOURNEYMAN_LOG_LEVEL: config.logLevel,
    JOURNEYMAN_PROVISIONING_QUEUE_URL: queues.provisioning.queue.queueUrl,
    JOURNEYMAN_LATER_QUEUE_URL: queues.later.queue.queueUrl,
    JOURNEYMAN_LIFECYCLE_QUEUE_URL: queues.lifecycle.queue.queueUrl,
    JOURNEYMAN_TERMINATION_QUEUE_URL: queues.termination.queue.queueUrl,
    ...(config.endpoint !== undefined && { JOURNEYMAN_CLUSTER_ENDPOINT: config.endpoint }),
    ...(config.certificateAuthority !== undefined && { JOURNEYMAN_CLUSTER_CA: config.certificateAuthority }),
    ...(config.serviceCidr !== undefined && { JOURNEYMAN_SERVICE_CIDR: config.serviceCidr }),
    ...(maxNodes !== undefined && { JOURNEYMAN_MAX_NODES: String(maxNodes) }),
    ...(maxPriceUsdPerHour !== undefined && { JOURNEYMAN_MAX_PRICE_USD_PER_HOUR: String(maxPriceUsdPerHour) }),
    ...(maxLaunchesPerTenMinutes !== undefined && {
      JOURNEYMAN_MAX_LAUNCHES_PER_TEN_MINUTES: String(maxLaunchesPerTenMinutes),
    }),
    ...(preferencePolicy !== undefined && { JOURNEYMAN_PREFERENCE_POLICY: preferencePolicy }),
    ...(preferenceMaxCostPercent !== undefined && {
      JOURNEYMAN_PREFERENCE_MAX_COST_PERCENT: String(preferenceMaxCostPercent),
    }),
    ...(minValuesPolicy !== undefined && { JOURNEYMAN_MIN_VALUES_POLICY: minValuesPolicy }),
    ...costEnvironment(config.scheduling),
    ...(nominatePods !== undefined && { JOURNEYMAN_NOMINATE_PODS: nominatePods ? "true" : "false" }),
    ...(packingSlackPercent !== undefined && { JOURNEYMAN_PACKING_SLACK_PERCENT: String(packingSlackPercent) }),
    ...(podTopologySpread !== undefined && { JOURNEYMAN_SCHEDULER_CONFIG: JSON.stringify({ podTopologySpread }) }),
    ...(config.servedPodAnnotation !== undefined && { JOURNEYMAN_SERVED_POD_ANNOTATION: config.servedPodAnnotation }),
  };
}

/** What the account gives this cluster. */
function accountEnvironment(config: ClusterConfig): Partial<FunctionEnvironment> {
  const { isolatedVpc, observe, placementScoresPerDay, dryRunNodeClasses } = config;
  return {
    ...(!dryRunNodeClasses && { JOURNEYMAN_DRY_RUN_NODE_CLASSES: "false" }),
    ...(isolatedVpc && { JOURNEYMAN_ISOLATED_VPC: "true" }),
    ...(observe && { JOURNEYMAN_OBSERVE: "true" }),
    ...(placementScoresPerDay !== undefined && { JOURNEYMAN_PLACEMENT_SCORES_PER_DAY: String(placementScoresPerDay) }),
  };
}

/** What decides what a plan keeps low. */
function costEnvironment(scheduling: ClusterConfig["scheduling"]): Partial<FunctionEnvironment> {
  const { spotSpreadShare, spotMinOfferings, nodeChargeUsdPerHour, volumePriceFactor } = scheduling;
  return {
    ...(spotSpreadShare !== undefined && { JOURNEYMAN_SPOT_SPREAD_SHARE: String(spotSpreadShare) }),
    ...(spotMinOfferings !== undefined && { JOURNEYMAN_SPOT_MIN_OFFERINGS: String(spotMinOfferings) }),
    ...(nodeChargeUsdPerHour !== undefined && { JOURNEYMAN_NODE_CHARGE_USD_PER_HOUR: String(nodeChargeUsdPerHour) }),
    ...(volumePriceFactor !== undefined && { JOURNEYMAN_VOLUME_PRICE_FACTOR: String(volumePriceFactor) }),
  };
}
