import * as z from "zod";
import { shortHash } from "../api/short-hash.ts";
import { stableJson } from "../api/stable-json.ts";
import type { RunInstancesRequest } from "../ports.ts";

/**
 * The annotation `journeyman.sh/launch` of a group's leader: the write-ahead ledger of RunInstances (design §4.1, step 5).
 * `sent` is the commit: from then on a launch may have happened. `done` and `failed` say that this attempt is settled.
 * Fifty members make it about 3 KiB; so it is on the leader alone, and the other members carry a pointer to it. Which instance a
 * member was given is in its `status.providerID` and nowhere else.
 */
const leaderRecord = z.strictObject({
  version: z.literal(1),
  role: z.literal("leader"),
  group: z.string(),
  /** NodeClaim names, sorted; the first is the leader. */
  members: z.array(z.string()).min(1),
  /** From 1; a new one only after a definite answer to the one before. */
  attempt: z.number().int().min(1),
  instanceType: z.string(),
  zone: z.string(),
  subnetId: z.string(),
  capacityType: z.enum(["spot", "on-demand", "reserved"]),
  /** The reservation that is launched from, when `capacityType` is `reserved`. */
  reservationId: z.string().exactOptional(),
  reservationType: z.enum(["default", "capacity-block"]).exactOptional(),
  interruptible: z.boolean().exactOptional(),
  imageId: z.string(),
  count: z.number().int().min(1),
  clientToken: z.string().max(64),
  /** Of the whole request, user data included: a replay must be identical. */
  requestSha: z.string(),
  state: z.enum(["sent", "done", "failed"]),
  /** When the attempt was committed. */
  startedAt: z.number(),
  /** When the request was last about to be sent: renewed before each replay, so that the wait for hidden instances starts anew. */
  sentAt: z.number(),
  /** EC2's code when the attempt failed. */
  code: z.string().exactOptional(),
});
export type LeaderRecord = z.infer<typeof leaderRecord>;

/** The annotation of every other member: whose record to read. */
const memberRecord = z.strictObject({
  version: z.literal(1),
  role: z.literal("member"),
  group: z.string(),
  leader: z.string(),
});

const launchRecord = z.discriminatedUnion("role", [leaderRecord, memberRecord]);
export type LaunchRecord = z.infer<typeof launchRecord>;

export type ParsedLaunchRecord =
  | { readonly kind: "absent" }
  | { readonly kind: "record"; readonly record: LaunchRecord }
  /** Somebody else's writing: the claim must not be launched until a person or garbage collection has looked. */
  | { readonly kind: "unreadable"; readonly reason: string };

export function parseLaunchRecord(annotation: string | undefined): ParsedLaunchRecord {
  if (annotation === undefined) return { kind: "absent" };
  const parsed = launchRecord.safeParse(jsonOf(annotation));
  if (parsed.success) return { kind: "record", record: parsed.data };
  return { kind: "unreadable", reason: `launch record: ${z.prettifyError(parsed.error)}` };
}

export function formatLaunchRecord(record: LaunchRecord): string {
  return JSON.stringify(record);
}

/** The value of the `journeyman.sh/launch-group` tag. Made of UIDs, so that a claim made again under its old name is another group. */
export function launchGroupId(clusterName: string, claimUids: readonly string[]): string {
  return shortHash([clusterName, ...claimUids.toSorted()].join("|"), 20);
}

/** Zonal, because the request names a subnet; never used for two different requests, because every change is a new attempt. */
export function clientToken(clusterName: string, group: string, subnetId: string, attempt: number): string {
  return shortHash([clusterName, group, subnetId, attempt].join("|"), 51);
}

/** Hash of everything that reaches EC2, whatever the order of keys. */
export function requestSha(request: RunInstancesRequest): string {
  return shortHash(stableJson(request), 20);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
