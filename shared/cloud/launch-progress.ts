import type { Ec2Instance } from "../ports.ts";
import { classifyEc2Error } from "./ec2-errors.ts";
import type { LaunchGroup, LaunchMember } from "./launch-groups.ts";
import type { LeaderRecord } from "./launch-record.ts";
import type { LaunchOutcome, LaunchSituation, LaunchStep } from "./launch-situation.ts";
import { afterCall, drained, fullBudget, type RequestBudget } from "./request-budget.ts";
import { withMarks } from "./unavailable-offerings.ts";

/** What performing a step brought to light. */
export type LaunchResult =
  | { readonly kind: "performed" }
  /** The answer to `resolve-by-tag`. */
  | { readonly kind: "found"; readonly instances: readonly Ec2Instance[] }
  /** The answer to `send`. */
  | Extract<LaunchOutcome, { readonly kind: "launched" | "refused" }>;

/** A group as a pass begins: nothing is known but what the cluster has written down. */
export function openSituation(
  group: LaunchGroup,
  unavailable: LaunchSituation["unavailable"],
  now: number,
  { budget = fullBudget(now), spreadRoom = endless }: Partial<Pick<LaunchSituation, "budget" | "spreadRoom">> = {},
): LaunchSituation {
  return { group, outcome: { kind: "unknown" }, unavailable, attemptsThisPass: 0, budget, spreadRoom, now };
}

function endless(): number {
  return Number.POSITIVE_INFINITY;
}

/** The situation after a step was performed, so that the caller need not read the group again. */
export function advance(before: LaunchSituation, step: LaunchStep, result: LaunchResult, now: number): LaunchSituation {
  const situation = { ...before, now };
  switch (step.kind) {
    case "write-record":
      return {
        ...situation,
        group: withMembers(situation.group, step.record, (member) => ({ ...member, writtenGroup: step.record.group })),
        outcome: { kind: "unsent" },
        attemptsThisPass: situation.attemptsThisPass + 1,
      };
    case "send":
      return afterSend(situation, result);
    case "resolve-by-tag":
      return result.kind === "found" ? { ...situation, instances: result.instances } : situation;
    case "assign": {
      const given = new Map(step.pairs.map((pair) => [pair.nodeClaim, pair.instance.instanceId]));
      const gone = new Set(step.surplus);
      return {
        ...situation,
        group: withMembers(situation.group, step.record, (member) => {
          const instanceId = given.get(member.name);
          return instanceId === undefined ? member : { ...member, instanceId };
        }),
        ...(situation.instances && {
          instances: situation.instances.filter((instance) => !gone.has(instance.instanceId)),
        }),
        unavailable: withMarks(situation.unavailable, step.mark),
        outcome: { kind: "unknown" },
      };
    }
    case "next-offering":
      return {
        ...situation,
        group: { ...situation.group, record: step.record },
        unavailable: withMarks(situation.unavailable, step.mark),
        outcome: { kind: "unknown" },
      };
    case "finished":
    case "wait":
    case "give-up":
    case "stop-pool":
      return situation;
  }
}

/** An answer makes an older look by tag stale. */
function afterSend({ instances, ...before }: LaunchSituation, result: LaunchResult): LaunchSituation {
  const situation = { ...before, budget: budgetAfter(before, result) };
  switch (result.kind) {
    case "launched":
      return { ...situation, ...(instances && { instances }), outcome: result };
    case "refused":
      return { ...situation, outcome: result };
    case "performed":
    case "found":
      return { ...situation, outcome: { kind: "unknown" } };
  }
}

/** An outcome that is not known may have started all that was asked for. */
function budgetAfter({ budget, group, now }: LaunchSituation, result: LaunchResult): RequestBudget {
  const asked = group.record?.count ?? 0;
  if (result.kind === "launched") return afterCall(budget, result.instances.length, now);
  if (result.kind !== "refused") return afterCall(budget, asked, now);
  const error = classifyEc2Error(result.code, result.message);
  if (error.providerErrorKind === "Throttled") return drained(budget, now);
  return afterCall(budget, error.effect === "resolve" ? asked : 0, now);
}

function withMembers(
  group: LaunchGroup,
  record: LeaderRecord,
  change: (member: LaunchMember) => LaunchMember,
): LaunchGroup {
  return { ...group, record, members: group.members.map(change) };
}
