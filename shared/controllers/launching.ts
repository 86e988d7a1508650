import type { LaunchBreaker } from "../cloud/launch-breaker.ts";
import { isOpen } from "../cloud/launch-breaker.ts";
import { isWanting, type LaunchClaim, type LaunchGroup, launchGroups } from "../cloud/launch-groups.ts";
import { advance, openSituation } from "../cloud/launch-progress.ts";
import type { LaunchSituation } from "../cloud/launch-situation.ts";
import { nextLaunchStep } from "../cloud/launch-steps.ts";
import { budgetAnnotation, formatBudget, type RequestBudget, reserved } from "../cloud/request-budget.ts";
import type { Hint } from "../hints.ts";
import { groupContext, type LaunchPass } from "./launch-context.ts";
import { performLaunchStep } from "./launch-performing.ts";
import { LaunchState } from "./launch-state.ts";
import { explainUnlaunched } from "./launch-writes.ts";
import { renewLease } from "./lease.ts";

/** One pass takes at most this long; the rest is a hint (design rule 5). */
const passSeconds = 20;
/** More than any group can need in one pass: three attempts of a few steps each. */
const mostStepsPerGroup = 40;
const pausedSeconds = 5;
/** Hints wait no longer. */
const longestDelaySeconds = 900;

/** What a pass leaves behind for the next one. */
export interface LaunchPassEnd {
  /** Absent: nothing was taken of it. */
  readonly budget?: RequestBudget;
  readonly breakers: readonly LaunchBreaker[];
}

/**
 * Launches all claims that want an instance, group by group and in turn over the NodePools (design §4.1, steps 5 and 6). A group that
 * fails does not stop the others; its error is in `pass.errors`.
 */
export async function launchClaims(pass: LaunchPass, claims: readonly LaunchClaim[]): Promise<LaunchPassEnd> {
  const { ports, settings, snapshot, errors } = pass;
  const { groups, skipped } = launchGroups(claims, { clusterName: settings.clusterName });
  for (const { nodeClaim, reason: message } of skipped) {
    await errors.during(() => explainUnlaunched(ports, [nodeClaim], { reason: "NoOfferings", message }));
  }
  const state = new LaunchState(snapshot, groups, pass.budget);
  if (groups.length > 0) await reserveBudget(pass, groups);
  const delays: number[] = [];
  let pausedFor: number | undefined;
  for (const [index, group] of inTurn(groups).entries()) {
    const restSeconds = pausedFor ?? restOf(pass, group, { index, state });
    if (restSeconds !== undefined) {
      delays.push(restSeconds);
      continue;
    }
    const end = await errors.during(() => launchGroup(pass, group, claims, state));
    if (end?.delaySeconds !== undefined) delays.push(end.delaySeconds);
    if (end?.pausesAll === true) pausedFor = end.delaySeconds ?? pausedSeconds;
  }
  if (delays.length > 0) {
    const hint: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
    await ports.hints.send(hint, { delaySeconds: Math.min(longestDelaySeconds, ...delays) });
  }
  return { ...(groups.length > 0 && { budget: state.budget }), breakers: [...state.breakers.values()] };
}

/**
 * Writes down, once, all that this pass may use of EC2's buckets; at its end the Lease is told what it has used. If it is killed before,
 * the next pass takes all of it for used, and none overdraws them.
 */
async function reserveBudget({ ports, lease, budget }: LaunchPass, groups: readonly LaunchGroup[]): Promise<void> {
  const wanting = groups.reduce((sum, { members }) => sum + members.filter(isWanting).length, 0);
  const most = reserved(budget, wanting, ports.clock.now());
  await renewLease(ports, lease, { [budgetAnnotation]: formatBudget(most) });
}

/**
 * For how long the group is left alone: the last launches of its NodePool met an error that only a person can mend, or the pass has used
 * up its time. The first group has its turn even then, so that passes that read for too long get somewhere.
 */
function restOf(
  { ports, startedAt }: LaunchPass,
  { nodePool, record }: LaunchGroup,
  { index, state }: { readonly index: number; readonly state: LaunchState },
): number | undefined {
  const now = ports.clock.now();
  const breaker = state.breakers.get(nodePool);
  // What was sent is settled whatever became of the pool since.
  if (breaker !== undefined && isOpen(breaker, now) && record?.state !== "sent") {
    return Math.ceil((breaker.untilAt - now) / 1_000);
  }
  return index > 0 && isLate(now, startedAt) ? 0 : undefined;
}

function isLate(now: number, startedAt: number): boolean {
  return now - startedAt > passSeconds * 1_000;
}

/** How a group's turn ended: when to look again, if at all, and whether everybody must wait. */
interface GroupEnd {
  readonly delaySeconds?: number;
  readonly pausesAll?: boolean;
}

async function launchGroup(
  pass: LaunchPass,
  group: LaunchGroup,
  claims: readonly LaunchClaim[],
  state: LaunchState,
): Promise<GroupEnd> {
  const { clock } = pass.ports;
  const context = await groupContext(pass, group, claims, state);
  const { unavailable, budget } = state;
  let situation: LaunchSituation = openSituation(group, unavailable, clock.now(), {
    budget,
    spreadRoom: (offering) => state.spreadRoom(group, offering),
  });
  for (let count = 0; count < mostStepsPerGroup; count++) {
    const step = nextLaunchStep(situation, context.requests);
    const isNextAttempt = step.kind === "write-record" && situation.attemptsThisPass > 0;
    if (isNextAttempt && isLate(clock.now(), pass.startedAt)) return { delaySeconds: 0 };
    const performed = await performLaunchStep(context, situation, step);
    if (performed.kind === "stopped") return { delaySeconds: performed.delaySeconds, pausesAll: true };
    if (performed.kind === "unsettled") return { delaySeconds: performed.delaySeconds };
    switch (step.kind) {
      case "finished":
        return {};
      case "wait":
        return { delaySeconds: step.delaySeconds, pausesAll: step.pause === "all" };
      case "give-up":
        return { delaySeconds: pausedSeconds };
      case "stop-pool":
        return { delaySeconds: stoppedSeconds(state, group, clock.now()) };
      default: {
        const after = advance(situation, step, performed, clock.now());
        state.follow(situation, step, after, context.addressesPerNode);
        situation = after;
      }
    }
  }
  throw new RangeError(`launch group ${group.id} does not come to an end`);
}

/** A pool that EC2 was not asked about (its class is not ready) has no breaker. */
const notReadySeconds = 60;

function stoppedSeconds({ breakers }: LaunchState, { nodePool }: LaunchGroup, now: number): number {
  const breaker = breakers.get(nodePool);
  return breaker === undefined ? notReadySeconds : Math.max(0, Math.ceil((breaker.untilAt - now) / 1_000));
}

/** The first group of every NodePool, then the second of each, and so on: a failing pool does not hold up the others. */
function inTurn(groups: readonly LaunchGroup[]): readonly LaunchGroup[] {
  const byPool = [...Map.groupBy(groups, (group) => group.nodePool).values()];
  const rounds = Math.max(0, ...byPool.map((list) => list.length));
  return Array.from({ length: rounds }, (_, round) => byPool.flatMap((list) => list[round] ?? [])).flat();
}
