import type { Ec2Instance, InstanceState, RunInstancesRequest } from "../ports.ts";

/** RunInstances as EC2 takes it: the port always asks with a minimum of 1. */
export type LaunchRequest = Omit<RunInstancesRequest, "minCount"> & { readonly minCount: number };

/** Everything the simulated EC2 knows about an instance, kept after its end. */
export interface InstanceRecord {
  readonly instanceId: string;
  readonly request: LaunchRequest;
  readonly zone: string;
  /** Of its placement group, when that has partitions. */
  readonly partitionNumber: number | undefined;
  readonly privateDnsName: string;
  readonly priceUsdPerHour: number;
  readonly launchedAt: number;
  /** Until then other calls may not find it (serverless-aws §2, "Eventual consistency"). */
  readonly visibleAt: number;
  readonly tags: Map<string, string>;
  state: InstanceState;
  stateReason: string | undefined;
  /** When a spot notice will end it. */
  reclaimAt: number | undefined;
  runningAt: number | undefined;
  stoppedAt: number | undefined;
  terminatedAt: number | undefined;
}

export const spotTermination = "Server.SpotInstanceTermination";

/** What an API answer says about it at this moment. */
export function describeRecord(record: InstanceRecord): Ec2Instance {
  const { request } = record;
  return {
    instanceId: record.instanceId,
    instanceType: request.instanceType,
    imageId: request.imageId,
    zone: record.zone,
    subnetId: request.subnetId,
    capacityType: request.capacityType,
    ...(record.partitionNumber !== undefined && { partitionNumber: record.partitionNumber }),
    ...(request.capacityReservationId !== undefined && { capacityReservationId: request.capacityReservationId }),
    state: record.state,
    launchedAt: record.launchedAt,
    ...(record.state !== "terminated" && { privateDnsName: record.privateDnsName }),
    clientToken: request.clientToken,
    ...(record.stateReason !== undefined && { stateReason: record.stateReason }),
    tags: Object.fromEntries(record.tags),
  };
}

/** Whether Describe and Terminate find it: not at once after its launch, and not an hour after its end. */
export function isVisible(record: InstanceRecord, now: number): boolean {
  return record.visibleAt <= now && (record.terminatedAt === undefined || now - record.terminatedAt < 3_600_000);
}

/**
 * USD so far. Linux instances are billed by the second while they run, a minute at least; one that spot reclaims in its first hour is
 * free; a capacity reservation is paid whether used or not.
 */
export function billedUsd(record: InstanceRecord, now: number): number {
  if (record.runningAt === undefined) {
    return 0;
  }
  const seconds = ((record.stoppedAt ?? now) - record.runningAt) / 1000;
  const reclaimed = record.stateReason === spotTermination;
  if (reclaimed && seconds < 3_600) {
    return 0;
  }
  return (Math.max(60, seconds) / 3_600) * record.priceUsdPerHour;
}
