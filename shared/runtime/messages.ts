import * as z from "zod";
import { type Hint, hint } from "../hints.ts";
import { webhookEventSource } from "./config.ts";

/** An event of the cluster's own bus: the webhook puts the hint in `detail`. */
const webhookEvent = z
  .object({ source: z.literal(webhookEventSource), detail: hint })
  .transform(({ detail }) => detail);

/** Published by EC2 for every instance of the account, ours or not. */
const instanceStateChange = z
  .object({
    source: z.literal("aws.ec2"),
    "detail-type": z.literal("EC2 Instance State-change Notification"),
    time: z.iso.datetime(),
    detail: z.object({ "instance-id": z.string() }),
  })
  .transform(
    (event): Hint => ({
      kind: "instance-changed",
      instanceId: event.detail["instance-id"],
      at: Date.parse(event.time),
    }),
  );

/** EventBridge Scheduler can only fill in its time as text. The time also keeps FIFO deduplication from swallowing the next tick. */
const scheduled = z
  .object({ scheduledTime: z.iso.datetime() })
  .loose()
  .transform(({ scheduledTime, ...rest }): unknown => ({ ...rest, at: Date.parse(scheduledTime) }))
  .pipe(hint);

const message = z.union([webhookEvent, instanceStateChange, scheduled, hint]);

export type ParsedMessage =
  | { readonly kind: "hint"; readonly hint: Hint }
  | { readonly kind: "malformed"; readonly reason: string };

/** The hint in a queue message, whoever sent it: the webhook, EC2, the Scheduler, or one of our own functions. */
export function parseHintMessage(body: string): ParsedMessage {
  const json = parseJson(body);
  if (json.kind === "malformed") return json;
  const parsed = message.safeParse(json.value);
  if (parsed.success) return { kind: "hint", hint: parsed.data };
  return { kind: "malformed", reason: "neither a hint nor an event that carries one" };
}

/** A queue message as the JSON that it is, for handlers that read events of many shapes. */
export function parseJson(
  body: string,
): { readonly kind: "json"; readonly value: unknown } | { readonly kind: "malformed"; readonly reason: string } {
  try {
    return { kind: "json", value: JSON.parse(body) };
  } catch {
    return { kind: "malformed", reason: "not JSON" };
  }
}
