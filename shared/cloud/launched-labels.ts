import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { CapacityType, Ec2Instance } from "../ports.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { InstanceType } from "./instance-type.ts";
import { efaResource, launchTraits } from "./launch-traits.ts";
import { placementGroupOf } from "./placement-group.ts";

/** What a NodeClaim's instance was launched with, as far as it is known by now. */
export interface LaunchedWith {
  readonly type: InstanceType | undefined;
  readonly nodeClass: EC2NodeClass | undefined;
}

/** A type may be in a reservation that this instance is not from, and in any partition of its group. */
const ofInstance: ReadonlySet<string> = new Set([
  label.reservationId,
  label.reservationType,
  label.reservationInterruptible,
  label.placementGroupPartition,
]);

/** Labels of a NodeClaim that follow from what was launched: single-valued ones of its type, and where it lies (karpenter-aws §2.4). */
export function launchedLabels(
  claim: NodeClaim,
  instance: Ec2Instance,
  { type, nodeClass }: LaunchedWith,
): Readonly<Record<string, string>> {
  const settled = [...(type?.requirements.values() ?? [])].flatMap(({ key, complement, values }) => {
    const [value, another] = values;
    const isOpen = complement || value === undefined || another !== undefined;
    return isOpen || ofInstance.has(key) ? [] : [[key, value] as const];
  });
  const capacityType: CapacityType = instance.capacityType;
  const { tenancy, partition = instance.partitionNumber } = launchTraits(claim);
  const zoneId = nodeClass?.status?.subnets?.find(({ id }) => id === instance.subnetId)?.zoneID;
  const group = nodeClass && placementGroupOf(nodeClass);
  return {
    ...Object.fromEntries(settled),
    [label.instanceType]: instance.instanceType,
    [label.zone]: instance.zone,
    ...(zoneId !== undefined && { [label.zoneId]: zoneId }),
    [label.capacityType]: capacityType,
    [label.tenancy]: tenancy,
    ...(group?.kind === "group" && { [label.placementGroupId]: group.group.id }),
    ...(group?.kind === "group" && partition !== undefined && { [label.placementGroupPartition]: String(partition) }),
    ...reservationLabels(instance, type),
  };
}

/**
 * What the node will show. EFA interfaces are made for claims that ask for them and for classes that list them, so others have none of
 * their type's (karpenter-aws §2.2).
 */
export function launchedResources(
  resources: Resources,
  claim: NodeClaim,
  nodeClass: EC2NodeClass | undefined,
): Resources {
  const hasEfa = launchTraits(claim).usesEfa || (nodeClass?.spec.networkInterfaces?.length ?? 0) > 0;
  if (hasEfa) return resources;
  const { [efaResource]: _, ...others } = resources;
  return others;
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
