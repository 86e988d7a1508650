import { awsGroup, label } from "../../shared/api/labels.ts";
import type { NodeOverlay } from "../../shared/api/node-overlay.ts";
import type { NodePool } from "../../shared/api/node-pool.ts";
import { type InstanceType, offeringKey } from "../../shared/cloud/instance-type.ts";
import { instanceTypesFor } from "../../shared/cloud/instance-types.ts";
import { type OverlaidPools, overlaidPools } from "../../shared/cloud/node-overlays.ts";
import { catalogOf } from "./catalog.ts";
import { nodeClass } from "./node-classes.ts";
import { nodePool, oneOf } from "./node-pools.ts";

/** Two sizes in zones a and b; spot in zone a alone. */
const catalog = {
  ...catalogOf({
    "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 1, spot: { a: 0.4 }, zones: ["a", "b"] },
    "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 2, spot: { a: 0.8 }, zones: ["a", "b"] },
  }),
  zones: ["a", "b"],
};
const zoneIds = new Map([
  ["a", "az1"],
  ["b", "az2"],
]);
const subnets = [...zoneIds].map(([zone, zoneID]) => ({ id: `subnet-${zone}`, zone, zoneID }));

export const plainTypes = instanceTypesFor(catalog, nodeClass({}, { subnets }), {
  vmMemoryOverheadPercent: 0,
  reservedEnis: 0,
  unavailable: [],
  now: 0,
});

export const plainPrices = pricesOf(plainTypes);

/** What overlays make of the types of some NodePools; of one without labels, unless pools are given. */
export function overlaid(
  overlays: readonly NodeOverlay[],
  pools: readonly NodePool[] = [nodePool("default")],
  types = plainTypes,
) {
  const result = overlaidPools(
    overlays,
    pools.map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: spec.template.metadata?.labels ?? {},
      types,
      zoneIds,
    })),
  );
  const of = (pool: string) => result.types.get(pool) ?? [];
  return {
    ...result,
    prices: (pool = "default") => pricesOf(of(pool)),
    types: (pool = "default") => of(pool),
    /** An extended resource by type, where there is any. */
    capacity: (resource: string, pool = "default") => capacityOf(of(pool), resource),
    faults: faultsOf(result),
  };
}

/** USD per hour by `type/zone/capacityType`. */
function pricesOf(types: readonly InstanceType[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    types.flatMap(({ name, offerings }) =>
      offerings.map((offering) => [offeringKey(name, offering), offering.priceUsdPerHour] as const),
    ),
  );
}

function capacityOf(types: readonly InstanceType[], resource: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    types.flatMap(({ name, capacity, allocatable }) => {
      const amount = capacity[resource];
      if (amount !== allocatable[resource]) throw new RangeError(`${name} cannot give all ${resource} it has`);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
}

/** Reason by overlay, of those that take no effect. */
function faultsOf({ verdicts }: OverlaidPools): Readonly<Record<string, string>> {
  return Object.fromEntries(
    verdicts.flatMap(({ overlay, fault }) => (fault === undefined ? [] : [[overlay.metadata.name, fault.reason]])),
  );
}

export const forLarge = [oneOf(label.instanceType, "m5.large")];
export const forSpot = [oneOf(label.capacityType, "spot")];
export const forZoneB = [oneOf(label.zone, "b")];
export const nothing = [oneOf(`${awsGroup}/instance-cpu`, "64")];
