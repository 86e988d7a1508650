import { Ec2ApiError } from "./ec2-api-error.ts";
import type { InstanceRecord, LaunchRequest } from "./ec2-instance.ts";

/**
 * The partitions of placement groups. A group has as many in each zone; EC2 spreads instances for which none is asked evenly over them (EC2
 * user guide, "Partition placement groups").
 */
export class PlacementPartitions {
  readonly #partitions = new Map<string, number>();

  addGroup(id: string, partitions: number): void {
    this.#partitions.set(id, partitions);
  }

  /** Refuses a partition that the request's group does not have. */
  check({ placementGroup }: LaunchRequest): void {
    const partitions = placementGroup && this.#partitions.get(placementGroup.id);
    const asked = placementGroup?.partition;
    if (partitions === undefined || asked === undefined || (asked >= 1 && asked <= partitions)) return;
    const message = `PartitionNumber ${asked} is not from 1 to ${partitions}, the partitions of ${placementGroup?.id}`;
    throw new Ec2ApiError("InvalidParameterValue", message);
  }

  /** The one that is asked for, or else that with the fewest instances. Undefined where the group has no partitions. */
  choose({ placementGroup }: LaunchRequest, zone: string, instances: readonly InstanceRecord[]): number | undefined {
    if (placementGroup === undefined) return undefined;
    if (placementGroup.partition !== undefined) return placementGroup.partition;
    const count = this.#partitions.get(placementGroup.id) ?? 0;
    const held = Array.from({ length: count }, () => 0);
    for (const instance of instances) {
      const isHere = instance.request.placementGroup?.id === placementGroup.id && instance.zone === zone;
      if (!isHere || instance.state === "terminated" || instance.partitionNumber === undefined) continue;
      held[instance.partitionNumber - 1] = (held[instance.partitionNumber - 1] ?? 0) + 1;
    }
    return count === 0 ? undefined : held.indexOf(Math.min(...held)) + 1;
  }
}
