import { Duration } from "aws-cdk-lib";
import { type Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

export interface WorkQueueProps {
  readonly fifo?: boolean;
  /** At least the timeout of the function that reads the queue. */
  readonly visibilityTimeout: Duration;
  readonly maxReceiveCount: number;
  /** A message older than this is of no use any more. */
  readonly retention: Duration;
}

/** A queue, its dead-letter queue, and the alarm that rings when a message lands there. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly alarm: Alarm;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    // SQS refuses `fifo: false`: a standard queue leaves the property out.
    const fifo = props.fifo === true ? ({ fifo: true } as const) : {};
    this.deadLetterQueue = deadLetterQueue(this, "DeadLetters", fifo);
    this.queue = new Queue(this, "Queue", {
      ...fifo,
      // EventBridge and the Scheduler can only send to a FIFO queue that deduplicates by content.
      ...(props.fifo === true && { contentBasedDeduplication: true }),
      visibilityTimeout: props.visibilityTimeout,
      retentionPeriod: props.retention,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: props.maxReceiveCount },
    });
    this.alarm = deadLetterAlarm(this.deadLetterQueue, id);
  }
}

/** Keeps its messages as long as SQS can, for a person to look at. */
export function deadLetterQueue(scope: Construct, id: string, options: { readonly fifo?: true } = {}): Queue {
  return new Queue(scope, id, {
    ...options,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });
}

export function deadLetterAlarm(queue: Queue, what: string): Alarm {
  return queue
    .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: "Maximum" })
    .createAlarm(queue, "Alarm", {
      alarmDescription: `${what}: messages that could not be handled wait in the dead-letter queue`,
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
}
