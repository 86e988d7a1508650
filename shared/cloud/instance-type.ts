import type { CapacityType } from "../ports.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";

/** One way to buy an instance type. */
export interface Offering {
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** The instance alone, without volumes. */
  readonly priceUsdPerHour: number;
  /** False while EC2 refuses it (marked unavailable), or the price is unknown. */
  readonly available: boolean;
}

/** An EC2 instance type as one EC2NodeClass would run it: what the planner chooses among. */
export interface InstanceType {
  readonly name: string;
  /** Its labels as requirements; zone and capacity type list what its offerings have. */
  readonly requirements: Requirements;
  readonly capacity: Resources;
  /** Capacity less kube-reserved, system-reserved and the eviction threshold (karpenter-aws §2.3). */
  readonly allocatable: Resources;
  readonly offerings: readonly Offering[];
}

/** `type/zone/capacityType`: how an offering is named in reports, records and ConfigMap keys. */
export function offeringKey(instanceType: string, offering: Pick<Offering, "zone" | "capacityType">): string {
  return `${instanceType}/${offering.zone}/${offering.capacityType}`;
}
