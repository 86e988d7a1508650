import type { InstanceState } from "../ports.ts";
import type { EventContent } from "./event-bus.ts";

/** Where an instance is, for its ARN. */
export interface InstanceOrigin {
  readonly account: string;
  readonly region: string;
}

/** The events that EC2 and AWS Health put on the default bus, in the words of the AWS documentation (serverless-aws §3). */
export function stateChange(instanceId: string, state: InstanceState, origin: InstanceOrigin): EventContent {
  return ec2Event("EC2 Instance State-change Notification", instanceId, origin, { state });
}

/** Two minutes before the reclaim. */
export function spotInterruptionWarning(instanceId: string, origin: InstanceOrigin): EventContent {
  return ec2Event("EC2 Spot Instance Interruption Warning", instanceId, origin, { "instance-action": "terminate" });
}

export function rebalanceRecommendation(instanceId: string, origin: InstanceOrigin): EventContent {
  return ec2Event("EC2 Instance Rebalance Recommendation", instanceId, origin, {});
}

/** Retirement of the instance's host. Health names the instance by its ARN; older accounts see the bare id. */
export function retirementScheduled(
  instanceId: string,
  origin: InstanceOrigin,
  times: { readonly now: number; readonly startAt: number },
  form: "arn" | "id",
): EventContent {
  const entity = form === "arn" ? instanceArn(instanceId, origin) : instanceId;
  const code = "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED";
  return {
    "detail-type": "AWS Health Event",
    source: "aws.health",
    resources: form === "arn" ? [] : [instanceId],
    detail: {
      eventArn: `arn:aws:health:${origin.region}::event/EC2/${code}/${code}_${instanceId}`,
      service: "EC2",
      eventTypeCode: code,
      eventTypeCategory: "scheduledChange",
      eventScopeCode: "ACCOUNT_SPECIFIC",
      communicationId: `${instanceId}-1`,
      startTime: new Date(times.startAt).toUTCString(),
      lastUpdatedTime: new Date(times.now).toUTCString(),
      statusCode: "open",
      eventRegion: origin.region,
      eventDescription: [{ language: "en_US", latestDescription: "The instance's host is to be retired." }],
      affectedEntities: [
        { entityValue: entity, lastUpdatedTime: new Date(times.now).toUTCString(), status: "PENDING" },
      ],
      affectedAccount: origin.account,
      page: "1",
      totalPages: "1",
      backupEvent: "false",
      personas: ["OPERATIONS"],
      actionability: "ACTION_REQUIRED",
    },
  };
}

function ec2Event(
  detailType: string,
  instanceId: string,
  origin: InstanceOrigin,
  detail: Readonly<Record<string, string>>,
): EventContent {
  return {
    "detail-type": detailType,
    source: "aws.ec2",
    resources: [instanceArn(instanceId, origin)],
    detail: { "instance-id": instanceId, ...detail },
  };
}

function instanceArn(instanceId: string, origin: InstanceOrigin): string {
  return `arn:aws:ec2:${origin.region}:${origin.account}:instance/${instanceId}`;
}
