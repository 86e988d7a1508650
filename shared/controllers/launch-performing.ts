import type { UnavailableOffering } from "../cloud/catalog.ts";
import type { Ec2ErrorClass } from "../cloud/ec2-errors.ts";
import { closesAtLaunch } from "../cloud/launch-breaker.ts";
import type { LaunchResult } from "../cloud/launch-progress.ts";
import type { LaunchSituation, LaunchStep } from "../cloud/launch-situation.ts";
import { metric } from "../metrics.ts";
import type { RunInstancesRequest } from "../ports.ts";
import { closeBreakers } from "./breaker-store.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { execute, requireDone } from "./execute.ts";
import type { GroupContext } from "./launch-context.ts";
import { openBreaker } from "./launch-failures.ts";
import { assignInstance, explainUnlaunched, writeLeaderRecord, writeRecords } from "./launch-writes.ts";
import { holdsLease } from "./lease.ts";
import { writeWarning } from "./object-events.ts";
import { writeUnavailableOfferings } from "./unavailable-store.ts";

export type Performed =
  | LaunchResult
  /** The pass must end here, because its time or its Lease is gone. */
  | { readonly kind: "stopped"; readonly delaySeconds: number }
  /** The group alone waits, and is settled by a later pass. */
  | { readonly kind: "unsettled"; readonly delaySeconds: number };

const performed: Performed = { kind: "performed" };

/** Carries out one step of a launch. The order of the writes within a step is the protocol's. */
export async function performLaunchStep(
  context: GroupContext,
  situation: LaunchSituation,
  step: LaunchStep,
): Promise<Performed> {
  const { ports } = context;
  switch (step.kind) {
    case "write-record":
      await writeRecords(ports, step.writes);
      return performed;
    case "send":
      return send(context, step.request);
    case "resolve-by-tag": {
      const filter = { by: "tag", key: step.tagKey, value: step.tagValue } as const;
      return { kind: "found", instances: await ports.ec2.describeInstances(filter) };
    }
    case "assign":
      return assign(context, situation, step);
    case "next-offering":
      countFailure(context, step.error);
      await tellRefusal(context, step);
      await mark(context, situation, step.mark);
      await writeLeaderRecord(ports, situation.group.leader, step.record);
      return performed;
    case "wait":
      if (step.error !== undefined) await reportError(context, situation, step.error, step.reason);
      return performed;
    case "give-up":
      await mark(context, situation, step.mark);
      await giveUp(context, step.nodeClaims, step.reason);
      return performed;
    case "stop-pool":
      await stopPool(context, situation, step);
      return performed;
    case "finished":
      return performed;
  }
}

/** The Lease is checked again just before EC2 is asked: a planner that was frozen meanwhile must not launch (design rule 5). */
async function send(context: GroupContext, request: RunInstancesRequest): Promise<Performed> {
  const { ports, lease } = context;
  if (!(await holdsLease(ports, lease))) return { kind: "stopped", delaySeconds: 2 };
  const why = `${request.maxCount} NodeClaims want it`;
  const [outcome] = await execute(ports, [{ kind: "run-instances", request, why }]);
  switch (outcome?.result) {
    case "done":
      return { kind: "launched", instances: outcome.instances ?? [] };
    case "failed":
      return { kind: "refused", code: outcome.error.code, message: outcome.error.message };
    default:
      return { kind: "stopped", delaySeconds: 0 };
  }
}

async function assign(
  context: GroupContext,
  situation: LaunchSituation,
  step: Extract<LaunchStep, { kind: "assign" }>,
): Promise<Performed> {
  const { ports } = context;
  await mark(context, situation, step.mark);
  for (const pair of step.pairs) {
    const type = context.instanceTypes.get(pair.instance.instanceType);
    await assignInstance(ports, pair, { type, nodeClass: context.nodeClass });
  }
  if (step.surplus.length > 0) {
    const why = "more instances were launched than claims want";
    const outcomes = await execute(ports, [{ kind: "terminate-instances", instanceIds: step.surplus, why }]);
    requireDone(outcomes);
    // Unknown to EC2, as it has only just launched them: the record stays open, so that the next pass finds them by their tag.
    if (outcomes[0]?.result !== "done") return { kind: "unsettled", delaySeconds: hiddenSeconds };
  }
  await writeLeaderRecord(ports, situation.group.leader, step.record);
  if (step.pairs.length > 0) await closeBreaker(context, situation);
  return performed;
}

/** New instances are known to all of EC2 after some seconds, seldom later. */
const hiddenSeconds = 10;

async function mark(
  { ports, settings }: GroupContext,
  situation: LaunchSituation,
  marks: readonly UnavailableOffering[],
): Promise<void> {
  await writeUnavailableOfferings(ports, settings, marks, situation.unavailable);
}

function countFailure({ ports }: GroupContext, { reason, code, known }: Ec2ErrorClass): void {
  ports.telemetry.count(metric.launchFailures, 1, { reason });
  if (!known) ports.telemetry.count(metric.unknownErrors, 1, { code });
}

/** An event on the group's leader for each offering that EC2 refuses. */
async function tellRefusal(
  { ports }: GroupContext,
  { error, record }: Extract<LaunchStep, { kind: "next-offering" }>,
): Promise<void> {
  const leader = await ports.kubernetes.get("NodeClaim", { name: record.members[0] ?? "" });
  if (leader === undefined) return;
  const what = `${record.instanceType} ${record.capacityType} in ${record.zone}`;
  await writeWarning(ports, leader, { reason: error.reason, message: `${what}: ${error.code}: ${error.meaning}` });
}

async function reportError(
  context: GroupContext,
  { group }: LaunchSituation,
  error: Ec2ErrorClass,
  message: string,
): Promise<void> {
  countFailure(context, error);
  const waiting = group.members.filter((member) => member.instanceId === undefined && !member.deleting);
  const names = waiting.map((member) => member.name);
  await explainUnlaunched(context.ports, names, { reason: error.reason, message });
}

/** Where EC2 has said no, the NodePool's breaker opens; where it was not asked, there is nothing to spare. */
async function stopPool(
  { ports, settings, state, snapshot }: GroupContext,
  { group }: LaunchSituation,
  { record, nodeClaims, reason, message }: Extract<LaunchStep, { kind: "stop-pool" }>,
): Promise<void> {
  if (record !== undefined) {
    ports.telemetry.count(metric.launchFailures, 1, { reason });
    await writeLeaderRecord(ports, group.leader, record);
    const error = { code: record.code ?? "", reason, message };
    const failed = { nodePool: group.nodePool, error, before: state.breakers.get(group.nodePool) };
    const breaker = await openBreaker(ports, settings, failed, snapshot.nodePools);
    state.breakers.set(group.nodePool, breaker);
  }
  await explainUnlaunched(ports, nodeClaims, { reason, message });
}

/** A launch that EC2 accepts ends the pool's rest. */
async function closeBreaker({ ports, settings, state }: GroupContext, { group }: LaunchSituation): Promise<void> {
  const breaker = state.breakers.get(group.nodePool);
  if (breaker === undefined || !closesAtLaunch(breaker)) return;
  state.breakers.delete(group.nodePool);
  await closeBreakers(ports, settings, [group.nodePool]);
}

/** The claims go, their pods are planned again; what EC2 refused is remembered as unavailable. */
async function giveUp({ ports }: GroupContext, nodeClaims: readonly string[], why: string): Promise<void> {
  for (const name of nodeClaims) {
    const claim = await ports.kubernetes.get("NodeClaim", { name });
    if (claim === undefined || claim.status?.providerID !== undefined) continue;
    await writeWarning(ports, claim, { reason: "InsufficientCapacity", message: why });
    await deleteClaim(ports, claim, { reason: "insufficient_capacity", why, needsReplacement: false });
  }
}
