import { tag } from "../api/labels.ts";
import { shortHash } from "../api/short-hash.ts";
import type { Ec2Instance } from "../ports.ts";
import { classifyEc2Error, type Ec2ErrorClass } from "./ec2-errors.ts";
import { assignment, hasUnassigned } from "./launch-assignment.ts";
import { commit, nextAttempt } from "./launch-attempt.ts";
import { isWanting, type LaunchGroup } from "./launch-groups.ts";
import { type LeaderRecord, requestSha } from "./launch-record.ts";
import type { LaunchRequests, LaunchSituation, LaunchStep } from "./launch-situation.ts";
import { refilled, secondsUntilCall } from "./request-budget.ts";
import { markUnavailable } from "./unavailable-offerings.ts";

/** A killed function's last call may take a minute to arrive, and EC2 another to show its instances (field-scenarios B3.20). */
const visibilityGraceSeconds = 120;
const attemptsPerPass = 3;
const betweenPassesSeconds = 10;

/**
 * The next step of a group's launch (design §4.1, step 6). Safe at every point of a crash: what is not written down is looked up by
 * the group's tag, and only the token that is written down is ever sent again.
 */
export function nextLaunchStep(situation: LaunchSituation, requests: LaunchRequests): LaunchStep {
  const record = situation.group.record;
  if (record?.state !== "sent") return afterSettled(situation, requests);
  const { outcome } = situation;
  switch (outcome.kind) {
    case "unsent":
      return send(situation, record, requests);
    case "unknown":
      return recover(situation, record, requests);
    case "launched":
      return launched(situation, record, outcome.instances);
    case "refused":
      return refused(situation, { record, requests }, outcome);
  }
}

function afterSettled(situation: LaunchSituation, requests: LaunchRequests): LaunchStep {
  if (!situation.group.members.some(isWanting)) return { kind: "finished" };
  if (situation.attemptsThisPass >= attemptsPerPass) {
    return wait(betweenPassesSeconds, `${attemptsPerPass} offerings were tried in this pass`);
  }
  if (isBudgetSpent(situation)) return waitForBudget(situation);
  return nextAttempt(situation, requests);
}

function send(situation: LaunchSituation, record: LeaderRecord, requests: LaunchRequests): LaunchStep {
  const built = requests.request(record);
  if (built.kind === "problem")
    return settleByTag(situation, record, `the request cannot be rebuilt: ${built.message}`);
  if (requestSha(built.request) !== record.requestSha) {
    return settleByTag(situation, record, "the NodeClass or NodeClaim has changed since the request was sent");
  }
  const isReplay = situation.outcome.kind === "unknown";
  if (isReplay && isBudgetSpent(situation)) return waitForBudget(situation);
  return isReplay ? commit(situation, { ...record, sentAt: situation.now }) : { kind: "send", request: built.request };
}

/** After a crash or a lost answer: what EC2 shows, then the same token again, whose answer is the whole reservation. */
function recover(situation: LaunchSituation, record: LeaderRecord, requests: LaunchRequests): LaunchStep {
  if (situation.instances === undefined) return resolveByTag(situation.group);
  const whole = seenOf(record, situation.instances) >= record.count;
  if (hasUnassigned(situation.group, situation.instances)) {
    return assignment(situation.group, situation.instances, { ...record, state: whole ? "done" : "sent" });
  }
  if (whole) return settle(situation.group, { ...record, state: "done" });
  if (!situation.group.members.some(isWanting)) return settleByTag(situation, record, "nobody wants the instances now");
  return send(situation, record, requests);
}

function launched(situation: LaunchSituation, record: LeaderRecord, instances: readonly Ec2Instance[]): LaunchStep {
  const known = new Map([...(situation.instances ?? []), ...instances].map((one) => [one.instanceId, one]));
  const mark =
    instances.length < record.count
      ? markUnavailable(classifyEc2Error("InsufficientInstanceCapacity"), record, situation.unavailable, situation.now)
      : [];
  return assignment(situation.group, [...known.values()], { ...record, state: "done" }, mark);
}

function refused(
  situation: LaunchSituation,
  { record, requests: { placementGroupId } }: { readonly record: LeaderRecord; readonly requests: LaunchRequests },
  { code, message }: Extract<LaunchSituation["outcome"], { kind: "refused" }>,
): LaunchStep {
  const error = classifyEc2Error(code, message);
  const failed: LeaderRecord = { ...record, state: "failed", code };
  switch (error.effect) {
    case "next-offering": {
      const request = { ...record, ...(placementGroupId !== undefined && { placementGroupId }) };
      const mark = markUnavailable(error, request, situation.unavailable, situation.now);
      return { kind: "next-offering", mark, record: failed, error };
    }
    case "back-off":
      return {
        ...wait(jittered(backOffSeconds(situation, record), situation, record), `${code}: ${error.meaning}`, error),
        pause: error.providerErrorKind === "Throttled" ? "all" : "group",
      };
    case "resolve":
      if (situation.instances === undefined) return resolveByTag(situation.group);
      if (hasUnassigned(situation.group, situation.instances)) {
        const whole = seenOf(record, situation.instances) >= record.count;
        return assignment(situation.group, situation.instances, { ...record, state: whole ? "done" : "sent" });
      }
      return wait(backOffSeconds(situation, record), `${code}: ${error.meaning}`, error);
    case "new-attempt":
      return settleByTag(situation, record, error.meaning);
    case "stop-pool": {
      const nodeClaims = situation.group.members.filter(isWanting).map((member) => member.name);
      return {
        kind: "stop-pool",
        nodeClaims,
        reason: error.reason,
        message: `${code}: ${message}`,
        record: failed,
      };
    }
  }
}

/** The token cannot be sent again: what EC2 shows once it must show everything is the answer. */
function settleByTag(situation: LaunchSituation, record: LeaderRecord, why: string): LaunchStep {
  const { group, instances, now } = situation;
  if (instances === undefined) return resolveByTag(group);
  const seen = seenOf(record, instances);
  const graceLeftSeconds = Math.ceil((record.sentAt - now) / 1_000) + visibilityGraceSeconds;
  const settled = seen >= record.count || graceLeftSeconds <= 0;
  if (hasUnassigned(group, instances)) {
    return assignment(group, instances, { ...record, state: settled ? "done" : "sent" });
  }
  if (!settled) return wait(graceLeftSeconds, `${why}; instances of the earlier request may still appear`);
  return settle(group, { ...record, state: seen > 0 ? "done" : "failed" });
}

function settle(group: LaunchGroup, record: LeaderRecord): LaunchStep {
  return assignment(group, [], record);
}

function resolveByTag(group: LaunchGroup): LaunchStep {
  return { kind: "resolve-by-tag", tagKey: tag.launchGroup, tagValue: group.id };
}

/** Instances of this attempt, dead ones included: they too prove that it was carried out. */
function seenOf(record: LeaderRecord, instances: readonly Ec2Instance[]): number {
  return instances.filter((one) => one.clientToken === record.clientToken).length;
}

/** Half the attempt's age: grows without a counter. */
function backOffSeconds(situation: LaunchSituation, record: LeaderRecord): number {
  return Math.min(300, Math.max(5, Math.round((situation.now - record.startedAt) / 2_000)));
}

/** Up to half as long again, another each time: planners of several clusters in one account share its buckets. */
function jittered(seconds: number, { now }: LaunchSituation, { clientToken }: LeaderRecord): number {
  const number = [...shortHash(`${clientToken} ${now}`)].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0);
  return seconds + Math.round(((number % 1_000) / 1_000) * (seconds / 2));
}

function isBudgetSpent({ budget, now }: LaunchSituation): boolean {
  return secondsUntilCall(budget, now) > 0;
}

function waitForBudget({ budget, now }: LaunchSituation): LaunchStep {
  const { requests, instances } = refilled(budget, now);
  const left = `${Math.floor(requests)} requests and ${Math.floor(instances)} instances`;
  const reason = `EC2 would refuse more calls now: ${left} are left in its buckets`;
  return { ...wait(secondsUntilCall(budget, now), reason), pause: "all" };
}

function wait(delaySeconds: number, reason: string, error?: Ec2ErrorClass): Extract<LaunchStep, { kind: "wait" }> {
  return { kind: "wait", delaySeconds, reason, pause: "group", ...(error && { error }) };
}
