import * as z from "zod";
import { isTime, parseTime } from "../api/time.ts";

export type NoticeReason = "spot-interruption" | "capacity-reservation" | "instance-stopping" | "health" | "rebalance";

/** An event that concerns instances, whoever's they are. */
export interface Notice {
  readonly reason: NoticeReason;
  readonly instanceIds: readonly string[];
  /** When the event says it happened. */
  readonly at: number;
  /** When the machine ends, where that is known. */
  readonly deadlineAt?: number;
}

export type ParsedNotice =
  | { readonly kind: "notice"; readonly notice: Notice }
  /** Not for us, or not worth acting on; `reason` is a word for the metric. */
  | { readonly kind: "dropped"; readonly reason: string };

export interface EventOrigin {
  readonly region: string;
  readonly accountId?: string;
}

/** EC2 gives two minutes for spot and for reserved capacity (serverless-aws §3). */
const noticeMilliseconds = 120_000;

const envelope = {
  account: z.string(),
  region: z.string(),
  time: z.string().refine(isTime, "expected a time").transform(parseTime),
};
const instance = z.object({ "instance-id": z.string() });

const spot = z.object({
  ...envelope,
  source: z.literal("aws.ec2"),
  "detail-type": z.literal("EC2 Spot Instance Interruption Warning"),
  detail: instance,
});
const rebalance = z.object({
  ...envelope,
  source: z.literal("aws.ec2"),
  "detail-type": z.literal("EC2 Instance Rebalance Recommendation"),
  detail: instance,
});
const stateChange = z.object({
  ...envelope,
  source: z.literal("aws.ec2"),
  "detail-type": z.literal("EC2 Instance State-change Notification"),
  detail: instance.extend({ state: z.string() }),
});
const reservation = z.object({
  ...envelope,
  source: z.literal("aws.ec2"),
  "detail-type": z.literal("EC2 Capacity Reservation Instance Interruption Warning"),
  detail: instance.extend({ "instance-termination-time": z.string().optional() }),
});
/** Identifiers are ids or ARNs, and older events have them in `resources` alone. */
const health = z.object({
  ...envelope,
  source: z.literal("aws.health"),
  "detail-type": z.literal("AWS Health Event"),
  resources: z.union([z.string(), z.array(z.string())]).optional(),
  detail: z.object({
    service: z.string(),
    eventTypeCategory: z.string(),
    statusCode: z.string().optional(),
    backupEvent: z.union([z.string(), z.boolean()]).optional(),
    affectedEntities: z.array(z.object({ entityValue: z.string() })).optional(),
  }),
});
type HealthEvent = z.infer<typeof health>;

const interruptionEvent = z.discriminatedUnion("detail-type", [spot, rebalance, stateChange, reservation, health]);

const leavingStates: ReadonlySet<string> = new Set(["stopping", "stopped", "shutting-down", "terminated"]);

/** Reads one EventBridge event. Nothing in it is trusted beyond "look at these instances" (design rule 1). Never throws. */
export function parseNotice(raw: unknown, origin: EventOrigin): ParsedNotice {
  const parsed = interruptionEvent.safeParse(raw);
  if (!parsed.success) return { kind: "dropped", reason: "unknown-event" };
  const event = parsed.data;
  if (origin.accountId !== undefined && event.account !== origin.accountId)
    return { kind: "dropped", reason: "account" };
  if (event.region !== origin.region) return { kind: "dropped", reason: "region" };
  const at = event.time;
  switch (event["detail-type"]) {
    case "EC2 Spot Instance Interruption Warning":
      return noticeOf("spot-interruption", [event.detail["instance-id"]], at, at + noticeMilliseconds);
    case "EC2 Capacity Reservation Instance Interruption Warning": {
      const end = event.detail["instance-termination-time"] ?? "";
      const deadlineAt = isTime(end) ? parseTime(end) : at + noticeMilliseconds;
      return noticeOf("capacity-reservation", [event.detail["instance-id"]], at, deadlineAt);
    }
    case "EC2 Instance State-change Notification":
      if (!leavingStates.has(event.detail.state)) return { kind: "dropped", reason: "state" };
      return noticeOf("instance-stopping", [event.detail["instance-id"]], at, at);
    case "EC2 Instance Rebalance Recommendation":
      return noticeOf("rebalance", [event.detail["instance-id"]], at);
    case "AWS Health Event":
      return healthNotice(event, at);
  }
}

function healthNotice(event: HealthEvent, at: number): ParsedNotice {
  const { service, eventTypeCategory, statusCode, backupEvent, affectedEntities } = event.detail;
  if (service !== "EC2" || eventTypeCategory !== "scheduledChange")
    return { kind: "dropped", reason: "health-category" };
  if (String(backupEvent) === "true") return { kind: "dropped", reason: "health-backup" };
  if (statusCode === "closed") return { kind: "dropped", reason: "health-closed" };
  const resources = typeof event.resources === "string" ? [event.resources] : (event.resources ?? []);
  const entities = affectedEntities?.map(({ entityValue }) => entityValue) ?? [];
  return noticeOf("health", [...entities, ...resources], at);
}

function noticeOf(reason: NoticeReason, identifiers: readonly string[], at: number, deadlineAt?: number): ParsedNotice {
  const instanceIds = [...new Set(identifiers.flatMap((text) => /(?:^|\/)(i-[0-9a-z]+)$/.exec(text)?.[1] ?? []))];
  if (instanceIds.length === 0) return { kind: "dropped", reason: "no-instance" };
  return { kind: "notice", notice: { reason, instanceIds, at, ...(deadlineAt === undefined ? {} : { deadlineAt }) } };
}
