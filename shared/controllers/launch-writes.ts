import { annotation, awsGroup } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { formatLaunchRecord, type LeaderRecord } from "../cloud/launch-record.ts";
import type { LaunchPair, RecordWrite } from "../cloud/launch-situation.ts";
import { type LaunchedWith, launchedLabels, launchedResources } from "../cloud/launched-labels.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import { formatResources, type Resources } from "../scheduling/resources.ts";
import { type ConditionChange, changedConditions } from "../state/condition-changes.ts";
import { providerIdOf } from "../state/provider-id.ts";
import { execute, requireDone } from "./execute.ts";
import { writeWarning } from "./object-events.ts";
import { update } from "./optimistic-update.ts";

/** Writes launch annotations one after another: the order is the protocol's (design §4.1, step 5). */
export async function writeRecords(ports: Ports, writes: readonly RecordWrite[]): Promise<void> {
  const actions = writes.map((write) => ({
    kind: "patch" as const,
    objectKind: "NodeClaim" as const,
    reference: { name: write.nodeClaim },
    patch: { metadata: { annotations: { [annotation.launch]: write.annotation } } },
    why: "the launch is written down before it is sent",
  }));
  requireDone(await execute(ports, actions));
}

export async function writeLeaderRecord(ports: Ports, leader: string, record: LeaderRecord): Promise<void> {
  await writeRecords(ports, [{ nodeClaim: leader, annotation: formatLaunchRecord(record) }]);
}

/** Gives a claim its instance: labels and subnet, then status. A claim that is gone or has another leaves the instance to collection. */
export async function assignInstance(ports: Ports, pair: LaunchPair, launched: LaunchedWith): Promise<void> {
  const { nodeClaim: name, instance } = pair;
  const providerId = providerIdOf(instance);
  const isFree = ({ status }: NodeClaim) => (status?.providerID ?? providerId) === providerId;
  const instanceProfile = launched.nodeClass?.status?.instanceProfile;
  const annotations = {
    [annotation.subnet]: instance.subnetId,
    // As of the launch: the class may have had another when the claim was planned, and a profile that no claim names is deleted.
    ...(instanceProfile !== undefined && { [`${awsGroup}/instance-profile-name`]: instanceProfile }),
  };
  await update(ports, "NodeClaim", { name }, (claim) =>
    isFree(claim) ? { metadata: { labels: launchedLabels(claim, instance, launched), annotations } } : undefined,
  );
  await update(
    ports,
    "NodeClaim",
    { name },
    (claim) => (isFree(claim) ? launchedStatus(claim, instance, launched, ports.clock.now()) : undefined),
    { subresource: "status" },
  );
}

/** Sets a condition of claims that cannot be launched, and writes an event on each, for a person to see. */
export async function explainUnlaunched(
  ports: Ports,
  names: readonly string[],
  condition: Pick<ConditionChange, "reason" | "message">,
): Promise<void> {
  for (const name of names) {
    const claim = await update(
      ports,
      "NodeClaim",
      { name },
      (claim) => {
        if (claim.status?.providerID !== undefined) return undefined;
        const change: ConditionChange = { type: "Launched", status: "Unknown", ...condition };
        const conditions = changedConditions(claim, [change], ports.clock.now());
        return conditions === undefined ? undefined : { status: { conditions } };
      },
      { subresource: "status" },
    );
    if (claim === undefined || claim.status?.providerID !== undefined) continue;
    const { reason, message = "" } = condition;
    await writeWarning(ports, claim, { reason, message });
  }
}

function launchedStatus(claim: NodeClaim, instance: Ec2Instance, { type, nodeClass }: LaunchedWith, now: number) {
  const launched: ConditionChange = { type: "Launched", status: "True", reason: "Launched" };
  const conditions = changedConditions(claim, [launched], now) ?? claim.status?.conditions ?? [];
  const resources = (amounts: Resources) => formatResources(launchedResources(amounts, claim, nodeClass));
  return {
    status: {
      providerID: providerIdOf(instance),
      imageID: instance.imageId,
      conditions,
      ...(type && { capacity: resources(type.capacity), allocatable: resources(type.allocatable) }),
    },
  };
}
