import type { UnavailableOffering } from "./catalog.ts";
import { classifyEc2Error } from "./ec2-errors.ts";
import { reservationTerms } from "./instance-type.ts";
import { isWanting } from "./launch-groups.ts";
import { clientToken, formatLaunchRecord, type LeaderRecord, requestSha } from "./launch-record.ts";
import type { LaunchAttempt, LaunchProblem, LaunchRequests, LaunchSituation, LaunchStep } from "./launch-situation.ts";
import type { RankedOffering } from "./ranking.ts";
import { refilled } from "./request-budget.ts";
import { markUnavailable, unavailability } from "./unavailable-offerings.ts";

/**
 * Commits the next attempt with the best offering that can be had now; only for a group whose earlier attempt is settled. The first
 * attempt takes what was planned; later ones keep the spread over spot pools while an alternative within 15 % can.
 */
export function nextAttempt(situation: LaunchSituation, requests: LaunchRequests): LaunchStep {
  const wanting = situation.group.members.filter(isWanting).map((member) => member.name);
  const excuses = new Map<string, number>();
  const full = new Set<string>();
  let best: LeaderRecord | undefined;
  for (const offering of situation.group.offerings) {
    if (best !== undefined && offering.priceUsdPerHour > nearPrice(situation, best)) continue;
    const room = spreadRoom(situation, offering);
    if (best !== undefined && room < 1) continue;
    const drafted = draft(situation, requests, offering, room < 1 ? wanting.length : Math.min(wanting.length, room));
    if (drafted.kind === "record") {
      if (room >= 1) return commit(situation, drafted.record);
      best ??= drafted.record;
    } else if (drafted.scope === "class") {
      return { kind: "stop-pool", nodeClaims: wanting, reason: drafted.reason, message: drafted.message };
    } else {
      excuses.set(drafted.reason, (excuses.get(drafted.reason) ?? 0) + 1);
      for (const subnetId of drafted.fullSubnets ?? []) full.add(subnetId);
    }
  }
  if (best !== undefined) return commit(situation, best);
  const reason = [...excuses].map(([excuse, times]) => `${excuse} (${times})`).join(", ");
  const mark = [...full].flatMap((subnetId) => markFull(subnetId, situation));
  return {
    kind: "give-up",
    mark,
    nodeClaims: wanting,
    reason: `no offering is left: ${reason || "none suits all members"}`,
  };
}

/** As if EC2 had refused the subnet: else the same pods would be planned there again at once. */
function markFull(subnetId: string, { unavailable, now }: LaunchSituation): readonly UnavailableOffering[] {
  const error = classifyEc2Error("InsufficientFreeAddressesInSubnet");
  return markUnavailable(error, { instanceType: "", zone: "", capacityType: "", subnetId }, unavailable, now);
}

/** Design §4.1, step 7. */
const largestPremium = 1.15;

function nearPrice({ group }: LaunchSituation, { instanceType, zone, capacityType }: LeaderRecord): number {
  const chosen = group.offerings.find(
    (one) => one.instanceType === instanceType && one.zone === zone && one.capacityType === capacityType,
  );
  return largestPremium * (chosen?.priceUsdPerHour ?? 0);
}

function spreadRoom({ group, spreadRoom: roomOf }: LaunchSituation, offering: RankedOffering): number {
  const isFallback = group.record !== undefined && offering.capacityType === "spot";
  return isFallback ? roomOf(offering) : Number.POSITIVE_INFINITY;
}

function draft(
  situation: LaunchSituation,
  requests: LaunchRequests,
  offering: RankedOffering,
  wanted: number,
): { readonly kind: "record"; readonly record: LeaderRecord } | LaunchProblem {
  const { group, unavailable, now } = situation;
  const refusal = unavailability(offering.instanceType, offering, unavailable, now, requests.placementGroupId);
  if (refusal !== undefined) return { kind: "problem", scope: "offering", reason: refusal.code, message: "" };
  const target = requests.target(offering, unavailable, now);
  if (target.kind === "problem") return target;
  const attempt = (group.record?.attempt ?? 0) + 1;
  const count = Math.min(wanted, target.most, Math.floor(refilled(situation.budget, now).instances));
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
