import { instanceTypesFor } from "../cloud/instance-types.ts";
import { type LaunchClaim, type LaunchGroup, launchGroups } from "../cloud/launch-groups.ts";
import { advance, openSituation } from "../cloud/launch-progress.ts";
import type { LaunchRequests, LaunchSituation } from "../cloud/launch-situation.ts";
import { nextLaunchStep } from "../cloud/launch-steps.ts";
import { launchRequests } from "../cloud/run-instances.ts";
import type { Hint } from "../hints.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type GroupContext, performLaunchStep } from "./launch-performing.ts";
import { explainUnlaunched } from "./launch-writes.ts";
import type { LeaseOptions } from "./lease.ts";

/** One pass takes at most this long; the rest is a hint (design rule 5). */
const passSeconds = 20;
/** More than any group can need in one pass: three attempts of a few steps each. */
const mostStepsPerGroup = 40;
const stoppedPoolSeconds = 60;

export interface LaunchPass {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly lease: LeaseOptions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
}

/** Launches all claims that want an instance, group by group and in turn over the NodePools (design §4.1, steps 5 and 6). */
export async function launchClaims(pass: LaunchPass, claims: readonly LaunchClaim[]): Promise<void> {
  const { ports, settings, startedAt } = pass;
  const { groups, skipped } = launchGroups(claims, { clusterName: settings.clusterName });
  for (const { nodeClaim, reason } of skipped) {
    await explainUnlaunched(ports, [nodeClaim], { reason: "NoOfferings", message: reason });
  }
  const delays: number[] = [];
  let isPaused = false;
  for (const group of inTurn(groups)) {
    const isLate = ports.clock.now() - startedAt > passSeconds * 1_000;
    const end: GroupEnd =
      isLate || isPaused ? { delaySeconds: isPaused ? 5 : 0 } : await launchGroup(pass, group, claims);
    if (end.delaySeconds !== undefined) delays.push(end.delaySeconds);
    isPaused ||= end.pausesAll === true;
  }
  if (delays.length === 0) return;
  const hint: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
  await ports.hints.send(hint, { delaySeconds: Math.min(...delays) });
}

/** How a group's turn ended: when to look again, if at all, and whether EC2 asks everybody to wait. */
interface GroupEnd {
  readonly delaySeconds?: number;
  readonly pausesAll?: boolean;
}

async function launchGroup(pass: LaunchPass, group: LaunchGroup, claims: readonly LaunchClaim[]): Promise<GroupEnd> {
  const context = await groupContext(pass, group, claims);
  if (context === undefined) return { delaySeconds: stoppedPoolSeconds };
  let situation: LaunchSituation = openSituation(group, pass.snapshot.unavailableOfferings, pass.ports.clock.now());
  for (let count = 0; count < mostStepsPerGroup; count++) {
    const step = nextLaunchStep(situation, context.requests);
    const performed = await performLaunchStep(context, situation, step);
    if (performed.kind === "stopped") return { delaySeconds: performed.delaySeconds };
    switch (step.kind) {
      case "finished":
        return {};
      case "wait":
        return { delaySeconds: step.delaySeconds, pausesAll: step.pause === "all" };
      case "give-up":
        return { delaySeconds: 5 };
      case "stop-pool":
        return { delaySeconds: stoppedPoolSeconds };
      default:
        situation = advance(situation, step, performed, pass.ports.clock.now());
    }
  }
  throw new RangeError(`launch group ${group.id} does not come to an end`);
}

/** Undefined, with a condition on the claims, when the group's class is missing. */
async function groupContext(
  pass: LaunchPass,
  group: LaunchGroup,
  claims: readonly LaunchClaim[],
): Promise<GroupContext | undefined> {
  const { ports, settings, snapshot } = pass;
  const leader = claims.find(({ nodeClaim }) => nodeClaim.metadata.name === group.leader)?.nodeClaim;
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === group.nodeClass);
  if (leader === undefined || nodeClass === undefined) {
    const message = `EC2NodeClass ${group.nodeClass} does not exist`;
    const names = group.members.map((member) => member.name);
    await explainUnlaunched(ports, names, { reason: "NodeClassNotFound", message });
    return undefined;
  }
  const { vmMemoryOverheadPercent, reservedEnis } = settings;
  const options = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now: snapshot.now };
  const types = instanceTypesFor(snapshot.catalog, nodeClass, options);
  const instanceTypes = new Map(types.map((type) => [type.name, type]));
  const cluster = await ports.cluster.describe();
  const requests: LaunchRequests = launchRequests({ cluster, nodeClaim: leader, nodeClass, instanceTypes });
  return { ...pass, requests, instanceTypes };
}

/** The first group of every NodePool, then the second of each, and so on: a failing pool does not hold up the others. */
function inTurn(groups: readonly LaunchGroup[]): readonly LaunchGroup[] {
  const byPool = [...Map.groupBy(groups, (group) => group.nodePool).values()];
  const rounds = Math.max(0, ...byPool.map((list) => list.length));
  return Array.from({ length: rounds }, (_, round) => byPool.flatMap((list) => list[round] ?? [])).flat();
}
