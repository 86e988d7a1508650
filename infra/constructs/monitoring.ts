import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { metric, metricNamespace } from "../../shared/metrics.ts";
import type { NodeFunction } from "./node-function.ts";

export interface MonitoringProps {
  readonly clusterName: string;
  readonly functions: Readonly<Record<string, NodeFunction>>;
  /** Parts of the catalog that the catalog function can read. */
  readonly catalogParts: readonly string[];
  readonly alarmTopicArn?: string;
}

/** Alarms on what the functions report, and the topic that every alarm of the stack rings. Dead-letter alarms live at their queues. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, { clusterName, functions, catalogParts, alarmTopicArn }: MonitoringProps) {
    super(scope, id);
    for (const [name, { function: handler }] of Object.entries(functions)) {
      this.addAlarm(`${name}-errors`, `${name} crashed or timed out`, handler.metricErrors({ period: fiveMinutes }));
      const failures = this.counted(metric.passFailures, { service: name, cluster: clusterName });
      this.addAlarm(`${name}-failures`, `passes of ${name} failed`, failures);
    }
    this.addLaunchAlarms(clusterName);
    for (const part of catalogParts) this.addCatalogAlarm(clusterName, part);
    const paused = this.counted(metric.webhookPaused, { service: "garbage-collection", cluster: clusterName });
    this.addAlarm("webhook-paused", "the webhook does not answer: pending pods wait for the minute's sweep", paused);
    const stopped = this.counted(metric.karpenterRuns, { service: "provisioning", cluster: clusterName });
    this.addAlarm("karpenter-runs", "a Karpenter runs in the cluster: nothing is planned beside it", stopped);
    const provisioning = functions.provisioning?.function;
    if (provisioning !== undefined) this.addSilenceAlarm(provisioning.metricInvocations({ period: fiveMinutes }));
    if (alarmTopicArn !== undefined) this.ring(scope, alarmTopicArn);
  }

  /** Launching stopped, for all or for one NodePool: pods wait until a person does something. */
  private addLaunchAlarms(cluster: string): void {
    for (const limit of ["maxNodes", "maxPriceUsdPerHour", "maxLaunchesPerTenMinutes"]) {
      const reached = this.counted(metric.limitReached, { service: "provisioning", cluster, limit });
      this.addAlarm(`limit-${limit}`, `nodes are held back by the cluster's limit ${limit}`, reached);
    }
    for (const service of ["provisioning", "lifecycle", "garbage-collection"]) {
      const opened = this.counted(metric.breakersOpened, { service, cluster });
      this.addAlarm(`breaker-${service}`, "launches of a NodePool fail: see its condition LaunchHealthy", opened);
    }
  }

  private counted(name: string, dimensionsMap: Record<string, string>): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName: name,
      dimensionsMap,
      statistic: "Sum",
      period: fiveMinutes,
    });
  }

  private addAlarm(id: string, alarmDescription: string, watched: IMetric): void {
    new Alarm(this, id, {
      metric: watched,
      alarmDescription,
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** The sweep comes every minute: no invocation at all means that nobody would notice a pending pod. */
  private addSilenceAlarm(invocations: IMetric): void {
    new Alarm(this, "provisioning-silence", {
      metric: invocations,
      alarmDescription: "provisioning was not invoked for ten minutes, although the sweep should do so each minute",
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 2,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /** The function tells each part's age each minute: what nobody tells was never read, or the function does not run. */
  private addCatalogAlarm(cluster: string, part: string): void {
    const hours = part === "spotPrices" ? oldSpotPricesHours : oldCatalogHours;
    new Alarm(this, `catalog-age-${part}`, {
      metric: new Metric({
        namespace: metricNamespace,
        metricName: metric.catalogAgeSeconds,
        dimensionsMap: { service: "catalog", cluster, part },
        statistic: "Maximum",
        period: fiveMinutes,
      }),
      alarmDescription: `${part} of the catalog were last read more than ${hours} h ago, or never`,
      threshold: hours * 3_600,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  private ring(scope: Construct, topicArn: string): void {
    const action = new SnsAction(Topic.fromTopicArn(this, "Topic", topicArn));
    for (const child of scope.node.findAll()) if (child instanceof Alarm) child.addAlarmAction(action);
  }
}

/** Twice as long as a part may become old when all is well. */
const oldCatalogHours = 24;
/** They are read each ten minutes, and EC2 changes them some times a day. */
const oldSpotPricesHours = 1;
const fiveMinutes = Duration.minutes(5);
