import type { CapacityReservation, EC2NodeClass } from "../../shared/api/ec2-node-class.ts";
import { label } from "../../shared/api/labels.ts";
import { catalogOf } from "./catalog.ts";
import { nodeClass } from "./node-classes.ts";
import { oneOf } from "./node-pools.ts";

/** A reservation of m5.large in zone a with room for one node, unless it says otherwise. */
export function reservation(id: string, changes: Partial<CapacityReservation> = {}): CapacityReservation {
  return {
    id,
    instanceType: "m5.large",
    availabilityZone: "a",
    reservationType: "default",
    state: "active",
    availableInstanceCount: 1,
    ...changes,
  };
}

/** An EC2NodeClass with these reservations and a subnet in each zone, whose nodes keep nothing for themselves. */
export function classWithReservations(...capacityReservations: readonly CapacityReservation[]): EC2NodeClass {
  const nothing = { cpu: "0", memory: "0", "ephemeral-storage": "0" };
  const kubelet = {
    ...{ kubeReserved: nothing, systemReserved: nothing },
    evictionHard: { "memory.available": "0", "nodefs.available": "0" },
  };
  const subnets = ["a", "b", "c"].map((zone) => ({ id: `subnet-${zone}`, zone }));
  return nodeClass({ kubelet }, { subnets, capacityReservations: [...capacityReservations] });
}

export const reservedOrOnDemand = [oneOf(label.capacityType, "reserved", "on-demand")];

/** m5.large alone, of two CPUs, and a spot offering in zone b. */
export const oneType = catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { b: 0.03 } } });
