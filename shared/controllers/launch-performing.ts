import type { UnavailableOffering } from "../cloud/catalog.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import type { LaunchResult } from "../cloud/launch-progress.ts";
import type { LaunchRequests, LaunchSituation, LaunchStep } from "../cloud/launch-situation.ts";
import { metric } from "../metrics.ts";
import type { Ports, RunInstancesRequest } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { execute, requireDone } from "./execute.ts";
import { assignInstance, explainUnlaunched, writeLeaderRecord, writeRecords } from "./launch-writes.ts";
import { holdsLease, type LeaseOptions } from "./lease.ts";
import { writeUnavailableOfferings } from "./unavailable-store.ts";

export interface GroupContext {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly lease: LeaseOptions;
  readonly requests: LaunchRequests;
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
}

/** `stopped`: the pass must end here, because its time or its Lease is gone. */
export type Performed = LaunchResult | { readonly kind: "stopped"; readonly delaySeconds: number };

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
      await assign(context, situation, step);
      return performed;
    case "next-offering":
      ports.telemetry.count(metric.launchFailures, 1, { reason: step.error.reason });
      await mark(context, situation, step.mark);
      await writeLeaderRecord(ports, situation.group.leader, step.record);
      return performed;
    case "wait":
      if (step.error !== undefined) await reportError(context, situation, step.error.reason, step.reason);
      return performed;
    case "give-up":
      await giveUp(context, step.nodeClaims, step.reason);
      return performed;
    case "stop-pool":
      if (step.record !== undefined) await writeLeaderRecord(ports, situation.group.leader, step.record);
      await explainUnlaunched(ports, step.nodeClaims, { reason: step.reason, message: step.message });
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
): Promise<void> {
  const { ports } = context;
  await mark(context, situation, step.mark);
  for (const pair of step.pairs) {
    await assignInstance(ports, pair, context.instanceTypes.get(pair.instance.instanceType));
  }
  if (step.surplus.length > 0) {
    const why = "more instances were launched than claims want";
    requireDone(await execute(ports, [{ kind: "terminate-instances", instanceIds: step.surplus, why }]));
  }
  await writeLeaderRecord(ports, situation.group.leader, step.record);
}

async function mark(
  { ports, settings }: GroupContext,
  situation: LaunchSituation,
  marks: readonly UnavailableOffering[],
): Promise<void> {
  await writeUnavailableOfferings(ports, settings, marks, situation.unavailable);
}

async function reportError(
  { ports }: GroupContext,
  { group }: LaunchSituation,
  reason: string,
  message: string,
): Promise<void> {
  ports.telemetry.count(metric.launchFailures, 1, { reason });
  const waiting = group.members.filter((member) => member.instanceId === undefined && !member.deleting);
  await explainUnlaunched(
    ports,
    waiting.map((member) => member.name),
    { reason, message },
  );
}

/** The claims go, their pods are planned again; what EC2 refused is remembered as unavailable. */
async function giveUp({ ports }: GroupContext, nodeClaims: readonly string[], why: string): Promise<void> {
  for (const name of nodeClaims) {
    const claim = await ports.kubernetes.get("NodeClaim", { name });
    if (claim === undefined || claim.status?.providerID !== undefined) continue;
    await deleteClaim(ports, claim, { reason: "insufficient_capacity", why, needsReplacement: false });
  }
}
