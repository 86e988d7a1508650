import { provisioningMessageGroup, webhookEventSource } from "../runtime/config.ts";
import { EventBus } from "./event-bus.ts";
import type { EventLoop } from "./event-loop.ts";
import type { EventPattern } from "./event-pattern.ts";
import type { HintQueues } from "./hint-port.ts";
import { Queue } from "./queue.ts";
import type { Random } from "./random.ts";

export const account = "123456789012";

export interface SimulatedQueues extends HintQueues {
  readonly interruption: Queue;
}

export interface SimulatedMessaging {
  readonly queues: SimulatedQueues;
  readonly deadLetters: readonly Queue[];
  /** Where EC2 speaks. */
  readonly defaultBus: EventBus;
  /** The cluster's own, where the webhook speaks. */
  readonly clusterBus: EventBus;
}

/** Visibility in seconds and how often a message is tried, as the stack sets them; a test holds the two against each other. */
export const queueSettings = {
  provisioning: { visibilityTimeoutSeconds: 70, maxReceiveCount: 3, fifo: true },
  lifecycle: { visibilityTimeoutSeconds: 40, maxReceiveCount: 5, fifo: false },
  termination: { visibilityTimeoutSeconds: 40, maxReceiveCount: 5, fifo: false },
  interruption: { visibilityTimeoutSeconds: 25, maxReceiveCount: 5, fifo: false },
  later: { visibilityTimeoutSeconds: 20, maxReceiveCount: 5, fifo: false },
} as const;

const endingStates = ["stopping", "stopped", "shutting-down", "terminated"];
const ec2Event = (detailType: string, detail?: EventPattern): EventPattern => ({
  account: [account],
  source: ["aws.ec2"],
  "detail-type": [detailType],
  ...(detail === undefined ? {} : { detail }),
});
const fromWebhook = (kinds: readonly string[]): EventPattern => ({
  source: [webhookEventSource],
  "detail-type": kinds,
  detail: { kind: kinds },
});

/** Rules by bus and target, as the stack makes them; a test holds the two against each other. */
export const eventRules: readonly {
  readonly bus: "default" | "cluster";
  readonly queue: keyof SimulatedQueues;
  readonly pattern: EventPattern;
}[] = [
  { bus: "cluster", queue: "provisioning", pattern: fromWebhook(["provision"]) },
  { bus: "cluster", queue: "lifecycle", pattern: fromWebhook(["node", "node-claim", "node-pool", "lifecycle-sweep"]) },
  { bus: "default", queue: "interruption", pattern: ec2Event("EC2 Spot Instance Interruption Warning") },
  { bus: "default", queue: "interruption", pattern: ec2Event("EC2 Instance Rebalance Recommendation") },
  {
    bus: "default",
    queue: "interruption",
    pattern: ec2Event("EC2 Capacity Reservation Instance Interruption Warning"),
  },
  {
    bus: "default",
    queue: "interruption",
    pattern: {
      account: [account],
      source: ["aws.health"],
      "detail-type": ["AWS Health Event"],
      detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
    },
  },
  {
    bus: "default",
    queue: "interruption",
    pattern: ec2Event("EC2 Instance State-change Notification", { state: endingStates }),
  },
  {
    bus: "default",
    queue: "lifecycle",
    pattern: ec2Event("EC2 Instance State-change Notification", { state: endingStates }),
  },
];

/** The rule on the cluster's bus that invokes the catalog function; the same test holds. */
export const catalogRule: EventPattern = fromWebhook(["node-class"]);

/** The buses, rules and queues of one cluster's stack. */
export function simulatedMessaging(loop: EventLoop, random: Random, region: string): SimulatedMessaging {
  const deadLetters: Queue[] = [];
  const make = (name: keyof typeof queueSettings): Queue => {
    const { visibilityTimeoutSeconds, maxReceiveCount, fifo } = queueSettings[name];
    const deadLetterQueue = new Queue({ name: `${name}-dead-letters`, fifo }, loop, random);
    deadLetters.push(deadLetterQueue);
    const redrive = { deadLetterQueue, maxReceiveCount };
    return new Queue({ name, fifo, contentBasedDeduplication: fifo, visibilityTimeoutSeconds, redrive }, loop, random);
  };
  const queues = {
    provisioning: make("provisioning"),
    lifecycle: make("lifecycle"),
    termination: make("termination"),
    interruption: make("interruption"),
    later: make("later"),
  };
  const origin = { account, region };
  const buses = {
    default: new EventBus("default", loop, random, origin),
    cluster: new EventBus("journeyman", loop, random, origin),
  };
  for (const [index, { bus, queue, pattern }] of eventRules.entries()) {
    const target = queues[queue];
    const group = target.fifo ? { messageGroupId: provisioningMessageGroup } : {};
    buses[bus].putRule({ name: `${queue}-${index}`, pattern, target, ...group });
  }
  return { queues, deadLetters, defaultBus: buses.default, clusterBus: buses.cluster };
}
