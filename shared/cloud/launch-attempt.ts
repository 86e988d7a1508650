import { reservationTerms } from "./instance-type.ts";
import { isWanting } from "./launch-groups.ts";
import { clientToken, formatLaunchRecord, type LeaderRecord, requestSha } from "./launch-record.ts";
import type { LaunchAttempt, LaunchProblem, LaunchRequests, LaunchSituation, LaunchStep } from "./launch-situation.ts";
import type { RankedOffering } from "./ranking.ts";
import { unavailability } from "./unavailable-offerings.ts";

/** Commits the next attempt with the best offering that can be had now; only for a group whose earlier attempt is settled. */
export function nextAttempt(situation: LaunchSituation, requests: LaunchRequests): LaunchStep {
  const wanting = situation.group.members.filter(isWanting).map((member) => member.name);
  const excuses = new Map<string, number>();
  for (const offering of situation.group.offerings) {
    const drafted = draft(situation, requests, offering, wanting.length);
    if (drafted.kind === "record") return commit(situation, drafted.record);
    if (drafted.scope === "class") {
      return { kind: "stop-pool", nodeClaims: wanting, reason: drafted.reason, message: drafted.message };
    }
    excuses.set(drafted.reason, (excuses.get(drafted.reason) ?? 0) + 1);
  }
  const reason = [...excuses].map(([excuse, times]) => `${excuse} (${times})`).join(", ");
  return { kind: "give-up", nodeClaims: wanting, reason: `no offering is left: ${reason || "none suits all members"}` };
}

function draft(
  situation: LaunchSituation,
  requests: LaunchRequests,
  offering: RankedOffering,
  count: number,
): { readonly kind: "record"; readonly record: LeaderRecord } | LaunchProblem {
  const { group, unavailable, now } = situation;
  const refusal = unavailability(offering.instanceType, offering, unavailable, now);
  if (refusal !== undefined) return { kind: "problem", scope: "offering", reason: refusal.code, message: "" };
  const target = requests.target(offering, unavailable, now);
  if (target.kind === "problem") return target;
  const attempt = (group.record?.attempt ?? 0) + 1;
  const planned: LaunchAttempt = {
    version: 1,
    role: "leader",
    group: group.id,
    members: group.members.map((member) => member.name),
    attempt,
    instanceType: offering.instanceType,
    zone: offering.zone,
    subnetId: target.subnetId,
    capacityType: offering.capacityType,
    ...reservationTerms(offering),
    imageId: target.imageId,
    count,
    clientToken: clientToken(requests.clusterName, group.id, target.subnetId, attempt),
    state: "sent",
    startedAt: now,
    sentAt: now,
  };
  const built = requests.request(planned);
  if (built.kind === "problem") return built;
  return { kind: "record", record: { ...planned, requestSha: requestSha(built.request) } };
}

/** Pointers first, the leader's record last: it is the commit. Pointers stay as they are from attempt to attempt. */
export function commit({ group }: LaunchSituation, record: LeaderRecord): LaunchStep {
  const pointer = formatLaunchRecord({ version: 1, role: "member", group: group.id, leader: group.leader });
  const pointers = group.members
    .filter((member) => member.name !== group.leader && member.writtenGroup !== group.id)
    .map((member) => ({ nodeClaim: member.name, annotation: pointer }));
  const writes = [...pointers, { nodeClaim: group.leader, annotation: formatLaunchRecord(record) }];
  return { kind: "write-record", writes, record };
}
