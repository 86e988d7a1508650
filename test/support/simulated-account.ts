import type { Catalog } from "../../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import type { SimulatedEc2 } from "../../shared/simulator/ec2.ts";
import type { SimulatedAccount } from "../../shared/simulator/ec2-account.ts";
import { PlacementScores } from "../../shared/simulator/ec2-placement-scores.ts";
import type { WireCloud } from "./aws-server/cloud.ts";
import { origin, startAt } from "./simulated-aws.ts";

/** Letters and numbers of zones do not go together: each account has its own order (field-scenarios B3.23). */
const zones = [
  { name: "us-east-1a", id: "use1-az4" },
  { name: "us-east-1b", id: "use1-az1" },
  { name: "us-east-1c", id: "use1-az6" },
];

/** Three zones with a subnet each, and nothing else. */
export function simulatedAccount(changes: Partial<SimulatedAccount> = {}): SimulatedAccount {
  return {
    accountId: origin.account,
    region: origin.region,
    zones,
    subnets: zones.map((zone, index) => ({
      id: `subnet-${zone.name.at(-1)}`,
      zone: zone.name,
      zoneId: zone.id,
      vpcId: "vpc-1",
      availableIpAddressCount: 100 * (index + 1),
      tags: { team: "shop" },
    })),
    securityGroups: [],
    images: [],
    parameters: new Map(),
    capacityReservations: [],
    placementGroups: [],
    roles: [],
    instanceProfiles: new Map(),
    ...changes,
  };
}

/** A bit of everything that EC2 has: both architectures, metal, Xen, GPUs, accelerators, several network cards, flex and burstable. */
const chosenTypes: ReadonlySet<string> = new Set(
  (
    "m5.large m5.xlarge c7i-flex.large t2.micro t3.micro t4g.small c6gd.metal c5n.metal m5.metal r7g.medium p4d.24xlarge " +
    "g4ad.xlarge g5.xlarge inf1.xlarge inf2.xlarge trn1.32xlarge dl2q.24xlarge i3.large u-6tb1.metal"
  ).split(" "),
);

/** Those types as the embedded catalog knows them, in three zones; the Xen ones are missing in the last. */
export function smallCatalog(): Catalog {
  const whole = embeddedCatalog(origin.region);
  const names = zones.map(({ name }) => name);
  const isChosen = ([type]: readonly [string, unknown]) => chosenTypes.has(type);
  const types = whole.types.filter(({ name }) => chosenTypes.has(name));
  const zonesOf = (hypervisor: string) => (hypervisor === "xen" ? names.slice(0, 2) : names);
  const zonesByType = new Map(types.map(({ name, hypervisor }) => [name, zonesOf(hypervisor)]));
  const inItsZones = (type: string) => (zone: string) => zonesByType.get(type)?.includes(zone) ?? false;
  return {
    region: origin.region,
    zones: names,
    types,
    onDemandPrices: new Map([...whole.onDemandPrices].filter(isChosen)),
    spotPrices: new Map(
      [...whole.spotPrices]
        .filter(isChosen)
        .map(([type, byZone]) => [type, new Map([...byZone].filter(([zone]) => inItsZones(type)(zone)))]),
    ),
    zonesByType,
  };
}

/** All that the AWS server needs, over a simulated EC2. */
export function wireCloud(
  ec2: SimulatedEc2,
  options: Partial<Omit<WireCloud, "ec2" | "placementScores">> = {},
): WireCloud {
  const { account = simulatedAccount(), catalog = smallCatalog(), ...others } = options;
  return {
    ec2,
    account,
    catalog,
    placementScores: placementScores(ec2, account),
    now: () => startAt,
    ...others,
  };
}

/** Of an account that may ask for 500 spot instances at once. */
export function placementScores(ec2: SimulatedEc2, { zones }: SimulatedAccount): PlacementScores {
  return new PlacementScores({
    zones,
    room: (instanceType, zone) => ec2.room({ instanceType, zone, capacityType: "spot" }),
    maxTargetCapacity: 500,
  });
}
