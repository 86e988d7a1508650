import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { formatLaunchRecord, type LeaderRecord } from "../cloud/launch-record.ts";
import type { LaunchPair, RecordWrite } from "../cloud/launch-situation.ts";
import type { CapacityType, Ec2Instance, Ports } from "../ports.ts";
import { formatResources } from "../scheduling/resources.ts";
import { type ConditionChange, changedConditions } from "../state/condition-changes.ts";
import { providerIdOf } from "../state/provider-id.ts";
import { execute, requireDone } from "./execute.ts";
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

/** Gives a claim its instance: labels, then status. A claim that is gone or has another leaves the instance to collection. */
export async function assignInstance(ports: Ports, pair: LaunchPair, type: InstanceType | undefined): Promise<void> {
  const { nodeClaim: name, instance } = pair;
  const providerId = providerIdOf(instance);
  const isFree = ({ status }: NodeClaim) => (status?.providerID ?? providerId) === providerId;
  const labels = instanceLabels(instance, type);
  await update(ports, "NodeClaim", { name }, (claim) => (isFree(claim) ? { metadata: { labels } } : undefined));
  await update(
    ports,
    "NodeClaim",
    { name },
    (claim) => (isFree(claim) ? launchedStatus(claim, instance, type, ports.clock.now()) : undefined),
    { subresource: "status" },
  );
}

/** Sets a condition of claims that cannot be launched, for a person to see. */
export async function explainUnlaunched(
  ports: Ports,
  names: readonly string[],
  condition: Pick<ConditionChange, "reason" | "message">,
): Promise<void> {
  for (const name of names) {
    await update(
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
  }
}

function launchedStatus(claim: NodeClaim, instance: Ec2Instance, type: InstanceType | undefined, now: number) {
  const launched: ConditionChange = { type: "Launched", status: "True", reason: "Launched" };
  const conditions = changedConditions(claim, [launched], now) ?? claim.status?.conditions ?? [];
  return {
    status: {
      providerID: providerIdOf(instance),
      imageID: instance.imageId,
      conditions,
      ...(type && { capacity: formatResources(type.capacity), allocatable: formatResources(type.allocatable) }),
    },
  };
}

/** A type may be in a reservation that this instance is not from. */
const ofReservation: ReadonlySet<string> = new Set([
  label.reservationId,
  label.reservationType,
  label.reservationInterruptible,
]);

/** Labels that follow from what was launched: single-valued ones of its type, and where it lies (karpenter-aws §2.4). */
function instanceLabels(instance: Ec2Instance, type: InstanceType | undefined): Readonly<Record<string, string>> {
  const settled = [...(type?.requirements.values() ?? [])].flatMap(({ key, complement, values }) => {
    const [value, another] = values;
    const isOpen = complement || value === undefined || another !== undefined;
    return isOpen || ofReservation.has(key) ? [] : [[key, value] as const];
  });
  const capacityType: CapacityType = instance.capacityType;
  return {
    ...Object.fromEntries(settled),
    [label.instanceType]: instance.instanceType,
    [label.zone]: instance.zone,
    [label.capacityType]: capacityType,
    ...reservationLabels(instance, type),
  };
}

/** Where the class's status no longer tells the reservation's terms, its id is all there is to say. */
function reservationLabels(
  { capacityReservationId: id, capacityType }: Ec2Instance,
  type: InstanceType | undefined,
): Readonly<Record<string, string>> {
  if (id === undefined || capacityType !== "reserved") return {};
  const offering = type?.offerings.find(({ reservationId }) => reservationId === id);
  return {
    [label.reservationId]: id,
    ...(offering?.reservationType !== undefined && { [label.reservationType]: offering.reservationType }),
    ...(offering?.interruptible !== undefined && { [label.reservationInterruptible]: String(offering.interruptible) }),
  };
}
