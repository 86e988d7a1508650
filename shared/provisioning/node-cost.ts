import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { volumesUsdPerHour } from "../cloud/volume-prices.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { Settings } from "../state/settings.ts";

/** What a node costs beside its instance: a part of what a plan keeps low. */
export interface NodeCharges {
  readonly volumesUsdPerHour: number;
  /** Setting `nodeChargeUsdPerHour`. */
  readonly chargeUsdPerHour: number;
}

/** A node's own cost, whatever pods it holds. */
export interface NodeCost extends NodeCharges {
  /** The part of the instance's price that DaemonSets take: their largest share of any resource but slots for pods. Not a cost beside the price. */
  readonly daemonSetsUsdPerHour: number;
}

/** The charges of each node of a class. */
export function nodeChargesOf(
  nodeClass: EC2NodeClass,
  { volumePriceFactor, nodeChargeUsdPerHour }: Pick<Settings, "volumePriceFactor" | "nodeChargeUsdPerHour">,
): NodeCharges {
  return {
    volumesUsdPerHour: volumesUsdPerHour(nodeClass) * volumePriceFactor,
    chargeUsdPerHour: nodeChargeUsdPerHour,
  };
}

/** What a node adds to the objective beside its instance's price. */
export function sumOfCharges({ volumesUsdPerHour: volumes, chargeUsdPerHour }: NodeCharges): number {
  return volumes + chargeUsdPerHour;
}

/** The cost of one node of this price, with these DaemonSets on it. */
export function nodeCost(
  charges: NodeCharges,
  priceUsdPerHour: number,
  daemonRequests: Resources,
  allocatable: Resources,
): NodeCost {
  const shares = Object.entries(daemonRequests).map(([resource, amount]) => {
    const room = allocatable[resource] ?? 0;
    return resource === "pods" || room === 0 ? 0 : Math.min(1, amount / room);
  });
  return { ...charges, daemonSetsUsdPerHour: priceUsdPerHour * Math.max(0, ...shares) };
}

/** The costs of several nodes together. */
export function sumOfCosts(costs: readonly NodeCost[]): NodeCost {
  const sum = (pick: (cost: NodeCost) => number) => costs.reduce((total, cost) => total + pick(cost), 0);
  return {
    volumesUsdPerHour: sum((cost) => cost.volumesUsdPerHour),
    chargeUsdPerHour: sum((cost) => cost.chargeUsdPerHour),
    daemonSetsUsdPerHour: sum((cost) => cost.daemonSetsUsdPerHour),
  };
}
