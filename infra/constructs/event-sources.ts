import { CfnElement, Duration, Stack, Validations } from "aws-cdk-lib";
import { EventBus, type EventPattern, Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { ContextAttribute, Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke, SqsSendMessage } from "aws-cdk-lib/aws-scheduler-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { provisioningMessageGroup, webhookEventSource } from "../../shared/runtime/config.ts";
import { acknowledgeWildcards } from "./acknowledgements.ts";
import { deadLetterAlarm, deadLetterQueue } from "./work-queue.ts";

export interface EventSourcesProps {
  readonly busName: string;
  readonly account: string;
  readonly queues: {
    readonly provisioning: Queue;
    readonly lifecycle: Queue;
    readonly interruption: Queue;
  };
  /** Invoked when an EC2NodeClass changes. */
  readonly catalog: IFunction;
  /** Invoked each minute. */
  readonly ticks: Readonly<Record<string, IFunction>>;
}

/** An event is worthless once the sweeps have passed over what it was about. */
const eventAge = Duration.minutes(10);
/** A notice gives two minutes. */
const noticeAge = Duration.minutes(2);

/** The cluster's bus, the rules on it and on the account's default bus, and the minute schedules (design §1). */
export class EventSources extends Construct {
  readonly bus: EventBus;
  /** What EventBridge and the Scheduler could not deliver. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: EventSourcesProps) {
    super(scope, id);
    this.undelivered = deadLetterQueue(this, "Undelivered");
    Validations.of(this.undelivered).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is a dead-letter queue itself, of rules and schedules, which the rule does not see",
    });
    deadLetterAlarm(this.undelivered, "EventBridge and Scheduler");
    this.bus = new EventBus(this, "Bus", { eventBusName: props.busName });
    this.addWebhookRules(props);
    this.addNoticeRules(props);
    this.addSchedules(props);
  }

  private addWebhookRules({ queues, catalog }: EventSourcesProps): void {
    const fromWebhook = (kinds: string[]): EventPattern => ({
      source: [webhookEventSource],
      detailType: kinds,
      detail: { kind: kinds },
    });
    this.addRule("PodsPending", queues.provisioning, fromWebhook(["provision"]), eventAge, this.bus);
    const ofNodes = ["node", "node-claim", "node-pool", "lifecycle-sweep"];
    this.addRule("NodesChanged", queues.lifecycle, fromWebhook(ofNodes), eventAge, this.bus);
    // The minute's tick comes all the same: nothing is gained by trying for long.
    const invoked = new LambdaFunction(catalog, {
      deadLetterQueue: this.undelivered,
      maxEventAge: Duration.minutes(1),
      retryAttempts: 2,
    });
    new Rule(this, "NodeClassesChanged", {
      eventPattern: fromWebhook(["node-class"]),
      targets: [invoked],
      eventBus: this.bus,
    });
  }

  /** Events of the default bus name instances of the whole account: the functions sort out the foreign ones. */
  private addNoticeRules({ queues, account }: EventSourcesProps): void {
    const ec2 = (detailType: string, detail?: Record<string, string[]>): EventPattern => ({
      account: [account],
      source: ["aws.ec2"],
      detailType: [detailType],
      ...(detail !== undefined && { detail }),
    });
    const notices: Readonly<Record<string, EventPattern>> = {
      SpotInterruption: ec2("EC2 Spot Instance Interruption Warning"),
      Rebalance: ec2("EC2 Instance Rebalance Recommendation"),
      CapacityReservation: ec2("EC2 Capacity Reservation Instance Interruption Warning"),
      ScheduledChange: {
        account: [account],
        source: ["aws.health"],
        detailType: ["AWS Health Event"],
        detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
      },
    };
    for (const [name, pattern] of Object.entries(notices)) this.addRule(name, queues.interruption, pattern, noticeAge);
    // An ending instance is a notice, the last one, and a change in the life of its NodeClaim.
    const stateChange = ec2("EC2 Instance State-change Notification", {
      state: ["stopping", "stopped", "shutting-down", "terminated"],
    });
    this.addRule("InstanceEnding", queues.interruption, stateChange, noticeAge);
    this.addRule("InstanceStateChange", queues.lifecycle, stateChange, eventAge);
  }

  private addRule(id: string, queue: Queue, eventPattern: EventPattern, maxEventAge: Duration, bus?: EventBus): void {
    const target = new SqsQueue(queue, {
      deadLetterQueue: this.undelivered,
      maxEventAge,
      ...(queue.fifo && { messageGroupId: provisioningMessageGroup }),
    });
    new Rule(this, id, { eventPattern, targets: [target], ...(bus !== undefined && { eventBus: bus }) });
  }

  private addSchedules({ queues, ticks }: EventSourcesProps): void {
    const role = new Role(this, "SchedulerRole", { assumedBy: new ServicePrincipal("scheduler.amazonaws.com") });
    const delivery = { role, deadLetterQueue: this.undelivered, maxEventAge: Duration.minutes(1), retryAttempts: 2 };
    // Without the time the messages would be equal, and the FIFO queue would drop four of five.
    const hint = (fields: Record<string, string>) =>
      ScheduleTargetInput.fromObject({ ...fields, scheduledTime: ContextAttribute.scheduledTime });
    const sweep = new SqsSendMessage(queues.provisioning, {
      ...delivery,
      messageGroupId: provisioningMessageGroup,
      input: hint({ kind: "provision", reason: "sweep" }),
    });
    const lifecycleSweep = new SqsSendMessage(queues.lifecycle, {
      ...delivery,
      input: hint({ kind: "lifecycle-sweep" }),
    });
    const schedule = ScheduleExpression.rate(Duration.minutes(1));
    new Schedule(this, "Sweep", { schedule, target: sweep, description: "Looks for pending pods, webhook or not" });
    new Schedule(this, "LifecycleSweep", { schedule, target: lifecycleSweep, description: "Looks at all NodeClaims" });
    for (const [name, handler] of Object.entries(ticks)) {
      acknowledgeInvocation(role, handler);
      new Schedule(this, `${name}-tick`, {
        schedule,
        target: new LambdaInvoke(handler, delivery),
        description: `Runs ${name}`,
      });
    }
  }
}

function acknowledgeInvocation(role: Role, handler: IFunction): void {
  const resource = handler.node.defaultChild;
  if (!CfnElement.isCfnElement(resource)) return;
  const wildcard = `Resource::<${Stack.of(handler).getLogicalId(resource)}.Arn>:*`;
  acknowledgeWildcards(role, [wildcard], "CDK grants the versions of the function together with the function");
}
