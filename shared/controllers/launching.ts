import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { label, wellKnownLabels } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { UnavailableOffering } from "../cloud/catalog.ts";
import { classifyEc2Error } from "../cloud/ec2-errors.ts";
import { type LaunchClaim, type LaunchGroup, launchGroups } from "../cloud/launch-groups.ts";
import { advance, openSituation } from "../cloud/launch-progress.ts";
import type { LaunchProblem, LaunchRequests, LaunchSituation } from "../cloud/launch-situation.ts";
import { nextLaunchStep } from "../cloud/launch-steps.ts";
import { launchRequests } from "../cloud/run-instances.ts";
import type { Hint } from "../hints.ts";
import type { Ports } from "../ports.ts";
import { poolTypes } from "../provisioning/pool-types.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { type GroupContext, performLaunchStep } from "./launch-performing.ts";
import { explainUnlaunched } from "./launch-writes.ts";
import type { LeaseOptions } from "./lease.ts";

/** One pass takes at most this long; the rest is a hint (design rule 5). */
const passSeconds = 20;
/** More than any group can need in one pass: three attempts of a few steps each. */
const mostStepsPerGroup = 40;
const pausedSeconds = 5;
const stoppedPoolSeconds = 60;

export interface LaunchPass {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly lease: LeaseOptions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
  readonly errors: DeferredErrors;
}

/**
 * Launches all claims that want an instance, group by group and in turn over the NodePools (design §4.1, steps 5 and 6). A group that
 * fails does not stop the others; its error is in `pass.errors`.
 */
export async function launchClaims(pass: LaunchPass, claims: readonly LaunchClaim[]): Promise<void> {
  const { ports, settings, snapshot, errors } = pass;
  const { groups, skipped } = launchGroups(claims, { clusterName: settings.clusterName });
  for (const { nodeClaim, reason: message } of skipped) {
    await errors.during(() => explainUnlaunched(ports, [nodeClaim], { reason: "NoOfferings", message }));
  }
  const delays: number[] = [];
  let unavailable = snapshot.unavailableOfferings;
  let isPaused = false;
  for (const [index, group] of inTurn(groups).entries()) {
    const restSeconds = isPaused ? pausedSeconds : restOf(pass, group, index);
    if (restSeconds !== undefined) {
      delays.push(restSeconds);
      continue;
    }
    const end = await errors.during(() => launchGroup(pass, group, claims, unavailable));
    if (end?.delaySeconds !== undefined) delays.push(end.delaySeconds);
    isPaused ||= end?.pausesAll ?? false;
    unavailable = end?.unavailable ?? unavailable;
  }
  if (delays.length === 0) return;
  const hint: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
  await ports.hints.send(hint, { delaySeconds: Math.min(...delays) });
}

/**
 * For how long the group is left alone: its last request met an error that only a person can mend, or the pass has used up its time.
 * The first group has its turn even then, so that passes that read for too long get somewhere.
 */
function restOf({ ports, startedAt }: LaunchPass, { record }: LaunchGroup, index: number): number | undefined {
  const now = ports.clock.now();
  const isStopped = record?.state === "failed" && classifyEc2Error(record.code ?? "").effect === "stop-pool";
  const stoppedForSeconds = isStopped ? Math.ceil((record.sentAt - now) / 1_000) + stoppedPoolSeconds : 0;
  if (stoppedForSeconds > 0) return stoppedForSeconds;
  return index > 0 && isLate(now, startedAt) ? 0 : undefined;
}

function isLate(now: number, startedAt: number): boolean {
  return now - startedAt > passSeconds * 1_000;
}

/** How a group's turn ended: when to look again, if at all, and whether everybody must wait. */
interface GroupEnd {
  readonly delaySeconds?: number;
  readonly pausesAll?: boolean;
  /** With what this group was refused, for the groups after it. */
  readonly unavailable: readonly UnavailableOffering[];
}

async function launchGroup(
  pass: LaunchPass,
  group: LaunchGroup,
  claims: readonly LaunchClaim[],
  known: readonly UnavailableOffering[],
): Promise<GroupEnd> {
  const { clock } = pass.ports;
  const context = await groupContext(pass, group, claims);
  let situation: LaunchSituation = openSituation(group, known, clock.now());
  for (let count = 0; count < mostStepsPerGroup; count++) {
    const { unavailable, attemptsThisPass } = situation;
    const step = nextLaunchStep(situation, context.requests);
    const isNextAttempt = step.kind === "write-record" && attemptsThisPass > 0;
    if (isNextAttempt && isLate(clock.now(), pass.startedAt)) return { delaySeconds: 0, unavailable };
    const performed = await performLaunchStep(context, situation, step);
    if (performed.kind === "stopped") return { delaySeconds: performed.delaySeconds, pausesAll: true, unavailable };
    switch (step.kind) {
      case "finished":
        return { unavailable };
      case "wait":
        return { delaySeconds: step.delaySeconds, pausesAll: step.pause === "all", unavailable };
      case "give-up":
        return { delaySeconds: pausedSeconds, unavailable };
      case "stop-pool":
        return { delaySeconds: stoppedPoolSeconds, unavailable };
      default:
        situation = advance(situation, step, performed, clock.now());
    }
  }
  throw new RangeError(`launch group ${group.id} does not come to an end`);
}

async function groupContext(
  pass: LaunchPass,
  group: LaunchGroup,
  claims: readonly LaunchClaim[],
): Promise<GroupContext> {
  const { ports, settings, snapshot } = pass;
  const leader = claims.find(({ nodeClaim }) => nodeClaim.metadata.name === group.leader)?.nodeClaim;
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === group.nodeClass);
  const obstacle = classObstacle(group.nodeClass, nodeClass);
  if (leader === undefined || nodeClass === undefined || obstacle !== undefined) {
    return { ...pass, requests: requestsWithoutClass(settings, obstacle), instanceTypes: new Map() };
  }
  const known = poolTypes(group.nodePool, nodeClass, snapshot);
  if ("reason" in known) {
    const unreadable = classProblem("NodeClassNotReady", known.reason);
    return { ...pass, requests: requestsWithoutClass(settings, unreadable), instanceTypes: new Map() };
  }
  const instanceTypes = new Map(known.types.map((type) => [type.name, type]));
  const cluster = await ports.cluster.describe();
  const nodeClaim = withoutInstanceLabels(leader);
  return { ...pass, requests: launchRequests({ cluster, nodeClaim, nodeClass, instanceTypes }), instanceTypes };
}

/** Nothing is launched for a class that is not ready: its subnets and images are not known (karpenter-aws §1.5, launch gate). */
function classObstacle(name: string, nodeClass: EC2NodeClass | undefined): LaunchProblem | undefined {
  if (nodeClass === undefined) return classProblem("NodeClassNotFound", `EC2NodeClass ${name} does not exist`);
  if (isTrue(nodeClass, "Ready")) return undefined;
  const message = conditionOf(nodeClass, "Ready")?.message ?? "its status is not known";
  return classProblem("NodeClassNotReady", `EC2NodeClass ${name} is not ready: ${message}`);
}

function classProblem(reason: string, message: string): LaunchProblem {
  return { kind: "problem", scope: "class", reason, message };
}

/** What was launched before is still found by its tag; nothing more is sent. */
function requestsWithoutClass(
  { clusterName }: Settings,
  problem = classProblem("NodeClaimNotFound", "the group's leader is gone"),
): LaunchRequests {
  return { clusterName, target: () => problem, request: () => problem };
}

/** The leader as it was when it was planned: labels of its own machine are not the other members', and would change a replay. */
function withoutInstanceLabels(leader: NodeClaim): NodeClaim {
  const isKept = (key: string) => key === label.nodePool || key === label.nodeClass || !wellKnownLabels.has(key);
  const labels = Object.entries(leader.metadata.labels ?? {}).filter(([key]) => isKept(key));
  return { ...leader, metadata: { ...leader.metadata, labels: Object.fromEntries(labels) } };
}

/** The first group of every NodePool, then the second of each, and so on: a failing pool does not hold up the others. */
function inTurn(groups: readonly LaunchGroup[]): readonly LaunchGroup[] {
  const byPool = [...Map.groupBy(groups, (group) => group.nodePool).values()];
  const rounds = Math.max(0, ...byPool.map((list) => list.length));
  return Array.from({ length: rounds }, (_, round) => byPool.flatMap((list) => list[round] ?? [])).flat();
}
